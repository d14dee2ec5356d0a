// Owns RigField: one key of a rig file. Its reader, its writer, the schema, the tables of docs/rig-format.md and the
// comparison of rigs all follow from it; its former name stands in services/base/former_keys.
//
// A section of the file is a table of such fields. What a value looks like is said by a kind (field_kinds.hpp): how it
// is read into a member, how it is written, and what the schema says of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "services/files/field_reader.hpp"
#include "services/rig/rig_sections.hpp"
#include "services/rig/yaml_lines.hpp"

namespace kinloop {

/// What holds where a key is absent.
struct Default {
  enum class Kind { kRequired, kValue, kDerived };

  constexpr Default(const char* value) : text(value), kind(Kind::kValue) {}  // NOLINT: as it would stand in a file
  constexpr Default(std::string_view words, Kind how) : text(words), kind(how) {}

  std::string_view text;
  Kind kind;
};
inline constexpr Default kRequired{"required", Default::Kind::kRequired};
/// In words, where it follows from something else; empty: it goes without saying.
constexpr Default derived(std::string_view words) { return {words, Default::Kind::kDerived}; }

/// What the schema and the documentation say of a key.
struct FieldText {
  std::string_view name;
  std::string_view meaning;  // Markdown
  Default fallback;
  std::string schema;  // members of a JSON object

  bool is_required() const noexcept { return fallback.kind == Default::Kind::kRequired; }
};

/// A key while it is read.
struct KeyReading {
  Fields& fields;
  std::string_view name;
  bool is_required;
  const RigScope& scope;

