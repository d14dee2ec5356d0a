// Owns Diagnostics: every error found in one file, in file order.
#include "services/base/diagnostics.hpp"

#include <algorithm>
#include <utility>

namespace kinloop {
namespace {

// A hostile file may hold a million errors; beyond this number they are only counted.
constexpr std::size_t kKeptErrors = 1000;

}  // namespace

Diagnostics::Diagnostics(std::string file_name, FormerKeys former_keys)
    : file_name_(std::move(file_name)), former_keys_(former_keys) {}

bool Diagnostics::is_full() const noexcept { return entries_.size() >= kKeptErrors; }

void Diagnostics::add(SourcePosition position, const std::string& field, std::string what, const std::string& round) {
  ++count_;
  if (is_full()) return;
  if (!round.empty() && !said_in_rounds_.emplace(position, what).second) {
    ++not_shown_;
    return;
  }
  std::string where = file_name_;
  if (position.line > 0) where += ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
  if (!field.empty()) where += ": " + field;
  if (!round.empty()) where += " (" + round + ")";
  entries_.push_back({position, Error{std::move(where), std::move(what)}});
}

void Diagnostics::add_consequence() noexcept {
  ++count_;
  ++not_shown_;
}

std::vector<Error> Diagnostics::errors() const {
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return a->position < b->position; });

  std::vector<Error> shown;
  for (const Entry* entry : order) {
    if (shown.size() == kShownErrors) break;
    shown.push_back(entry->error);
  }
  const std::size_t hidden = count_ - not_shown_ - shown.size();
  if (hidden > 0) {
    shown.push_back({file_name_, "and " + std::to_string(hidden) + (hidden == 1 ? " more error" : " more errors")});
  }
  return shown;
}

std::string to_line(const Error& error) { return error.where.empty() ? error.what : error.where + ": " + error.what; }

}  // namespace kinloop
