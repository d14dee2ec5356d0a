// Owns ByteBuffer: bytes of MCAP records as they are put together, little-endian, in memory that is used again.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "core/base/require.hpp"
#include "services/record/mcap_records.hpp"

namespace kinloop::record {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

class ByteBuffer {
 public:
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  /// Keeps the memory.
  void clear() noexcept { bytes_.clear(); }
  std::size_t size() const noexcept { return bytes_.size(); }
  bool empty() const noexcept { return bytes_.empty(); }
  std::string_view view() const noexcept { return {bytes_.data(), bytes_.size()}; }

  /// So many more bytes, zero, to be filled in place before anything else is put.
  char* grow(std::size_t bytes) {
    bytes_.resize(bytes_.size() + bytes);
    return bytes_.data() + bytes_.size() - bytes;
  }
  /// Gives back what was put after the first `bytes`.
  void shrink(std::size_t bytes) noexcept { bytes_.resize(bytes); }
  void put_bytes(std::string_view bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  template <std::unsigned_integral T>
  void put(T value) {
    std::memcpy(grow(sizeof value), &value, sizeof value);
  }
  void put_opcode(McapOpcode opcode) { put(static_cast<std::uint8_t>(opcode)); }
  /// Its length (u32), then the text.
  void put_text(std::string_view text) {
    put(short_size(text.size()));
    put_bytes(text);
  }
  void put_map(const McapMap& map) {
    const std::size_t length = size();
    put(std::uint32_t{0});
    for (const auto& [key, value] : map) {
      put_text(key);
      put_text(value);
    }
    set(length, short_size(size() - length - sizeof(std::uint32_t)));
  }

  /// Over what stands at `offset`.
  template <std::unsigned_integral T>
  void set(std::size_t offset, T value) noexcept {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }

  /// Opens a record; give what is returned to end_record().
  std::size_t begin_record(McapOpcode opcode) {
    put_opcode(opcode);
    put(std::uint64_t{0});
    return size();
  }
  void end_record(std::size_t begin) noexcept {
    set(begin - sizeof(std::uint64_t), static_cast<std::uint64_t>(size() - begin));
  }

 private:
  static std::uint32_t short_size(std::size_t bytes) noexcept {
    require(bytes <= std::numeric_limits<std::uint32_t>::max(), "texts and maps are below 4 GiB");
    return static_cast<std::uint32_t>(bytes);
  }

  std::vector<char> bytes_;
};

}  // namespace kinloop::record
