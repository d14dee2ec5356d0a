// Owns what the builder of plants says besides answers: about a plant that is about to come into force.
#pragma once

#include <cstdint>
#include <string>

namespace kinloop::io {

/// In place of the id of a request in rt::BuildRefusal: the plant is offered all the same.
inline constexpr std::uint64_t kBuildWarning = 1;
inline constexpr std::uint64_t kBuildRemark = 2;

struct BuildNote {
  bool is_warning = false;
  std::string text;
};

}  // namespace kinloop::io
