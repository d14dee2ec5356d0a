// Implements the look-ups by name.
#include "core/model/model.hpp"

#include <algorithm>

namespace kinloop {
namespace {

int index_of(const std::vector<std::string>& names, std::string_view name) noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace

int Model::find_body(std::string_view name) const noexcept { return index_of(body_names_, name); }

int Model::find_joint(std::string_view name) const noexcept { return name.empty() ? -1 : index_of(joint_names_, name); }

std::string drive_name(const LoopJoint& loop, const LoopDrive& drive) {
  return joint_kind(loop.type).nv == 1 ? loop.name : loop.name + "." + std::to_string(drive.coordinate);
}

std::string Model::speed_name(int i) const {
  const int k = coordinate(i).body;
  if (body(k).nv == 1) return joint_name(k);
  return joint_name(k) + "." + std::to_string(i - body(k).v);
}

}  // namespace kinloop
