// Lets through a bounded number of equal lines a second; a second begins with its first line.
#include "services/log/repeat_limit.hpp"

#include <algorithm>

namespace kinloop::log {
namespace {

constexpr const char* kOthers = "";  // no site has this name

std::string kind_of(std::string_view site, std::string_view text) {
  std::string kind(site);
  kind += '\n';
  bool in_number = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) kind += c;
    if (is_digit && !in_number) kind += '0';
    in_number = is_digit;
  }
  return kind;
}

}  // namespace

bool RepeatLimit::permits(std::string_view site, Level level, const char* part, std::string_view text, Time now) {
  std::string kind = kind_of(site, text);
  if (kinds_.size() >= kMaxKinds && !kinds_.contains(kind)) kind = kOthers;
  Second& second = kinds_[kind];
  if (second.written == 0) second.end = now + std::chrono::seconds(1);
  if (second.written < kMaxASecond) {
    ++second.written;
    return true;
  }
  Repeats& held_back = second.held_back;
  held_back.level = held_back.count == 0 ? level : std::max(held_back.level, level);
  held_back.part = part;
  held_back.last_text = text;
  ++held_back.count;
  return false;
}

std::vector<Repeats> RepeatLimit::take_ended(Time now) {
  std::vector<Repeats> all;
  for (auto it = kinds_.begin(); it != kinds_.end();) {
    Second& second = it->second;
    if (now < second.end) {
      ++it;
      continue;
    }
    if (second.held_back.count > 0) all.push_back(std::move(second.held_back));
    it = kinds_.erase(it);
  }
  return all;
}

std::optional<RepeatLimit::Time> RepeatLimit::next_end() const {
  std::optional<Time> next;
  for (const auto& [kind, second] : kinds_) next = next ? std::min(*next, second.end) : second.end;
  return next;
}

}  // namespace kinloop::log
