#include "cpp/drivers/support.hpp"

namespace dlport {
namespace {

using testing::counting;
using testing::expect_error;
using testing::values_of;

class Streams : public testing::OnEveryDevice {};
DLPORT_ON_EVERY_DEVICE(Streams);

const std::vector<int64_t> kShape{1 << 16};

TEST_P(Streams, WaitForEachOtherByEvents) {
  const Stream first(GetParam()), second(GetParam());
  const Tensor a = counting<float>(kShape, GetParam()), b = empty(kShape, float32, GetParam());
  const Tensor host = Tensor::empty(kShape, float32);
  Event copied(GetParam());
  copy(b, a, &first);
  copied.record(first);
  copied.wait(second);
  copy(host, b, &second);
  second.synchronise();
  EXPECT_EQ(values_of<float>(host)[65535], 65535.0f);
}

TEST_P(Streams, KeepMemoryUntilTheirWorkIsDone) {
  const Stream stream(GetParam());
  const Tensor host = Tensor::empty(kShape, float32);
  {
    const Tensor a = counting<float>(kShape, GetParam());
    copy(host, a, &stream);
  }
  stream.synchronise();
  EXPECT_EQ(values_of<float>(host)[1234], 1234.0f);
}

TEST_P(Streams, TimeTheWorkBetweenTwoEvents) {
  const Stream stream(GetParam());
  Event start(GetParam()), end(GetParam());
  const Tensor a = counting<float>(kShape, GetParam()), b = empty(kShape, float32, GetParam());
  start.record(stream);
  copy(b, a, &stream);
  end.record(stream);
  EXPECT_GE(end.seconds_since(start), 0.0);
  EXPECT_LE(start.seconds_since(end), 0.0);
}

TEST_P(Streams, RefuseToTimeAnEventThatWasNeverRecorded) {
  Event start(GetParam()), end(GetParam());
  EXPECT_THROW(end.seconds_since(start), Error);
}

TEST_P(Streams, LetAnExportBeReadyForItsConsumer) {
  const Stream producer(GetParam()), consumer(GetParam());
  const Tensor a = counting<float>(kShape, GetParam()), b = empty(kShape, float32, GetParam());
  copy(b, a, &producer);
  make_ready(b, consumer.handle());
  const Tensor host = Tensor::empty(kShape, float32);
  copy(host, b, &consumer);
  consumer.synchronise();
  EXPECT_EQ(values_of<float>(host)[99], 99.0f);
}

TEST_P(Streams, OutliveTheirHandleWhileMemoryNeedsThem) {
  Tensor a;
  {
    const Stream stream(GetParam());
    a = empty(kShape, float32, GetParam(), &stream);
    copy(a, counting<float>(kShape, cpu));
  }
  EXPECT_EQ(values_of<float>(a)[7], 7.0f);
}

}  // namespace
}  // namespace dlport
