// Owns the checksum of MCAP files: CRC-32 as in zip and PNG (polynomial 0xEDB88320, reflected).
#pragma once

#include <cstdint>
#include <string_view>

namespace kinloop::record {

/// Of `bytes`, which follow bytes whose checksum is `before`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) noexcept;

}  // namespace kinloop::record
