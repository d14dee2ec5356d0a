// Key files are short texts; what is no key is said at once, not by a server that stays silent.
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero
#include <zmq.h>
#include <kinloop/client/keys.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#include "src/text.hpp"

namespace kinloop::client {
namespace {

constexpr std::size_t kKeyCharacters = 40;
constexpr std::size_t kMaxKeyBytes = 64UL << 10;

Error no_key(const std::string& where, const char* field) {
  return {ErrorKind::kUsage, where + ": " + field + " is no key: 40 characters of Z85 are", v1::ERROR_CODE_UNSPECIFIED,
          field};
}

std::string_view without_quotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool is_key(std::string_view text) noexcept {
  if (text.size() != kKeyCharacters || text.find('\0') != std::string_view::npos) return false;
  std::array<char, kKeyCharacters + 1> ended{};
  std::copy(text.begin(), text.end(), ended.begin());
  std::array<std::uint8_t, 32> bytes{};
  const bool is_decoded = zmq_z85_decode(bytes.data(), ended.data()) != nullptr;
  ::explicit_bzero(ended.data(), ended.size());
  ::explicit_bzero(bytes.data(), bytes.size());
  return is_decoded;
}

std::vector<KeyLine> key_lines(std::string_view text) {
  std::vector<KeyLine> lines;
  std::size_t number = 0;
  for_each_line(text, [&](std::string_view line) {
    ++number;
    if (line.empty() || line.starts_with('#')) return;
    const std::size_t colon = line.find(':');  // the first: keys may hold more of them
    if (colon == std::string_view::npos) return lines.push_back({number, {}, {}});
    lines.push_back({number, without_blanks(line.substr(0, colon)), without_blanks(line.substr(colon + 1))});
  });
  return lines;
}

Result<KeyFile> parse_key_text(std::string_view text, const std::string& where) {
  KeyFile file;
  for (const auto& [number, field, plain] : key_lines(text)) {
    const std::string value(without_quotes(plain));
    if (field == "public_key") file.public_key = value;
    if (field == "secret_key") file.secret_key = value;
    if (field == "name") file.name = value;
    if (field == "role") file.role = value;
  }
  if (!file.public_key.empty() && !is_key(file.public_key)) return no_key(where, "public_key");
  if (!file.secret_key.empty() && !is_key(file.secret_key)) return no_key(where, "secret_key");
  if (file.public_key.empty() && file.secret_key.empty()) {
    return Error{ErrorKind::kUsage, where + ": has neither a line \"public_key: ...\" nor \"secret_key: ...\""};
  }
  if (file.public_key.empty()) {
    std::array<char, kKeyCharacters + 1> derived{};
    if (zmq_curve_public(derived.data(), file.secret_key.c_str()) != 0) return no_key(where, "secret_key");
    file.public_key = derived.data();
  }
  return file;
}

Result<KeyFile> read_key_file(const std::filesystem::path& file) {
  const Result<std::string> text = read_small_file(file, kMaxKeyBytes);
  if (!text) return text.error();
  return parse_key_text(*text, file.string());
}

Result<Keys> read_keys(const std::filesystem::path& client_secret_file, const std::filesystem::path& server_file) {
  const Result<KeyFile> own = read_key_file(client_secret_file);
  if (!own) return own.error();
  if (own->secret_key.empty()) {
    return Error{ErrorKind::kUsage, client_secret_file.string() + ": has no secret key: name the secret file"};
  }
  const Result<KeyFile> server = read_key_file(server_file);
  if (!server) return server.error();
  return Keys{server->public_key, own->public_key, own->secret_key};
}

Result<Keys> checked_keys(Keys keys) {
  if (!keys.server_key.empty() && !is_key(keys.server_key)) return no_key("keys", "server_key");
  if (!keys.public_key.empty() && !is_key(keys.public_key)) return no_key("keys", "public_key");
  if (!keys.secret_key.empty() && !is_key(keys.secret_key)) return no_key("keys", "secret_key");
  if (keys.public_key.empty() != keys.secret_key.empty()) {
    return Error{ErrorKind::kUsage, "keys: a public and a secret key belong together; one of them is missing"};
  }
  if (!keys.public_key.empty() && keys.server_key.empty()) {
    return Error{ErrorKind::kUsage, "keys: the server's public key is missing"};
  }
  return keys;
}

}  // namespace kinloop::client