  bool is_word(std::string_view word) const { return !word.empty() && kinloop::is_word(fields, name, word); }
  void error(std::string what) const { fields.error(name, std::move(what)); }
};

/// What writing needs to know of the rest of the rig.
struct WriteScope {
  double dt_s;
  const std::string& model;  // the path under which the file names it
};

template <class Spec>
struct RigField : FieldText {
  std::function<void(const KeyReading&, Spec&)> read;  // none: the section's own code reads it
  std::function<void(const Spec&, const WriteScope&, Lines&)> write;
  std::function<void(const Spec&, const Spec&, const std::string& path, std::vector<std::string>& differing)> compare;
};

template <class Spec>
using RigFields = std::vector<RigField<Spec>>;

template <class Spec>
void read_fields(const RigFields<Spec>& table, Fields& fields, const RigScope& scope, Spec& spec) {
  for (const RigField<Spec>& field : table) {
    if (field.read) field.read({fields, field.name, field.is_required(), scope}, spec);
  }
}

template <class Spec>
void write_fields(const RigFields<Spec>& table, const Spec& spec, const WriteScope& scope, Lines& lines) {
  for (const RigField<Spec>& field : table) {
    if (field.write) field.write(spec, scope, lines);
  }
}

/// Adds the paths of all keys in which the two differ.
template <class Spec>
void compare_fields(const RigFields<Spec>& table, const Spec& a, const Spec& b, const std::string& path,
                    std::vector<std::string>& differing) {
  for (const RigField<Spec>& field : table) {
    if (field.compare) field.compare(a, b, path, differing);
  }
}

/// The key is kept in spec.*first.*rest...
template <class Kind, class Spec, class First, class... Rest>
RigField<Spec> field(std::string_view name, Kind kind, Default fallback, std::string_view meaning, First Spec::*first,
                     Rest... rest) {
  const auto at = [=](auto& spec) -> auto& { return ((spec.*first).*....*rest); };
  RigField<Spec> made{{name, meaning, fallback, kind.schema()}, {}, {}, {}};
  made.read = [=](const KeyReading& key, Spec& spec) { kind.read(key, at(spec)); };
  made.write = [=](const Spec& spec, const WriteScope& scope, Lines& lines) {
    const std::string text = kind.text(at(spec), scope);
    if (!text.empty()) lines.add(name, text);
  };
  made.compare = [=](const Spec& a, const Spec& b, const std::string& path, std::vector<std::string>& differing) {
    bool equal = false;
    if constexpr (requires { kind.equal(at(a), at(b)); }) {
      equal = kind.equal(at(a), at(b));
    } else {
      equal = at(a) == at(b);
    }
    if (!equal) differing.push_back(path + std::string(name));
  };
  return made;
}

/// A key that several members share, or none; it is equal where the same is written. Either function may be null.
template <class Spec>
RigField<Spec> shared_field(std::string_view name, std::string schema, Default fallback, std::string_view meaning,
                            void (*read)(const KeyReading&, Spec&),
                            std::string (*text)(const Spec&, const WriteScope&)) {
  RigField<Spec> made{{name, meaning, fallback, std::move(schema)}, {}, {}, {}};
  if (read != nullptr) made.read = read;
  if (text == nullptr) return made;
  made.write = [=](const Spec& spec, const WriteScope& scope, Lines& lines) {
    const std::string value = text(spec, scope);
    if (!value.empty()) lines.add(name, value);
  };
  made.compare = [=](const Spec& a, const Spec& b, const std::string& path, std::vector<std::string>& differing) {
    const std::string model;
    const WriteScope scope{1.0, model};
    if (text(a, scope) != text(b, scope)) differing.push_back(path + std::string(name));
  };
  return made;
}

/// A mapping with a table of its own; `part` gives what it describes, `is_written` whether it is there at all.
template <class Spec, class Part, class Get>
RigField<Spec> section(
    std::string_view name, std::string_view definition, const RigFields<Part>& table, std::string_view meaning,
    Get part, bool (*is_written)(const Spec&) = [](const Spec&) { return true; }) {
  RigField<Spec> made{
      {name, meaning, derived(""), "\"allOf\": [{\"$ref\": \"#/definitions/" + std::string(definition) + "\"}]"},
      {},
      {},
      {}};
  made.write = [=, &table](const Spec& spec, const WriteScope& scope, Lines& lines) {
    if (!is_written(spec)) return;
    lines.open(name);
    write_fields(table, part(spec), scope, lines);
    lines.close();
  };
  made.compare = [=, &table](const Spec& a, const Spec& b, const std::string& path,
                             std::vector<std::string>& differing) {
    compare_fields(table, part(a), part(b), path + std::string(name) + ".", differing);
  };
  return made;
}

/// A list of mappings; `items` gives what they describe, in order.
template <class Spec, class Item, class Get>
RigField<Spec> list(std::string_view name, std::string_view definition, std::size_t most, const RigFields<Item>& table,
                    std::string_view meaning, Get items) {
  RigField<Spec> made{{name, meaning, derived("none"),
                       "\"type\": \"array\", \"maxItems\": " + std::to_string(most) +
                           ", \"items\": {\"$ref\": \"#/definitions/" + std::string(definition) + "\"}"},
                      {},
                      {},
                      {}};
  made.write = [=, &table](const Spec& spec, const WriteScope& scope, Lines& lines) {
    const auto& all = items(spec);
    write_list(name, all, lines, [&](std::size_t i) { write_fields(table, all[i], scope, lines); });
  };
  made.compare = [=, &table](const Spec& a, const Spec& b, const std::string& path,
                             std::vector<std::string>& differing) {
    const auto& all_a = items(a);
    const auto& all_b = items(b);
    const std::string here = path + std::string(name);
    if (all_a.size() != all_b.size()) return differing.push_back(here);
    for (std::size_t i = 0; i < all_a.size(); ++i) {
      compare_fields(table, all_a[i], all_b[i], here + "[" + std::to_string(i) + "].", differing);
    }
  };
  return made;
}

/// The section's own code reads it.
template <class Spec>
RigField<Spec> unread(RigField<Spec> field) {
  field.read = nullptr;
  return field;
}

/// The section's own code says so where it is absent.
template <class Spec>
RigField<Spec> required(RigField<Spec> field) {
  field.fallback = kRequired;
  return field;
}

/// A function of the section reads it.
template <class Spec>
RigField<Spec> read_by(void (*read)(Fields&, const RigScope&, Spec&), RigField<Spec> field) {
  field.read = [read](const KeyReading& key, Spec& spec) { read(key.fields, key.scope, spec); };
  return field;
}

template <class Spec>
RigField<Spec> with_schema(const std::string& schema, RigField<Spec> field) {
  field.schema = schema;
  return field;
}

template <class Spec, class Condition>
RigField<Spec> written_if(Condition condition, RigField<Spec> field) {
  field.write = [condition, write = field.write](const Spec& spec, const WriteScope& scope, Lines& lines) {
    if (condition(spec)) write(spec, scope, lines);
  };
  return field;
}

/// Read and written only where it means something.
template <class Spec, class Condition>
RigField<Spec> only_if(Condition condition, RigField<Spec> field) {
  field.read = [condition, read = field.read](const KeyReading& key, Spec& spec) {
    if (condition(spec)) read(key, spec);
  };
  return written_if(condition, std::move(field));
}

}  // namespace kinloop
