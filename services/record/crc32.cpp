// Eight bytes at a time by eight tables: every byte of a record passes here twice.
#include "services/record/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace kinloop::record {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kStride = 8;
using Table = std::array<std::uint32_t, 256>;

/// Table k takes a byte that is followed by k others of the same stride.
constexpr std::array<Table, kStride> make_tables() {
  constexpr std::uint32_t kPolynomial = 0xEDB88320U;
  std::array<Table, kStride> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kPolynomial : 0U);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < kStride; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = tables[k - 1][byte];
      tables[k][byte] = (shorter >> 8U) ^ tables[0][shorter & 0xFFU];
    }
  }
  return tables;
}

constexpr std::array<Table, kStride> kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  while (bytes.size() >= kStride) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), kStride);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < kStride; ++k) crc ^= kTables[kStride - 1 - k][(word >> (8 * k)) & 0xFFU];
    bytes.remove_prefix(kStride);
  }
  for (const char byte : bytes) crc = (crc >> 8U) ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~crc;
}

}  // namespace kinloop::record
