// Moving bytes between two tensors' memory, and through host memory where devices do not reach each other.
#pragma once

#include <cstdint>

#include "dlport/driver.hpp"

namespace dlport::drivers {

/// True where DLTensor.data is the handle of a buffer on devices of this type.
bool data_is_handle(Device device) noexcept;

/// The bytes that a tensor's elements lie within, gaps included, from the start of DLTensor.data.
struct Block {
  uint64_t offset, size;
};

/// Throws Error{unsupported} for packed sub-byte elements that do not begin at a byte.
Block block_of(const TensorView& view);

/// `view`'s block in host memory, as a tensor of the same strides. Waits for it. Pinned memory where the device has it.
Tensor fetch(const TensorView& view);

/// Writes all of a block that fetch() gave back to `view`. Waits for it.
void put_back(const TensorView& view, const Tensor& fetched);

/// The way from one tensor's memory to another's, at least one of them not the host's.
class Transfer {
 public:
  /// Orders `stream` (null: the calls themselves) behind the streams that used the two last, and notes it on them.
  Transfer(const TensorView& dst, const TensorView& src, const Stream* stream);

  /// Moves all bytes of one block to the other's place: directly, between peers, or in chunks through host memory.
  void block() const;

  /// Whether the driver copies rows between the two by itself.
  bool copies_rows() const noexcept;
  /// Offsets from the starts of the two DLTensor.data, in bytes.
  void rows(uint64_t dst_offset, uint64_t dst_pitch, uint64_t src_offset, uint64_t src_pitch, uint64_t row_size,
            uint64_t count) const;

  /// Waits for what the stream has been given.
  void settle() const;

 private:
  void order(const TensorView& side, bool works_on_stream) const;
  void in_chunks(const Block& to, const Block& from) const;

  TensorView dst_, src_;
  const dlport_driver* dst_driver_;  // null for host memory
  const dlport_driver* src_driver_;
  const Stream* stream_;
  dlport_stream handle_;
};

}  // namespace dlport::drivers
