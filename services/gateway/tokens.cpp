// Reads lines of role, name and token.
#include "services/gateway/tokens.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "services/security/guarded_file.hpp"

namespace kinloop::gateway {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Only what a WebSocket's list of protocols can carry.
bool is_token(std::string_view text) {
  return text.size() >= Tokens::kLeastLength && text.find_first_not_of(kLetters) == std::string_view::npos;
}

/// Takes as long for a near miss as for any other.
bool is_same(std::string_view one, std::string_view other) {
  if (other.empty()) return one.empty();
  unsigned difference = one.size() == other.size() ? 0U : 1U;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference |= static_cast<unsigned>(one[i]) ^ static_cast<unsigned>(other[i % other.size()]);
  }
  return difference == 0;
}

}  // namespace

Result<Tokens> Tokens::parse(std::string_view text, const std::string& file_name) {
  Tokens tokens;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string place = file_name + ":" + std::to_string(++number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string role_name;
    std::string name;
    std::string token;
    std::string more;
    if (!(words >> role_name)) continue;
    const auto role = security::find_role(role_name);
    if (!role) return Error{place, "the first word is a role: observer, operator or admin"};
    if (!(words >> name) || !security::is_key_name(name)) {
      return Error{place, "the second word is a name: letters, digits, '_', '.' or '-'"};
    }
    if (!(words >> token) || !is_token(token)) {
      return Error{place, "the third word is a token: at least " + std::to_string(kLeastLength) +
                              " letters, digits, '-' or '_'; kinloop keygen --panel makes one"};
    }
    if (words >> more) return Error{place, "three words a line: role, name, token"};
    tokens.all_.push_back({{*role, name}, token});
  }
  if (tokens.all_.empty()) return Error{file_name, "holds no token: nobody could connect"};
  return tokens;
}

Result<Tokens> Tokens::read(const std::filesystem::path& path) {
  const Result<std::string> text = security::read_guarded_file(path, security::Guard::kSecret);
  if (!text) return text.error();
  return parse(*text, path.string());
}

std::optional<security::Caller> Tokens::find(std::string_view token) const {
  std::optional<security::Caller> found;
  for (const Token& one : all_) {
    if (is_same(one.text, token)) found = one.caller;
  }
  return found;
}

std::optional<std::string> make_token() {
  std::array<unsigned char, 43> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  std::string token;
  for (const unsigned char byte : bytes) token += kLetters[byte % kLetters.size()];
  return token;
}

}  // namespace kinloop::gateway
