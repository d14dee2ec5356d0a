// Owns the tokens by which people are known to the gateway: one "role name token" a line, '#' begins a remark.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "services/security/role.hpp"

namespace kinloop::gateway {

class Tokens {
 public:
  static constexpr std::size_t kLeastLength = 24;

  /// Nobody is asked for one.
  Tokens() = default;
  /// Errors name file and line, and tell nothing of a token.
  static Result<Tokens> parse(std::string_view text, const std::string& file_name);
  /// Refuses files that others than the owner may read or write.
  static Result<Tokens> read(const std::filesystem::path& path);

  bool are_asked_for() const noexcept { return !all_.empty(); }
  /// Takes as long for a wrong one as for a right one.
  std::optional<security::Caller> find(std::string_view token) const;

 private:
  struct Token {
    security::Caller caller;
    std::string text;
  };
  std::vector<Token> all_;
};

/// 43 characters that nobody guesses; nothing where the system gives no randomness.
std::optional<std::string> make_token();

}  // namespace kinloop::gateway
