#include <cstdlib>

#include "cpp/drivers/support.hpp"
namespace dlport {
namespace {

using testing::expect_error;

std::string path_of(const std::string& plugin) {
  return std::string(PLUGINS) + "/" + plugin + ".so";
}

struct Refusal {
  const char* plugin;
  const char* reason;
};

class LeftOut : public ::testing::TestWithParam<Refusal> {};

TEST_P(LeftOut, AndTheProcessLives) {
  const std::string path = path_of(GetParam().plugin);
  expect_error(ErrorCode::device, "the driver at '" + path + "' is left out: " + GetParam().reason,
               [&] { load_driver(path); });
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, LeftOut,
    ::testing::Values(Refusal{"null", "its entry point returned no table: the driver cannot work here"},
                      Refusal{"short", "its table has 64 bytes, fewer than the 200 that every driver has"},
                      Refusal{"other_version", "it is made for version 99 of the driver interface, and this is 1"},
                      Refusal{"missing_function", "its table lacks write"},
                      Refusal{"no_name", "its name is missing or longer than 63 bytes"},
                      Refusal{"throws", "it threw something while being opened"},
                      Refusal{"count_throws", "it threw an exception: out of sorts"},
                      Refusal{"many_devices", "it claims to have 1048576 devices"},
                      Refusal{"unnamed_device", "device 0 of its devices has no zero-terminated name"},
                      Refusal{"unknown_type",
                              "device 0 of its devices is device_type_4242:0, which DLPack does not define"},
                      Refusal{"twice", "it lists vpi:0 twice"},
                      Refusal{"crashes", "it crashed while being tried out: Segmentation fault"},
                      Refusal{"exits", "it ended the process that tried it out"},
                      Refusal{"host_device", "cpu:0 is served by the driver 'cpu' already"}),
    [](const auto& refusal) { return std::string(refusal.param.plugin); });

TEST(Plugin, NamesAPathWithoutALibrary) {
  expect_error(ErrorCode::not_found, "there is no readable library at '/nowhere/driver.so'",
               [] { load_driver("/nowhere/driver.so"); });
}

TEST(Plugin, RefusesALibraryThatIsNoDriver) {
  const std::string path = "/proc/self/exe";
  EXPECT_THROW(load_driver(path), Error);
}

TEST(Plugin, InPlainCIsLoadedOnce) {
  EXPECT_EQ(load_driver(path_of("heap")), "heap");
  EXPECT_EQ(load_driver(path_of("heap")), "heap");
  const Tensor tensor = testing::counting<float>(std::vector<int64_t>{5}, {kDLHexagon, 0});
  EXPECT_EQ(testing::values_of<float>(tensor), (std::vector<float>{0, 1, 2, 3, 4}));
}

TEST(Plugin, OfAnOlderHeaderWorksWithoutTheNewerFunctions) {
  EXPECT_EQ(load_driver(path_of("old")), "old");
  const Device device{kDLTrn, 3};
  EXPECT_FALSE(DLPORT_DRIVER_HAS(&driver_for(device), copy_rows));
  const Tensor tensor = testing::counting<float>(std::vector<int64_t>{8, 64}, device);
  EXPECT_EQ(testing::values_of<float>(tensor.slice(1, 0, 32))[32], 64.0f);  // rows, by way of host memory
}

TEST(Plugin, OfANewerHeaderIsReadAsFarAsWeKnowIt) {
  static struct Newer {
    dlport_driver table;
    void (*unheard_of)();
  } newer{*find_driver(cpu), nullptr};
  newer.table.size = sizeof(newer);
  newer.table.name = "newer";
  newer.table.device_properties = [](int32_t, dlport_device_properties* properties) {
    properties->device = {kDLMAIA, 0};
    properties->name[0] = 'm';
    properties->alignment = 1;
    return DLPORT_OK;
  };
  register_driver(&newer.table);
  EXPECT_EQ(find_driver({kDLMAIA, 0}), &newer.table);
}

TEST(Plugin, OfTheEnvironmentIsListedOrReported) {
  const auto left_out = rejected_drivers();  // no variable was set, so only built-in drivers without a runtime are here
  for (const RejectedDriver& entry : left_out) EXPECT_FALSE(entry.reason.empty()) << entry.source;
}

}  // namespace
}  // namespace dlport
