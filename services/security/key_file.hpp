// Owns the two files of a CURVE key pair: one "field: value" a line, lines that start with '#' are remarks.
//
//   alice.secret   name, public_key, secret_key          stays with its owner
//   alice.public   name, role, public_key                lies in the plant's folder of allowed keys
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "services/security/role.hpp"

namespace kinloop::security {

/// Characters of a key in Z85 (ZeroMQ RFC 32), which stands for 32 bytes.
inline constexpr std::size_t kKeyLength = 40;

/// Holds a secret key, wipes it at its end, and has no way to be printed by mistake.
class SecretKey {
 public:
  /// Precondition: kKeyLength characters.
  explicit SecretKey(std::string_view z85) noexcept;
  SecretKey(const SecretKey&) noexcept = default;
  SecretKey& operator=(const SecretKey&) noexcept = default;
  ~SecretKey();

  /// For ZMQ_CURVE_SECRETKEY alone; ends with '\0'.
  const char* z85() const noexcept { return text_.data(); }

 private:
  std::array<char, kKeyLength + 1> text_{};
};

struct PublicKey {
  std::string name;
  std::optional<Role> role;                                // of a client; none: the key of a plant
  std::string key;                                         // Z85
  std::size_t name_line = 0, role_line = 0, key_line = 0;  // of the file, for complaints; 0: made, not read
};

struct KeyPair {
  std::string name;
  std::string public_key;  // Z85
  SecretKey secret_key;
};

/// What may be shown of a public key: its first characters.
std::string shortened(std::string_view public_key);

/// Every error is "file:line: field: what", and tells nothing of a key.
Result<PublicKey, std::vector<Error>> parse_public_key(std::string_view text, const std::string& file_name);
/// Also checks that the two keys belong together.
Result<KeyPair, std::vector<Error>> parse_key_pair(std::string_view text, const std::string& file_name);

/// The contents of the files, remarks for people included.
std::string public_key_text(const PublicKey& key);
std::string key_pair_text(const KeyPair& pair);

/// Refuses files that every user may write; a group may.
Result<PublicKey, std::vector<Error>> read_public_key(const std::filesystem::path& path);
/// Refuses files that others than the owner may read or write.
Result<KeyPair, std::vector<Error>> read_key_pair(const std::filesystem::path& path);

}  // namespace kinloop::security
