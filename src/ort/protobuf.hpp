// Protocol Buffers' wire format, written and read: fields of numbers, bytes and nested messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dlport::ort {

class Message {
 public:
  Message& integer(int field, int64_t value) {
    tag(field, 0);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& real(int field, float value) {
    tag(field, 5);
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
    return *this;
  }
  Message& text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }

  const std::string& bytes() const noexcept { return bytes_; }

 private:
  void tag(int field, int wire_type) { varint(static_cast<uint64_t>(field << 3 | wire_type)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// One field of a message. Bytes, texts and nested messages are `bytes`; whole numbers are `integer`.
struct Field {
  int number = 0;
  uint64_t integer = 0;
  std::string_view bytes;
};

/// The fields of a message in their order. It ends where the bytes do, or no longer are a message.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : rest_(message) {}

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    field = {static_cast<int>(tag >> 3), 0, {}};
    switch (tag & 7) {
      case 0:
        field.integer = varint();
        return sound_;
      case 1:
        return take(8).size() == 8;
      case 2: {
        const uint64_t length = varint();
        field.bytes = take(length);
        return sound_ && field.bytes.size() == length;
      }
      case 5:
        return take(4).size() == 4;
      default:
        return false;
    }
  }

  /// Packed whole numbers are a varint behind the other.
  bool next_packed(uint64_t& integer) {
    if (rest_.empty()) return false;
    integer = varint();
    return sound_;
  }

 private:
  std::string_view take(uint64_t length) {
    const std::string_view taken = rest_.substr(0, std::min<uint64_t>(length, rest_.size()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    sound_ = false;
    return value;
  }

  std::string_view rest_;
  bool sound_ = true;
};

}  // namespace dlport::ort
