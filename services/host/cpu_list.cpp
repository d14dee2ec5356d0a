// Reads and writes ranges.
#include "services/host/cpu_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "services/base/trimmed.hpp"

namespace kinloop::host {
namespace {

constexpr int kMaxCpus = 4096;

std::optional<int> number(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value >= kMaxCpus) return std::nullopt;
  return value;
}

}  // namespace

std::vector<int> read_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = trimmed(text.substr(0, comma), " \t\n");
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = item.find('-');
    const std::optional<int> first = number(item.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
    if (!first || !last) continue;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += '-' + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

bool contains(const std::vector<int>& cpus, int cpu) noexcept {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

}  // namespace kinloop::host
