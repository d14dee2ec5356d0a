// Owns a second CRC-32, straight from its definition: polynomial division, one bit at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace kinloop::record {

inline std::uint32_t bitwise_crc32(std::string_view bytes) {
  std::uint32_t rest = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool in = ((static_cast<unsigned char>(byte) >> bit) & 1U) != 0;
      const bool out = (rest & 1U) != 0;
      rest >>= 1U;
      if (in != out) rest ^= 0xEDB88320U;
    }
  }
  return ~rest;
}

}  // namespace kinloop::record
