// Owns the roles of clients and the text that says who somebody is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinloop::security {

/// Each may do what the ones before it may.
enum class Role { kObserver, kOperator, kAdmin };

/// "observer", "operator", "admin".
std::string_view name_of(Role role) noexcept;
std::optional<Role> find_role(std::string_view name) noexcept;

/// Of a key and its files: 1 to 64 of A-Z a-z 0-9 _ . -, the first a letter or a digit.
bool is_key_name(std::string_view name) noexcept;

/// Who a message is from.
struct Caller {
  Role role = Role::kObserver;
  std::string name;  // of the key; empty without one

  friend bool operator==(const Caller&, const Caller&) = default;
};

/// "operator:alice": how a caller is written into the metadata of all messages of a connection.
std::string user_id(const Caller& caller);
/// Nothing where the text is no such id.
std::optional<Caller> parse_user_id(std::string_view text);

}  // namespace kinloop::security
