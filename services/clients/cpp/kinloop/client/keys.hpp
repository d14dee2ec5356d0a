// Owns the keys of a client that talks over CURVE, and the reading of key files.
#pragma once

#include <kinloop/client/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace kinloop::client {

/// Z85 text, 40 characters each. Without a server key nothing is encrypted; without a client's own pair one is made for
/// the connection, which only servers accept that let in everybody.
struct Keys {
  std::string server_key;
  std::string public_key;
  std::string secret_key;

  bool wants_curve() const noexcept { return !server_key.empty(); }
};

/// What a key file says; fields that it does not have are empty.
struct KeyFile {
  std::string name;
  std::string role;
  std::string public_key;
  std::string secret_key;
};

/// Lines "field: value"; blank lines, comments (#) and fields of other names are passed over. `where` is for messages.
Result<KeyFile> parse_key_text(std::string_view text, const std::string& where);
Result<KeyFile> read_key_file(const std::filesystem::path& file);

/// Keys from the client's secret file and the server's public file.
Result<Keys> read_keys(const std::filesystem::path& client_secret_file, const std::filesystem::path& server_file);

/// Whether every key that is given is one.
Result<Keys> checked_keys(Keys keys);

}  // namespace kinloop::client
