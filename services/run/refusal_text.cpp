// One line each: what, a tab, the command that mends it.
#include "services/run/refusal_text.hpp"

#include <algorithm>
#include <sstream>
#include <string>

namespace kinloop::run {

void write_refusals(const std::vector<rt::Refusal>& refusals, std::span<char> text) {
  std::fill(text.begin(), text.end(), '\0');
  std::size_t used = 0;
  for (const rt::Refusal& refusal : refusals) {
    const std::string line = refusal.what + "\t" + refusal.fix + "\n";
    if (used + line.size() >= text.size()) return;
    std::copy(line.begin(), line.end(), text.begin() + static_cast<std::ptrdiff_t>(used));
    used += line.size();
  }
}

std::vector<rt::Refusal> read_refusals(std::span<const char> text) {
  std::istringstream lines(std::string(text.begin(), std::find(text.begin(), text.end(), '\0')));
  std::vector<rt::Refusal> refusals;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) refusals.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return refusals;
}

}  // namespace kinloop::run
