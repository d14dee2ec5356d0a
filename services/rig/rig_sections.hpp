// Owns the parts of the reader of rig files: one function a section, each reads keys of the root into the description.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/files/dimension.hpp"
#include "services/files/field_reader.hpp"
#include "services/rig/rig_spec.hpp"

// Each of these reports what is wrong to the diagnostics of its fields and gives a placeholder then.
namespace kinloop {

class RigNames;

/// Names that others may refer to.
struct RigNameLists {
  std::vector<std::string> actuators, signals, plotted, bodies;
};

/// What the sections need to know of the rest of the rig.
struct RigScope {
  const Model* model = nullptr;  // null where it did not load: what depends on it is not judged
  std::optional<double> dt_s;    // nothing where the step is wrong
  Diagnostics* warnings = nullptr;
  std::filesystem::path folder = {};    // that names of files count from
  const RigSpec* rig = nullptr;         // as far as it is read
  Dimension value = Dimension::any();   // of the command or the signal that is read about
  Dimension rate = Dimension::any();    // the same per time
  RigNames* names = nullptr;            // of the list that is read
  const RigNameLists* lists = nullptr;  // of the whole rig
};

/// Adds a warning about the value of the key, or about the mapping if the key is empty.
void warn(Fields& fields, std::string_view key, std::string what, const RigScope& scope);

/// Whether the value of the key is this word, which stands for no number.
bool is_word(Fields& fields, std::string_view key, std::string_view word);

/// Whether one of them was read so badly that nobody knows what may refer to it.
template <class Spec>
bool has_unnamed(const std::vector<Spec>& list) {
  return std::any_of(list.begin(), list.end(), [](const Spec& one) { return one.name.empty(); });
}

/// Names of one list: made of letters, digits and '_', each once.
class RigNames {
 public:
  explicit RigNames(const char* kind) : kind_(kind) {}

  /// The name under the key `name`.
  std::string read(Fields& item);

 private:
  const char* kind_;
  std::set<std::string> names_;
};

/// [lower, upper] with lower < upper; nothing if it is absent, wrong or `none`.
struct RigRange {
  double lower = 0.0;
  double upper = 0.0;
};
std::optional<RigRange> read_range(Fields& fields, std::string_view key, const Dimension& dimension);

/// "the rig has no <kind> 'name'", and what may have been meant.
std::string no_such(const char* kind, const std::string& name, const std::vector<std::string>& known);

/// A list of at most so many items; the others are reported and left out.
std::vector<Fields> read_list(Fields& fields, std::string_view key, std::size_t most, std::string_view what = "");

// Each reads the key of that name of the root, with what is below it.
void read_solver(Fields& root, const RigScope& scope, RigSpec& spec);
/// After read_solver(): degrade needs its levels.
void read_overrun(Fields& root, const RigScope& scope, RigSpec& spec);
void read_watchdog(Fields& root, const RigScope& scope, RigSpec& spec);
void read_frames(Fields& root, const RigScope& scope, RigSpec& spec);
void read_pumps(Fields& root, const RigScope& scope, RigSpec& spec);
/// After read_pumps().
void read_actuators(Fields& root, const RigScope& scope, RigSpec& spec);
/// After read_actuators().
void read_sensors(Fields& root, const RigScope& scope, RigSpec& spec);
/// After all else.
void read_adapters(Fields& root, const RigScope& scope, RigSpec& spec);
void read_stop_inputs(Fields& root, const RigScope& scope, RigSpec& spec);
/// After all but adapters.
void read_panel(Fields& root, const RigScope& scope, RigSpec& spec);

}  // namespace kinloop
