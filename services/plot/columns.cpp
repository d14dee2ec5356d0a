// Names against patterns, names against a model.
#include "services/plot/columns.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/base/nearest_name.hpp"
#include "services/base/trimmed.hpp"
#include "services/files/motion_columns.hpp"

namespace kinloop::plot {
namespace {

constexpr std::size_t kMaxNamesInAMessage = 12;
constexpr std::size_t kMaxErrors = 10;

struct Words {
  const char* quantity = "";
  const char* unit = "";
};

Words words_of(MotionQuantity quantity) {
  switch (quantity) {
    case MotionQuantity::kTime:
      return {"time", "s"};
    case MotionQuantity::kAngle:
      return {"angle", "rad"};
    case MotionQuantity::kPosition:
      return {"position", "m"};
    case MotionQuantity::kQuaternion:
      return {"quaternion", ""};
    case MotionQuantity::kAngularSpeed:
      return {"angular speed", "rad/s"};
    case MotionQuantity::kSpeed:
      return {"speed", "m/s"};
    case MotionQuantity::kTorque:
      return {"torque", "N m"};
    case MotionQuantity::kForce:
      return {"force", "N"};
    case MotionQuantity::kEnergy:
      return {"energy", "J"};
    case MotionQuantity::kClosure:
      return {"closure", ""};
  }
  return {"value", ""};
}

/// What a name alone tells.
Words words_of(const std::string& column) {
  if (column == "t") return words_of(MotionQuantity::kTime);
  if (column.starts_with("q.")) return {"coordinate", "rad, m"};
  if (column.starts_with("u.")) return {"speed", "rad/s, m/s"};
  if (column.starts_with("drive.")) return {"drive", "N m, N"};
  if (column.starts_with("command.")) return {"command", ""};
  if (column.starts_with("sensor.")) return {"sensor", ""};
  if (column.ends_with("_J")) return words_of(MotionQuantity::kEnergy);
  if (column.starts_with("closure_")) return words_of(MotionQuantity::kClosure);
  return {"value", ""};
}

std::string short_name(std::string_view column) {
  for (const std::string_view prefix : {"q.", "u.", "drive.", "command.", "sensor."}) {
    if (column.starts_with(prefix)) return std::string(column.substr(prefix.size()));
  }
  if (column.ends_with("_J")) return std::string(column.substr(0, column.size() - 2));
  return std::string(column);
}

/// With * for any letters and ? for any one.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::optional<std::size_t> star;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star) {
      p = *star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// "; did you mean 'q.luff' or 'u.luff'?", else which columns there are.
std::string column_hint(std::string_view name, std::span<const std::string> columns) {
  std::string same_joint;
  for (const std::string& column : columns) {
    if (column.size() > name.size() && short_name(column) == name) {
      same_joint += (same_joint.empty() ? "" : " or ") + in_quotes(column);
    }
  }
  if (!same_joint.empty() && !name.empty()) return "; did you mean " + same_joint + "?";
  const std::vector<std::string_view> all(columns.begin(), columns.end());
  std::string near = did_you_mean(name, all);
  if (!near.empty()) return near;
  const std::span<const std::string_view> some = std::span(all).first(std::min(all.size(), kMaxNamesInAMessage));
  return " (columns: " + quoted_list(some) + (some.size() < all.size() ? ", ..." : "") + ")";
}

std::string trimmed_name(const std::string& text) { return std::string(trimmed(text, " ")); }

int position_of(std::span<const std::string> columns, std::string_view name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

}  // namespace

std::string axis_label(const std::string& quantity, const std::string& unit) {
  return unit.empty() ? quantity : quantity + " (" + unit + ")";
}

std::vector<ColumnMeaning> meanings_of(std::span<const std::string> columns, std::span<const int> chosen,
                                       const Model* model) {
  std::unordered_map<std::string, Words> known;
  if (model != nullptr) {
    for (const MotionColumn& column : motion_columns(*model)) known[column.name] = words_of(column.quantity);
  }
  std::vector<ColumnMeaning> meanings;
  for (const int i : chosen) {
    const std::string& column = columns[static_cast<std::size_t>(i)];
    const auto found = known.find(column);
    const Words words = found != known.end() ? found->second : words_of(column);
    meanings.push_back({short_name(column), words.quantity, words.unit});
  }
  return meanings;
}

Result<int> find_column(std::span<const std::string> columns, const std::string& where, const std::string& name) {
  const int found = position_of(columns, name);
  if (found < 0) return Error{where, "there is no column " + in_quotes(name) + column_hint(name, columns)};
  return found;
}

Result<std::vector<int>> select_columns(std::span<const std::string> columns, const std::string& where,
                                        const std::string& patterns) {
  std::vector<int> selected;
  const auto add = [&](int column) {
    if (std::find(selected.begin(), selected.end(), column) == selected.end()) selected.push_back(column);
  };
  for (std::size_t start = 0; start <= patterns.size();) {
    const std::size_t end = std::min(patterns.find(',', start), patterns.size());
    const std::string pattern = trimmed_name(patterns.substr(start, end - start));
    start = end + 1;
    if (pattern.empty()) return Error{where, "a name is empty in " + in_quotes(patterns)};
    if (pattern.find_first_of("*?") == std::string::npos) {
      const Result<int> column = find_column(columns, where, pattern);
      if (!column) return column.error();
      add(*column);
      continue;
    }
    bool is_matched = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == "t" || !matches(pattern, columns[i])) continue;
      is_matched = true;
      add(static_cast<int>(i));
    }
    if (!is_matched) {
      return Error{where, "no column matches " + in_quotes(pattern) + column_hint("", columns)};
    }
  }
  return selected;
}

