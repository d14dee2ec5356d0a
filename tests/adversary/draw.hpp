// Draws a mechanism from a seed: the same one for the same seed, on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/model_spec.hpp"

namespace kinloop::adversary {

struct Draw {
  std::uint64_t seed = 0;
  std::string family;
  std::string traits;  // what was drawn besides, for people
  ModelSpec spec;
  bool conservative = true;
  std::string reject;  // why there is no such mechanism; empty: there is
  int left_out = 0;    // optional loops that would have locked it
};

/// `family`: only of this one; empty: any.
Draw draw_mechanism(std::uint64_t seed, std::string_view family = {});

}  // namespace kinloop::adversary
