// Names of roles, names of keys, and both in one text.
#include "services/security/role.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kinloop::security {
namespace {

constexpr std::array<std::string_view, 3> kRoleNames{"observer", "operator", "admin"};
constexpr std::size_t kLongestName = 64;

/// Of ASCII, whatever the locale.
bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string_view name_of(Role role) noexcept { return kRoleNames[static_cast<std::size_t>(role)]; }

std::optional<Role> find_role(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

bool is_key_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kLongestName || !is_letter_or_digit(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter_or_digit(c) || c == '_' || c == '.' || c == '-'; });
}

std::string user_id(const Caller& caller) { return std::string(name_of(caller.role)) + ":" + caller.name; }

std::optional<Caller> parse_user_id(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<Role> role = find_role(text.substr(0, colon));
  const std::string_view name = text.substr(colon + 1);
  if (!role || !is_key_name(name)) return std::nullopt;
  return Caller{*role, std::string(name)};
}

}  // namespace kinloop::security
