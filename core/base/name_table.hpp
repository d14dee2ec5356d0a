// Owns NameTable: the public names of an enum's values, as command lines, files and messages write them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop {

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

  std::string_view name_of(Kind kind) const noexcept {
    for (const KindName<Kind>& entry : entries_) {
      if (entry.kind == kind) return entry.name;
    }
    return "unknown";
  }

  Result<Kind> find(std::string_view name) const {
    std::string known;
    for (const KindName<Kind>& entry : entries_) {
      if (entry.name == name) return entry.kind;
      if (!known.empty()) known += ", ";
      known += entry.name;
    }
    return Error{std::string(name), "no such " + std::string(what_) + "; known are " + known};
  }

 private:
  std::string_view what_;
  std::array<KindName<Kind>, kCount> entries_;
};

template <class Kind, std::size_t kCount>
NameTable(std::string_view, const std::array<KindName<Kind>, kCount>&) -> NameTable<Kind, kCount>;

}  // namespace kinloop
