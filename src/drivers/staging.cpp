#include "drivers/staging.hpp"

#include <algorithm>
#include <string>

#include "dlport/error.hpp"

namespace dlport::drivers {
namespace {

constexpr uint64_t kChunk = 16 << 20;

char* host_address(const TensorView& view, uint64_t offset) noexcept {
  return static_cast<char*>(view.dltensor().data) + offset;
}

dlport_region region(const TensorView& view, uint64_t offset) noexcept {
  return {view.device(), view.dltensor().data, offset};
}

/// Host memory to pass the bytes of a device through: pinned where the device's driver offers it, which is what its
/// copy engines need to go at full speed.
Tensor staging_memory(Device device, uint64_t size) {
  const int64_t shape[] = {static_cast<int64_t>(size)};
  const Device pinned{device.type() == kDLCUDA ? kDLCUDAHost : kDLROCMHost, 0};
  const bool has_pinned = (device.type() == kDLCUDA || device.type() == kDLROCM) && find_driver(pinned);
  return has_pinned ? empty(shape, uint8, pinned) : Tensor::empty(shape, uint8);
}

}  // namespace

bool data_is_handle(Device device) noexcept {
  return device.type() == kDLOpenCL || device.type() == kDLVulkan || device.type() == kDLMetal ||
         device.type() == kDLWebGPU;
}

Block block_of(const TensorView& view) {
  const uint64_t start = view.dltensor().byte_offset;
  if (view.is_contiguous()) return {start, static_cast<uint64_t>(view.nbytes())};
  const Extent touched = extent(view.shape(), view.strides()).value();  // validated when the tensor was made
  const int64_t pitch = view.pitch_bits();
  if (touched.low * pitch % 8 != 0) {
    throw Error(ErrorCode::unsupported, "elements of " + to_string(view.dtype()) + " with strides " +
                                            to_string(view.strides()) +
                                            " do not begin at a byte: copy them on their device");
  }
  const int64_t below = -touched.low * pitch / 8;
  const int64_t above = ((touched.high + 1) * pitch + 7) / 8;
  return {start - static_cast<uint64_t>(below), static_cast<uint64_t>(below + above)};
}

Tensor fetch(const TensorView& view) {
  const Block block = block_of(view);
  const Tensor bytes = staging_memory(view.device(), block.size);
  const dlport_driver& driver = driver_for(view.device());
  check(driver, driver.read(bytes.data(), region(view, block.offset), block.size, nullptr));
  DLTensor described = view.dltensor();
  described.data = bytes.data();
  described.device = cpu;
  described.byte_offset = view.dltensor().byte_offset - block.offset;
  return Tensor::from_dltensor(
      described, new Tensor(bytes), [](void* held) { delete static_cast<Tensor*>(held); },
      view.flags() & ~DLPACK_FLAG_BITMASK_READ_ONLY);
}

void put_back(const TensorView& view, const Tensor& fetched) {
  const Block block = block_of(view);
  const dlport_driver& driver = driver_for(view.device());
  check(driver, driver.write(region(view, block.offset), fetched.dltensor().data, block.size, nullptr));
}

Transfer::Transfer(const TensorView& dst, const TensorView& src, const Stream* stream)
    : dst_(dst),
      src_(src),
      dst_driver_(dst.device().is_host() ? nullptr : &driver_for(dst.device())),
      src_driver_(src.device().is_host() ? nullptr : &driver_for(src.device())),
      stream_(stream),
      handle_(stream ? stream->handle() : nullptr) {
  const dlport_driver* working = dst_driver_ ? dst_driver_ : src_driver_;
  const Device at = dst_driver_ ? dst.device() : src.device();
  if (stream && !(stream->device() == at)) {
    throw Error(ErrorCode::invalid_argument,
                "the stream is " + to_string(stream->device()) + "'s, and the copy is " + to_string(at) + "'s work");
  }
  order(dst, dst_driver_ == working);
  order(src, src_driver_ == working);
}

/// What is done on other streams comes first: by an event where the work is done on ours, else by waiting.
void Transfer::order(const TensorView& side, bool works_on_stream) const {
  if (stream_ && works_on_stream) {
    record_stream(side, *stream_);
  } else {
    make_ready(side);
  }
}

void Transfer::block() const {
  const Block to = block_of(dst_), from = block_of(src_);
  if (!src_driver_) {
    return check(*dst_driver_,
                 dst_driver_->write(region(dst_, to.offset), host_address(src_, from.offset), to.size, handle_));
  }
  if (!dst_driver_) {
    return check(*src_driver_,
                 src_driver_->read(host_address(dst_, to.offset), region(src_, from.offset), to.size, handle_));
  }
  if (dst_driver_ == src_driver_) {
    const dlport_status status =
        dst_driver_->copy(region(dst_, to.offset), region(src_, from.offset), to.size, handle_);
    if (status != DLPORT_UNSUPPORTED) return check(*dst_driver_, status);
  }
  settle();
  in_chunks(to, from);
}

void Transfer::in_chunks(const Block& to, const Block& from) const {
  const Tensor chunk = staging_memory(src_.device(), std::min(to.size, kChunk));
  for (uint64_t done = 0; done < to.size; done += kChunk) {
    const uint64_t size = std::min(kChunk, to.size - done);
    check(*src_driver_, src_driver_->read(chunk.data(), region(src_, from.offset + done), size, nullptr));
    check(*dst_driver_, dst_driver_->write(region(dst_, to.offset + done), chunk.data(), size, nullptr));
  }
}

bool Transfer::copies_rows() const noexcept {
  const dlport_driver* driver = dst_driver_ ? dst_driver_ : src_driver_;
  const bool one_device = !dst_driver_ || !src_driver_ || dst_.device() == src_.device();
  return one_device && DLPORT_DRIVER_HAS(driver, copy_rows);
}

void Transfer::rows(uint64_t dst_offset, uint64_t dst_pitch, uint64_t src_offset, uint64_t src_pitch, uint64_t row_size,
                    uint64_t count) const {
  const dlport_driver* driver = dst_driver_ ? dst_driver_ : src_driver_;
  dlport_region to = region(dst_, dst_offset), from = region(src_, src_offset);
  if (!dst_driver_) to.device = cpu;  // pinned memory is the host's all the same
  if (!src_driver_) from.device = cpu;
  check(*driver, driver->copy_rows(to, dst_pitch, from, src_pitch, row_size, count, handle_));
}

void Transfer::settle() const {
  if (stream_) stream_->synchronise();
}

}  // namespace dlport::drivers
