// Owns the keys of a client that talks over CURVE, and the reading of key files.
#pragma once

#include <kinloop/client/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kinloop::client {

/// Z85 text, 40 characters each. Without a server key nothing is encrypted; without a client's own pair one is made for
/// the connection, which only servers accept that let in everybody.
struct Keys {
  std::string server_key;
  std::string public_key;
  std::string secret_key;

  bool wants_curve() const noexcept { return !server_key.empty(); }
};

/// 40 characters of Z85 (ZeroMQ RFC 32), which stand for 32 bytes.
bool is_key(std::string_view text) noexcept;

/// One line "field: value" of a key file.
struct KeyLine {
  std::size_t number = 0;  // from 1
  std::string_view field;  // empty: it has no colon
  std::string_view value;
};
/// Without blank lines and comments (#). The views are into `text`, so that no secret is copied.
std::vector<KeyLine> key_lines(std::string_view text);

/// What a key file says; fields that it does not have are empty.
struct KeyFile {
  std::string name;
  std::string role;
  std::string public_key;
  std::string secret_key;
};

/// Fields of other names are passed over. `where` is for messages.
Result<KeyFile> parse_key_text(std::string_view text, const std::string& where);
Result<KeyFile> read_key_file(const std::filesystem::path& file);

/// Keys from the client's secret file and the server's public file.
Result<Keys> read_keys(const std::filesystem::path& client_secret_file, const std::filesystem::path& server_file);

/// Whether every key that is given is one.
Result<Keys> checked_keys(Keys keys);

}  // namespace kinloop::client
