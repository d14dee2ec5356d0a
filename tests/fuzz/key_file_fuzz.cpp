// Feeds any bytes to the readers of key files; what they accept must read back after it was written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/require.hpp"
#include "services/security/key_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinloop::security;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto key = parse_public_key(text, "fuzz.public")) {
    kinloop::require(is_key_name(key->name) && key->key.size() == kKeyLength, "an accepted key has a name and a key");
    const auto again = parse_public_key(public_key_text(*key), "fuzz.public");
    kinloop::require(again && again->name == key->name && again->role == key->role && again->key == key->key,
                     "a public key reads back");
  }
  if (const auto pair = parse_key_pair(text, "fuzz.secret")) {
    const auto again = parse_key_pair(key_pair_text(*pair), "fuzz.secret");
    kinloop::require(again && again->public_key == pair->public_key &&
                         std::string_view(again->secret_key.z85()) == pair->secret_key.z85(),
                     "a key pair reads back");
  }
  (void)parse_user_id(text);
  return 0;
}