std::vector<int> default_columns(std::span<const std::string> columns) {
  std::vector<int> coordinates;
  std::vector<int> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].starts_with("q.")) coordinates.push_back(static_cast<int>(i));
    const bool is_counter = columns[i] == "step" || columns[i] == "flags";  // would dwarf all else
    if (columns[i] != "t" && !is_counter) all.push_back(static_cast<int>(i));
  }
  return coordinates.empty() ? all : coordinates;
}

Result<std::vector<int>> column_pair(std::span<const std::string> columns, const std::string& where,
                                     const std::string& pair) {
  const std::size_t first_comma = pair.find(',');
  if (first_comma == std::string::npos) {
    return Error{where, "expected two columns, as in q.pivot,u.pivot, got " + in_quotes(pair)};
  }
  for (std::size_t comma = first_comma; comma != std::string::npos; comma = pair.find(',', comma + 1)) {
    const int x = position_of(columns, trimmed_name(pair.substr(0, comma)));
    const int y = position_of(columns, trimmed_name(pair.substr(comma + 1)));
    if (x >= 0 && y >= 0) return std::vector<int>{x, y};
  }
  for (const std::string& name :
       {trimmed_name(pair.substr(0, first_comma)), trimmed_name(pair.substr(first_comma + 1))}) {
    const Result<int> found = find_column(columns, where, name);
    if (!found) return found.error();
  }
  return Error{where, "expected two columns, got " + in_quotes(pair)};
}

Result<std::vector<int>, std::vector<Error>> match_model(std::span<const std::string> columns,
                                                         const std::string& csv_name, const Model& model,
                                                         const std::string& model_name) {
  const std::vector<MotionColumn> wanted = position_columns(model);
  std::vector<Error> errors;
  std::vector<int> matched;
  for (const MotionColumn& column : wanted) {
    const int found = position_of(columns, column.name);
    if (found < 0) {
      errors.push_back(
          {csv_name + ":1", "has no column " + in_quotes(column.name) + ", a coordinate of " + model_name});
    }
    matched.push_back(found);
  }
  for (const std::string& column : columns) {
    if (!column.starts_with("q.")) continue;
    const auto is_it = [&](const MotionColumn& known) { return known.name == column; };
    if (std::none_of(wanted.begin(), wanted.end(), is_it)) {
      errors.push_back({csv_name + ":1", "column " + in_quotes(column) + " is no coordinate of " + model_name});
    }
  }
  if (errors.empty()) return matched;
  if (errors.size() > kMaxErrors) {
    const std::size_t more = errors.size() - kMaxErrors;
    errors.resize(kMaxErrors);
    errors.push_back({csv_name, "and " + std::to_string(more) + " more columns that do not fit"});
  }
  return errors;
}

}  // namespace kinloop::plot
