// Owns NameTable: the public names of an enum's values, as command lines, files and messages write them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop {

/// "no such integrator; known are heun, rk4" of a name that none of them has.
inline Error no_such(std::string_view what, std::string_view name, std::span<const std::string_view> known) {
  std::string list;
  for (const std::string_view one : known) list += (list.empty() ? "" : ", ") + std::string(one);
  return {std::string(name), "no such " + std::string(what) + "; known are " + list, ErrorKind::kUnknownName};
}

/// A value and the word that stands for it.
template <class Kind>
struct KindName {
  Kind kind;
  std::string_view name;
};

template <class Kind>
KindName(Kind, std::string_view) -> KindName<Kind>;

template <class Kind, std::size_t kCount>
class NameTable {
 public:
  /// `what` is what the values are: "overrun policy".
  constexpr NameTable(std::string_view what, const std::array<KindName<Kind>, kCount>& entries)
      : what_(what), entries_(entries) {}

  /// All values with their names, in the order of the table.
  constexpr std::span<const KindName<Kind>> entries() const noexcept { return entries_; }

  std::string_view name_of(Kind kind) const noexcept {
    for (const KindName<Kind>& entry : entries_) {
      if (entry.kind == kind) return entry.name;
    }
    return "unknown";
  }

  Result<Kind> find(std::string_view name) const {
    std::array<std::string_view, kCount> known;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (entries_[i].name == name) return entries_[i].kind;
      known[i] = entries_[i].name;
    }
    return no_such(what_, name, known);
  }

 private:
  std::string_view what_;
  std::array<KindName<Kind>, kCount> entries_;
};

template <class Kind, std::size_t kCount>
NameTable(std::string_view, const std::array<KindName<Kind>, kCount>&) -> NameTable<Kind, kCount>;

}  // namespace kinloop
