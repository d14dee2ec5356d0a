// Owns the guess at what a misspelt name was meant to be.
#include "core/base/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace kinloop {
namespace {

constexpr std::size_t kLongestCompared = 48;
constexpr std::size_t kLongestQuoted = 60;
constexpr std::size_t kMaxCompared = 256;  // bounds the time a file full of wrong names can take

std::size_t edit_cost(char a, char b) {
  if (a == b) return 0;
  // A wrong case counts as half an edit, so costs are in half edits.
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) == lower(b) ? 1 : 2;
}

// Optimal string alignment distance in half edits: insert, delete, replace, swap neighbours.
// Precondition: both are at most kLongestCompared long.
std::size_t distance_in_half_edits(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongestCompared + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + edit_cost(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 2);
    }
  }
  return row[b.size()];
}

// Who writes another number of as many digits means it: "rod3" is no slip for "rod0".
bool is_another_number(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return x == y || (is_digit(x) && is_digit(y)); });
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kLongestCompared) return {};
  std::string_view best;
  // One edit for short names, one more for every three further letters.
  std::size_t best_distance = 2 * std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates.first(std::min(candidates.size(), kMaxCompared))) {
    if (candidate.empty() || candidate.size() > kLongestCompared) continue;
    const std::size_t distance = distance_in_half_edits(name, candidate);
    // Replacing every letter is no misspelling: "x" is not a slip for "m".
    const bool is_near = distance < best_distance && distance < 2 * std::max(name.size(), candidate.size());
    if (is_near && !is_another_number(name, candidate)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string{} : "; did you mean " + in_quotes(nearest) + "?";
}

std::string quoted_list(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += ", ";
    list += in_quotes(name);
  }
  return list;
}

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // Cut between characters of UTF-8 only: a continuation byte belongs to what is already shown.
    if (shown.size() > kLongestQuoted && (byte & 0xC0U) != 0x80U) {
      shown += "...";
      break;
    }
    shown += byte < 0x20U || byte == 0x7FU ? ' ' : c;
  }
  return shown + "'";
}

}  // namespace kinloop
