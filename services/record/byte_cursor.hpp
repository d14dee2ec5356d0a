// Owns ByteCursor: reads MCAP values from bytes that may be anything; past the end all is zero and noted.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string_view>

#include "services/record/mcap_records.hpp"

namespace kinloop::record {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) noexcept : bytes_(bytes), rest_(bytes) {}

  /// Whether all that was taken was there.
  bool is_good() const noexcept { return is_good_; }
  std::string_view rest() const noexcept { return rest_; }
  std::size_t position() const noexcept { return bytes_.size() - rest_.size(); }

  template <std::unsigned_integral T>
  T take() noexcept {
    T value = 0;
    const std::string_view bytes = take_bytes(sizeof value);
    if (is_good_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view take_bytes(std::uint64_t count) noexcept {
    if (count > rest_.size()) {
      is_good_ = false;
      rest_ = rest_.substr(rest_.size());
      return rest_;
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Its length (u32), then the text.
  std::string_view take_text() noexcept { return take_bytes(take<std::uint32_t>()); }
  McapMap take_map() {
    ByteCursor entries(take_text());
    McapMap map;
    while (entries.is_good() && !entries.rest().empty()) {
      const std::string_view key = entries.take_text();
      const std::string_view value = entries.take_text();
      if (entries.is_good()) map[std::string(key)] = std::string(value);
    }
    is_good_ = is_good_ && entries.is_good();
    return map;
  }

 private:
  std::string_view bytes_;
  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace kinloop::record
