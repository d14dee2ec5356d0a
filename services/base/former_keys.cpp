// A table of names, new and old; every change of a key adds a row.
#include "services/base/former_keys.hpp"

#include <array>
#include <cctype>
#include <system_error>

namespace kinloop {
namespace {

struct RenamedKey {
  std::string_view name, former;
};

constexpr std::array<RenamedKey, 6> kRenamedKeys{{
    {"loop_max_open", "loop_most_open"},
    {"max_age", "most_age"},
    {"max_behind", "most_behind"},
    {"max_consecutive", "most_consecutive"},
    {"max_force", "most_force"},
    {"max_in_window", "most_in_window"},
}};

bool is_word_character(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string_view former_name(std::string_view key) noexcept {
  for (const RenamedKey& row : kRenamedKeys) {
    if (row.name == key) return row.former;
  }
  return {};
}

FormerKeys former_keys_in(const std::filesystem::path& file) {
  std::error_code failure;  // a folder that cannot be read is no directory of a run
  const std::filesystem::path folder = file.parent_path();
  const bool is_run = std::filesystem::exists(folder / "rig.yaml", failure) &&
                      std::filesystem::exists(folder / "events.jsonl", failure);
  return is_run ? FormerKeys::kAccepted : FormerKeys::kRefused;
}

std::string with_former_keys(std::string text) {
  for (const RenamedKey& row : kRenamedKeys) {
    for (std::size_t at = text.find(row.name); at != std::string::npos; at = text.find(row.name, at)) {
      const std::size_t end = at + row.name.size();
      const bool is_key = (at == 0 || !is_word_character(text[at - 1])) && end < text.size() && text[end] == ':';
      if (is_key) text.replace(at, row.name.size(), row.former);
      at += is_key ? row.former.size() : row.name.size();
    }
  }
  return text;
}

}  // namespace kinloop
