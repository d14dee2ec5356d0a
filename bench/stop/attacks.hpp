// Owns what is done to a run while it is stopped again and again: one thread each, until it is taken away.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/stop/rig_process.hpp"

namespace kinloop::bench {

/// Goes on until its end.
class Attack {
 public:
  virtual ~Attack() = default;
};

struct AttackKind {
  std::string_view name, what;
  Surroundings surroundings;
  std::function<std::unique_ptr<Attack>(const RigProcess&)> begin;  // nothing: it cannot be tried here, as it has said
  Way way = Way::kLocal;
};

/// In the order of the table.
const std::vector<AttackKind>& all_attacks();

}  // namespace kinloop::bench
