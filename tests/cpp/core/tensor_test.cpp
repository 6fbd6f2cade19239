#include "dlport/tensor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "expect_error.hpp"
#include "managed.hpp"

namespace dlport {
namespace {

using testing::expect_error;
using testing::LegacyProducer;
using testing::VersionedProducer;
using Values = std::vector<int64_t>;

constexpr uint64_t kReadOnly = DLPACK_FLAG_BITMASK_READ_ONLY;
constexpr uint64_t kCopied = DLPACK_FLAG_BITMASK_IS_COPIED;
constexpr uint64_t kPadded = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

void release(DLManagedTensorVersioned* managed) {
  managed->deleter(managed);
}

TEST(Empty, IsRowMajorHostMemoryAlignedTo256Bytes) {
  const Tensor x = Tensor::empty(Values{2, 3, 4}, float32);
  EXPECT_EQ(to_string(x), "float32 (2, 3, 4) on cpu:0");
  EXPECT_EQ(Values(x.strides().begin(), x.strides().end()), (Values{12, 4, 1}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.data()) % 256, 0u);
  EXPECT_EQ(x.nbytes(), 96);
}

TEST(Empty, OfSubByteElementsTakesTheBitsTheyNeedOrAByteEachWherePadded) {
  EXPECT_EQ(Tensor::empty(Values{5}, DType(kDLInt, 4)).nbytes(), 3);
  EXPECT_EQ(Tensor::empty(Values{5}, DType(kDLInt, 4), kPadded).nbytes(), 5);
}

TEST(Empty, RefusesWhatCannotBe) {
  expect_error(ErrorCode::invalid_argument,
               "shape (2, -1) of float32 has a negative dimension or more bytes than memory can address",
               [] { Tensor::empty(Values{2, -1}, float32); });
  expect_error(ErrorCode::invalid_argument, "dtype code_2_bits_7 is not one of DLPack's",
               [] { Tensor::empty(Values{2}, DType(kDLFloat, 7)); });
  const int64_t exbibyte = int64_t{1} << 58;
  expect_error(ErrorCode::out_of_memory,
               "no memory for 288230376151711744 bytes of shape (288230376151711744,) and dtype uint8",
               [&] { Tensor::empty(Values{exbibyte}, uint8); });
}

TEST(FromBlob, RunsItsDeleterOnceWithTheLastReference) {
  int deletions = 0;
  float data[4] = {};
  auto count = [](void* context) { ++*static_cast<int*>(context); };
  Tensor x = Tensor::from_blob(data, Values{2, 2}, {}, float32, cpu, &deletions, count);
  Tensor y = x;
  x = Tensor();
  EXPECT_EQ(deletions, 0);
  y = Tensor();
  EXPECT_EQ(deletions, 1);
}

TEST(FromBlob, RunsItsDeleterAlsoWhereItThrows) {
  int deletions = 0;
  auto count = [](void* context) { ++*static_cast<int*>(context); };
  expect_error(ErrorCode::invalid_tensor, "data is a null pointer, but shape (2,) has elements",
               [&] { Tensor::from_blob(nullptr, Values{2}, {}, float32, cpu, &deletions, count); });
  expect_error(ErrorCode::invalid_argument, "1 strides were given for shape (2, 2)",
               [&] { Tensor::from_blob(&deletions, Values{2, 2}, Values{1}, float32, cpu, &deletions, count); });
  EXPECT_EQ(deletions, 2);
}

TEST(Import, SharesTheMemoryUntilTheLastReferenceGoes) {
  VersionedProducer producer;
  {
    const Tensor x = Tensor::from_managed(&producer.managed);
    EXPECT_EQ(x.data(), producer.data.data());
    EXPECT_EQ(x.ndim(), 2);
    EXPECT_EQ(producer.deletions, 0);
  }
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Import, OfALegacyTensorDoesTheSame) {
  LegacyProducer producer;
  {
    EXPECT_EQ(Tensor::from_managed_legacy(&producer.managed).data(), producer.data.data());
  }
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Import, LetsADeleterBeMissing) {
  VersionedProducer producer;
  LegacyProducer legacy;
  producer.managed.deleter = nullptr;
  legacy.managed.deleter = nullptr;
  EXPECT_NO_THROW(Tensor::from_managed(&producer.managed));
  EXPECT_NO_THROW(Tensor::from_managed_legacy(&legacy.managed));
}

TEST(Import, FillsInTheStridesThatAProducerLeftOut) {
  VersionedProducer producer;
  producer.tensor().strides = nullptr;
  const Tensor x = Tensor::from_managed(&producer.managed);
  EXPECT_EQ(Values(x.strides().begin(), x.strides().end()), (Values{3, 1}));
}

TEST(Import, ReleasesWhatItRefusesOnce) {
  VersionedProducer producer;
  LegacyProducer legacy;
  producer.shape[0] = legacy.shape[0] = -1;
  expect_error(ErrorCode::invalid_tensor, "shape[0] = -1 is negative",
               [&] { Tensor::from_managed(&producer.managed); });
  expect_error(ErrorCode::invalid_tensor, "shape[0] = -1 is negative",
               [&] { Tensor::from_managed_legacy(&legacy.managed); });
  EXPECT_EQ(producer.deletions, 1);
  EXPECT_EQ(legacy.deletions, 1);
}

TEST(Import, ReleasesATensorOnADeviceThatNothingResolves) {
  VersionedProducer producer;
  producer.tensor().device = {kDLExtDev, 0};
  EXPECT_THROW(Tensor::from_managed(&producer.managed), Error);
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Import, OfANewerMajorVersionReadsNothingBehindTheFlagsAndCallsTheDeleter) {
  VersionedProducer producer;
  producer.managed.version = {2, 0};
  producer.tensor().ndim = -5;  // another layout: whatever is here means something else
  expect_error(ErrorCode::invalid_tensor,
               "the tensor's layout is that of DLPack 2.0, and this consumer reads 1.x: ask the producer for "
               "max_version (1, 3)",
               [&] { Tensor::from_managed(&producer.managed); });
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Import, AcceptsEveryMinorVersionOfItsMajor) {
  for (uint32_t minor : {0u, 1u, 3u, 9u}) {
    VersionedProducer producer;
    producer.managed.version.minor = minor;
    EXPECT_NO_THROW(Tensor::from_managed(&producer.managed));
  }
}

TEST(Import, OfNothingIsRefused) {
  expect_error(ErrorCode::invalid_tensor, "the managed tensor is a null pointer",
               [] { Tensor::from_managed(nullptr); });
  expect_error(ErrorCode::invalid_tensor, "the managed tensor is a null pointer",
               [] { Tensor::from_managed_legacy(nullptr); });
}

TEST(Import, KeepsReadOnlyAndPaddedButNotCopiedWhichIsAboutThatImportAlone) {
  VersionedProducer producer;
  producer.managed.flags = kReadOnly | kCopied | kPadded;
  const Tensor x = Tensor::from_managed(&producer.managed);
  EXPECT_EQ(x.flags(), kReadOnly | kPadded);
  EXPECT_TRUE(x.read_only());
}

TEST(Import, OfAVirtualDeviceKnowsItAndExportsThePhysicalOne) {
  const auto type = static_cast<DLDeviceType>(78);
  register_virtual_device(type, "mirror", [](int32_t) { return cpu; });
  VersionedProducer producer;
  producer.tensor().device = {type, 4};
  {
    const Tensor x = Tensor::from_managed(&producer.managed);
    EXPECT_EQ(x.device(), Device(type, 4));
    EXPECT_EQ(x.physical_device(), cpu);
    DLManagedTensorVersioned* exported = x.to_managed();
    EXPECT_EQ(Device(exported->dl_tensor.device), cpu);
    release(exported);
  }
  register_virtual_device(type, "", nullptr);
}

TEST(Export, KeepsTheMemoryAliveUntilItsDeleterRuns) {
  VersionedProducer producer;
  DLManagedTensorVersioned* exported = Tensor::from_managed(&producer.managed).to_managed();
  EXPECT_EQ(producer.deletions, 0);
  EXPECT_EQ(exported->dl_tensor.data, producer.data.data());
  EXPECT_EQ(exported->version.major, uint32_t{DLPACK_MAJOR_VERSION});
  release(exported);
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Export, SeveralTimesOverNeedsEveryDeleter) {
  VersionedProducer producer;
  Tensor x = Tensor::from_managed(&producer.managed);
  DLManagedTensorVersioned *first = x.to_managed(), *second = x.to_managed(), *third = x.to_managed(true);
  DLManagedTensor* legacy = x.to_managed_legacy();
  x = Tensor();
  release(second);
  legacy->deleter(legacy);
  release(first);
  EXPECT_EQ(producer.deletions, 0);
  release(third);
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Export, AsCopiedSaysSoThisOnce) {
  const Tensor x = Tensor::empty(Values{2}, float32);
  DLManagedTensorVersioned *copied = x.to_managed(true), *shared = x.to_managed();
  EXPECT_EQ(copied->flags, kCopied);
  EXPECT_EQ(shared->flags, 0u);
  release(copied);
  release(shared);
}

TEST(Export, HasStridesForEveryDimension) {
  const Tensor x = Tensor::empty(Values{2, 0, 5}, float32);
  DLManagedTensorVersioned* exported = x.to_managed();
  ASSERT_NE(exported->dl_tensor.strides, nullptr);
  EXPECT_EQ(exported->dl_tensor.strides[2], 1);
  release(exported);
}

TEST(LegacyExport, OfWhatItCannotSayIsRefused) {
  VersionedProducer producer;
  producer.managed.flags = kReadOnly;
  const Tensor x = Tensor::from_managed(&producer.managed);
  expect_error(ErrorCode::unsupported,
               "the tensor is read-only, which a consumer of DLPack before 1.0 cannot be told: let it ask for "
               "max_version (1, 0) or newer, or export a copy",
               [&] { x.to_managed_legacy(); });
  const Tensor padded = Tensor::empty(Values{2}, DType(kDLInt, 4), kPadded);
  expect_error(ErrorCode::unsupported,
               "the tensor's int4 elements are padded to bytes, which a consumer of DLPack before 1.0 cannot be told: "
               "let it ask for max_version (1, 0) or newer",
               [&] { padded.to_managed_legacy(); });
}

TEST(Tensor, IsReleasedOnceByWhicheverThreadIsLast) {
  for (int round = 0; round < 50; ++round) {
    VersionedProducer producer;
    Tensor x = Tensor::from_managed(&producer.managed);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([copy = x] {
        for (int i = 0; i < 100; ++i) {
          DLManagedTensorVersioned* exported = copy.to_managed();
          const Tensor back = Tensor::from_managed(exported);
          EXPECT_EQ(back.ndim(), 2);
        }
      });
    }
    x = Tensor();
    threads.clear();
    EXPECT_EQ(producer.deletions, 1);
  }
}

TEST(Tensor, ReleasedByADeleterThatReleasesAnotherTensorIsFine) {
  VersionedProducer inner;
  auto* held = new Tensor(Tensor::from_managed(&inner.managed));
  float data[2] = {};
  {
    const Tensor outer = Tensor::from_blob(data, Values{2}, {}, float32, cpu, held,
                                           [](void* context) { delete static_cast<Tensor*>(context); });
  }
  EXPECT_EQ(inner.deletions, 1);
}

TEST(Alignment, IsThatOfOneLaneAndOfAComplexNumbersPart) {
  alignas(16) char memory[64];
  auto at = [&](int offset, DType dtype) {
    return Tensor::from_blob(memory + offset, Values{1}, {}, dtype, cpu, nullptr, nullptr).is_aligned();
  };
  EXPECT_TRUE(at(4, float32));
  EXPECT_FALSE(at(2, float32));
  EXPECT_TRUE(at(4, complex64));
  EXPECT_FALSE(at(4, complex128));
  EXPECT_TRUE(at(4, DType(kDLFloat, 32, 4)));
  EXPECT_TRUE(at(1, uint8));
  EXPECT_TRUE(at(1, DType(kDLInt, 4)));
}

TEST(Description, NamesWhatIsUnusualAndNothingElse) {
  EXPECT_EQ(to_string(Tensor::empty({}, bfloat16)), "bfloat16 () on cpu:0");
  const Tensor x = Tensor::empty(Values{2, 3}, DType(kDLInt, 4), kPadded);
  EXPECT_EQ(to_string(x.permute(std::vector<int>{1, 0}).as_read_only()),
            "int4 (3, 2) on cpu:0, strides (1, 3), read-only, padded");
}

}  // namespace
}  // namespace dlport
