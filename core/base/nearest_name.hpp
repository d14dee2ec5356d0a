// Owns the guess at what a misspelt name was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kinloop {

/// The candidate that is few enough edits away from `name` to be what was meant; empty if none is.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// "; did you mean 'mass'?" or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// The names quoted and separated by commas: "'a', 'b'".
std::string quoted_list(std::span<const std::string_view> names);

/// `text` in single quotes, made printable and short enough for one line of an error message.
std::string in_quotes(std::string_view text);

}  // namespace kinloop
