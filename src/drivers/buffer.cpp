#include "drivers/buffer.hpp"

#include <map>
#include <mutex>
#include <string>

#include "dlport/error.hpp"

namespace dlport {
namespace {

using StreamState = std::shared_ptr<Stream::State>;

/// One block of device memory.
struct Buffer {
  Device device;
  const dlport_driver* driver;
  void* data;
  StreamState stream;  // that used it last; guarded by the index's mutex
};

/// The buffers on devices with streams, by handle: how a view finds the buffer that it is in.
struct Index {
  std::mutex mutex;
  std::map<void*, Buffer*> buffers;
};

Index& index() {
  static auto* instance = new Index;  // for ever: tensors are freed during shutdown
  return *instance;
}

/// The last reference is gone. The device may be gone too by now; there is nobody left to tell.
void release(void* context) {
  const std::unique_ptr<Buffer> buffer(static_cast<Buffer*>(context));
  if (!(buffer->device == cpu)) {
    const std::lock_guard lock(index().mutex);
    index().buffers.erase(buffer->data);
  }
  buffer->driver->free(buffer->device, buffer->data, buffer->stream ? buffer->stream->handle : nullptr);
}

/// Makes what `later` is given from now on wait for what `stream` has been given so far.
void follow(const Stream::State& stream, dlport_stream later) {
  const dlport_driver& driver = *stream.driver;
  Event reached(stream.device);
  check(driver, driver.event_record(stream.device, reached.handle(), stream.handle));
  check(driver, driver.stream_wait(stream.device, later, reached.handle()));
}

/// Bytes of a row-major tensor. Throws Error{invalid_argument} where they do not fit 63 bits.
uint64_t bytes_of(Shape shape, DType dtype, uint64_t flags) {
  if (!is_valid(dtype))
    throw Error(ErrorCode::invalid_argument, "dtype " + to_string(dtype) + " is not one of DLPack's");
  const int64_t pitch = TensorView({nullptr, cpu, 0, dtype, nullptr, nullptr, 0}, flags).pitch_bits();
  const auto count = checked_numel(shape);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, pitch, &bits) || bits > INT64_MAX - 7) {
    throw Error(ErrorCode::invalid_argument, "shape " + to_string(shape) + " of " + to_string(dtype) +
                                                 " has a negative dimension or more bytes than memory can address");
  }
  return static_cast<uint64_t>((bits + 7) / 8);
}

}  // namespace

Stream::State::State(Device on) : device(physical(on)), driver(&driver_for(device)), handle(nullptr) {
  check(*driver, driver->stream_create(device, &handle));
}

Stream::State::~State() {
  driver->stream_destroy(device, handle);
}

Stream::Stream(Device device) : state_(std::make_shared<State>(device)) {}

Device Stream::device() const noexcept {
  return state_->device;
}

dlport_stream Stream::handle() const noexcept {
  return state_->handle;
}

void Stream::synchronise() const {
  check(*state_->driver, state_->driver->stream_synchronise(state_->device, state_->handle));
}

Event::Event(Device device) : device_(physical(device)), driver_(&driver_for(device_)) {
  check(*driver_, driver_->event_create(device_, &handle_));
}

Event::~Event() {
  driver_->event_destroy(device_, handle_);
}

void Event::record(const Stream& stream) {
  check(*driver_, driver_->event_record(device_, handle_, stream.handle()));
}

void Event::wait(const Stream& stream) const {
  check(*driver_, driver_->stream_wait(stream.device(), stream.handle(), handle_));
}

void Event::synchronise() const {
  check(*driver_, driver_->event_synchronise(device_, handle_));
}

double Event::seconds_since(const Event& start) const {
  double seconds = 0;
  check(*driver_, driver_->event_elapsed(device_, start.handle_, handle_, &seconds));
  return seconds;
}

Tensor empty(Shape shape, DType dtype, Device device, const Stream* stream, uint64_t flags) {
  const Device where = physical(device);
  const dlport_driver& driver = driver_for(where);
  const uint64_t size = bytes_of(shape, dtype, flags);
  auto buffer = std::make_unique<Buffer>(Buffer{where, &driver, nullptr, stream ? stream->state() : nullptr});
  check(driver, driver.allocate(where, size, 0, stream ? stream->handle() : nullptr, &buffer->data));
  if (!(where == cpu) && buffer->data) {
    const std::lock_guard lock(index().mutex);
    index().buffers.insert_or_assign(buffer->data, buffer.get());
  }
  void* data = buffer->data;
  Tensor tensor = Tensor::from_blob(data, shape, {}, dtype, where, buffer.release(), release, flags);
  return device == where ? tensor : tensor.on(device);
}

void record_stream(const TensorView& tensor, const Stream& stream) {
  if (tensor.device() == cpu) return;  // done before it was given
  const std::lock_guard lock(index().mutex);
  const auto found = index().buffers.find(tensor.dltensor().data);
  if (found == index().buffers.end()) return;
  StreamState& last = found->second->stream;
  if (last && last != stream.state()) {
    follow(*last, stream.handle());  // it is freed behind one stream only
  }
  last = stream.state();
}

std::shared_ptr<Stream::State> drivers::last_stream(const TensorView& tensor) {
  if (tensor.device() == cpu) return nullptr;
  const std::lock_guard lock(index().mutex);
  const auto found = index().buffers.find(tensor.dltensor().data);
  return found == index().buffers.end() ? nullptr : found->second->stream;
}

void make_ready(const TensorView& tensor, dlport_stream consumer) {
  const auto last = drivers::last_stream(tensor);
  if (!last || last->handle == consumer) return;
  if (consumer) return follow(*last, consumer);
  check(*last->driver, last->driver->stream_synchronise(last->device, last->handle));
}

}  // namespace dlport
