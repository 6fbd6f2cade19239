#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "dlport/ort_session.hpp"
#include "fixtures.hpp"

namespace dlport::ort {
namespace {

std::span<const std::byte> bytes_of(const std::string& model) {
  return {reinterpret_cast<const std::byte*>(model.data()), model.size()};
}

Session doubling_session(const SessionOptions& options = {}) {
  return Session::from_bytes(bytes_of(doubling().to_onnx()), options);
}

const Output kFirst[] = {{0, {}}};

class Sessions : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(Providers, Sessions, kDevices);

TEST_P(Sessions, RunAModelOnMemoryThatTheCallerOwns) {
  const Session session = doubling_session({.device = device_});
  const Tensor x = vector_of({1, 2, 3}), y = vector_of({0, 0, 0});
  const TensorView inputs[] = {x}, outputs[] = {y};
  session.run(inputs, outputs);
  EXPECT_EQ(values_of(y), (std::vector<float>{2, 4, 6}));
}

TEST_P(Sessions, AllocateOutputsOfAnyLength) {
  const Session session = doubling_session({.device = device_});
  for (const size_t length : {1, 2, 50'000}) {
    const Datum inputs[] = {vector_of(std::vector<float>(length, 4))};
    const auto outputs = session.run(inputs, kFirst);
    EXPECT_EQ(values_of(std::get<Tensor>(outputs[0])), std::vector<float>(length, 8));
  }
}

TEST_P(Sessions, CompileGraphs) {
  const Session session = Session::from_graph(doubling(), {.device = device_});
  const Datum inputs[] = {vector_of({21})};
  EXPECT_EQ(values_of(std::get<Tensor>(session.run(inputs, kFirst)[0])), (std::vector<float>{42}));
}

TEST(SessionInfo, NamesInputsAndOutputsWithTheirTypes) {
  const Session session = doubling_session();
  ASSERT_EQ(session.inputs().size(), 1u);
  EXPECT_EQ(session.inputs()[0].name, "x");
  EXPECT_EQ(to_string(session.outputs()[0].type), "float32 (?,)");
  EXPECT_EQ(session.output_index("y"), 0u);
  expect_error(ErrorCode::invalid_argument, {"'z'", "'x'"}, [&] { session.input_index("z"); });
}

TEST(SessionOutputs, OutliveTheSession) {
  Tensor y;
  {
    const Datum inputs[] = {vector_of(std::vector<float>(50'000, 3))};
    y = std::get<Tensor>(doubling_session().run(inputs, kFirst)[0]);
  }
  for (int i = 0; i < 60; ++i) vector_of(std::vector<float>(50'000, -1));
  EXPECT_EQ(values_of(y), std::vector<float>(50'000, 6));
}

struct BadInput {
  const char* what;
  Datum given;
  std::vector<std::string> words;
};

TEST(SessionInputs, AreRefusedInWordsThatNameThem) {
  Graph graph;
  const int64_t shape[] = {-1, 3};
  const Value x = graph.input(float16, shape, "pixels");
  graph.output(graph.node("Identity", std::vector{x})[0], float16, shape, "y");
  const Session session = Session::from_graph(graph);
  const BadInput cases[] = {
      {"dtype", tensor_of<float>({1, 3}, {1, 2, 3}, float32), {"float16", "float32"}},
      {"rank", Tensor::empty(std::vector<int64_t>{3}, float16), {"(?, 3)", "(3,)"}},
      {"dimension", Tensor::empty(std::vector<int64_t>{1, 4}, float16), {"(?, 3)", "(1, 4)"}},
      {"kind", Strings{{1, 3}, {"a", "b", "c"}}, {"float16", "string (1, 3)"}},
      {"nothing", std::monostate{}, {"nothing"}},
  };
  for (const BadInput& bad : cases) {
    SCOPED_TRACE(bad.what);
    auto words = bad.words;
    words.push_back("'pixels'");
    expect_error(ErrorCode::invalid_argument, words, [&] { session.run({&bad.given, 1}, kFirst); });
  }
  const Datum good[] = {Tensor::empty(std::vector<int64_t>{0, 3}, float16)};
  EXPECT_EQ(std::get<Tensor>(session.run(good, kFirst)[0]).numel(), 0) << "still usable";
}

TEST(SessionOutputs, ThatDoNotFitAreRefusedBeforeAnythingIsWritten) {
  const Session session = doubling_session();
  const Tensor x = vector_of({1, 2, 3, 4});
  const TensorView inputs[] = {x};
  const auto into = [&](const Tensor& y) {
    return [&session, &inputs, y] {
      const TensorView outputs[] = {y};
      session.run(inputs, outputs);
    };
  };
  expect_error(ErrorCode::invalid_argument, {"'y'", "read-only"}, into(vector_of({0, 0, 0, 0}).as_read_only()));
  expect_error(ErrorCode::invalid_argument, {"'y'", "row-major"},
               into(vector_of(std::vector<float>(8)).slice(0, 0, 8, 2)));
  expect_error(ErrorCode::invalid_argument, {"'y'", "float32", "int64"}, into(integers({0, 0, 0, 0})));
  expect_error(ErrorCode::invalid_argument, {"'y'", "memory"}, into(x));
  expect_error(ErrorCode::invalid_argument, {"(3,)"}, into(vector_of({0, 0, 0})));
  into(vector_of({0, 0, 0, 0}))();
}

TEST(SessionFiles, ThatAreMissingOrDamagedAreRefused) {
  expect_error(ErrorCode::not_found, {"no-such.onnx"}, [] { Session::from_file("no-such.onnx"); });
  const std::string whole = doubling().to_onnx();
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    EXPECT_THROW(Session::from_bytes(bytes_of(part)), Error) << length << " bytes";
  }
  std::string encrypted = whole;
  for (char& c : encrypted) c = static_cast<char>(c ^ 0x5A);
  expect_error(ErrorCode::invalid_argument, {"bytes"}, [&] { Session::from_bytes(bytes_of(encrypted)); });
}

TEST(SessionFiles, OfAnUnknownOperatorSetAreUnsupported) {
  Graph graph(9999);
  const Value x = graph.input(float32, kAnyLength);
  graph.output(graph.node("Relu", std::vector{x})[0], float32, kAnyLength);
  const std::string model = graph.to_onnx();
  expect_error(ErrorCode::unsupported, {"9999"}, [&] { Session::from_bytes(bytes_of(model)); });
}

/// Counts to `limit` in a Loop: long enough to be cancelled.
Graph counting() {
  Graph graph;
  const Value limit = graph.input(int64, {}, "limit");
  const Value go = graph.constant(tensor_of<bool>({}, {true}, boolean));
  const Value start = graph.constant(tensor_of<int64_t>({}, {0}, int64));
  const Value one = graph.constant(tensor_of<int64_t>({}, {1}, int64));
  auto body = std::make_shared<Graph>(graph.subgraph());
  body->input(int64, {});
  const Value running = body->input(boolean, {}), count = body->input(int64, {});
  body->output(body->node("Identity", std::vector{running})[0]);
  body->output(body->node("Add", std::vector{count, one})[0]);
  graph.output(graph.node("Loop", std::vector{limit, go, start}, 1, {{"body", std::shared_ptr<const Graph>(body)}})[0],
               "count");
  return graph;
}

TEST(SessionRuns, CanBeCancelledFromAnotherThread) {
  const Session session = Session::from_graph(counting());
  RunOptions options;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    options.cancel();
  });
  const Datum endless[] = {tensor_of<int64_t>({}, {int64_t{1} << 60}, int64)};
  expect_error(ErrorCode::device, {"terminate"}, [&] { session.run(endless, kFirst, &options); });
  canceller.join();
  options.reset();
  const Datum three[] = {tensor_of<int64_t>({}, {3}, int64)};
  EXPECT_EQ(values_of<int64_t>(std::get<Tensor>(session.run(three, kFirst, &options)[0])).at(0), 3);
}

TEST(SessionRuns, GoOnWhenTheLastHandleGoes) {
  auto session = std::make_unique<Session>(Session::from_graph(counting()));
  std::atomic<bool> started{false};
  std::thread runner([copy = *session, &started] {
    const Datum limit[] = {tensor_of<int64_t>({}, {20'000}, int64)};
    started = true;
    const auto outputs = copy.run(limit, kFirst);
    EXPECT_EQ(values_of<int64_t>(std::get<Tensor>(outputs[0])).at(0), 20'000);
  });
  while (!started) std::this_thread::yield();
  session.reset();
  runner.join();
}

TEST(SessionRuns, ShareOneSessionBetweenThreads) {
  const Session session = doubling_session();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int id = 0; id < 8; ++id) {
    threads.emplace_back([&, id] {
      const Tensor x = vector_of({static_cast<float>(id)}), y = vector_of({0});
      const TensorView inputs[] = {x}, outputs[] = {y};
      for (int call = 0; call < 500; ++call) {
        session.run(inputs, outputs);
        if (values_of(y)[0] != static_cast<float>(2 * id)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SessionOptionsTest, ShareInitializersBetweenSessions) {
  Graph graph;
  const int64_t shape[] = {4, 4};
  const Value x = graph.input(float32, shape, "x");
  const Tensor w = Tensor::empty(shape, float32);
  std::fill_n(static_cast<float*>(w.data()), 16, 1.0f);
  graph.output(graph.node("Add", std::vector{x, graph.constant(w)})[0], float32, shape, "y");
  const std::string model = graph.to_onnx();
  const Tensor shared = Tensor::empty(shape, float32);
  std::fill_n(static_cast<float*>(shared.data()), 16, 5.0f);
  const SessionOptions options{.initializers = {{"v1", shared}}};
  for (const Session& session :
       {Session::from_bytes(bytes_of(model), options), Session::from_bytes(bytes_of(model), options)}) {
    const Datum inputs[] = {w};
    EXPECT_EQ(values_of(std::get<Tensor>(session.run(inputs, kFirst)[0])), std::vector<float>(16, 6));
  }
}

/// What `work` gives in a forked child that has 20 seconds: 0 for true, 1 for false, 2 for an Error.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    try {
      _exit(work() ? 0 : 1);
    } catch (const Error&) {
      _exit(2);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(SessionForks, RefuseTheParentsSessionAndTakeNewOnes) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer cannot follow threads that are made after a fork";
#endif
  const int64_t shape[] = {256, 256};
  Graph graph;
  const Value x = graph.input(float32, shape);
  graph.output(graph.node("MatMul", std::vector{x, x})[0], float32, shape);
  const Session session = Session::from_graph(graph);
  const Tensor ones = Tensor::empty(shape, float32);
  std::fill_n(static_cast<float*>(ones.data()), ones.numel(), 1.0f);
  const Datum inputs[] = {ones};
  const auto right = [&](const Session& it) {
    return values_of(std::get<Tensor>(it.run(inputs, kFirst)[0])) == std::vector<float>(256 * 256, 256);
  };
  ASSERT_TRUE(right(session));
  EXPECT_EQ(in_child([&] { return right(session); }), 2);
  EXPECT_EQ(in_child([&] { return right(Session::from_graph(graph)); }), 0);
  EXPECT_TRUE(right(session)) << "the parent afterwards";
}

}  // namespace
}  // namespace dlport::ort
