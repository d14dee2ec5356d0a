// Tests the checksum against its definition, bit by bit.
#include "services/record/crc32.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/services/record/bitwise_crc32.hpp"

namespace kinloop::record {
namespace {

std::string random_bytes(std::size_t count) {
  std::mt19937 random(1);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(Crc32, HasThePublishedCheckValue) { EXPECT_EQ(crc32("123456789"), 0xCBF43926U); }

TEST(Crc32, AgreesWithTheBitwiseDefinitionAtEveryLength) {
  const std::string bytes = random_bytes(100);

  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_EQ(crc32(bytes.substr(0, length)), bitwise_crc32(bytes.substr(0, length))) << length;
  }
}

TEST(Crc32, PartsGiveTheSameAsTheWhole) {
  const std::string bytes = random_bytes(50);

  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(crc32(bytes.substr(cut), crc32(bytes.substr(0, cut))), crc32(bytes)) << cut;
  }
}

}  // namespace
}  // namespace kinloop::record
