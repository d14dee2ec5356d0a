// Judges blocks of doubles from outside by what holds for every state that the plant can come to.
//
// What is left after this cannot make the plant read or write where it must not. Whether the mechanism can go on from
// it only a step can tell.
#include "core/plant/state_flaw.hpp"

#include <array>
#include <cmath>

#include "core/joints/joint.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {
namespace {

constexpr double kRounding = 1e-9;

/// Steps turn unit quaternions into unit quaternions; files round them.
constexpr double kMaxOffUnit = 1e-6;

bool is_unit(const double* quaternion) noexcept {
  double square = 0.0;
  for (int i = 0; i < 4; ++i) square += quaternion[i] * quaternion[i];
  return std::abs(std::sqrt(square) - 1.0) <= kMaxOffUnit;
}

}  // namespace

std::optional<StateFlaw> Plant::flaw_in(std::span<const double> block) const noexcept {
  if (block.size() != static_cast<std::size_t>(before_.size())) return StateFlaw{0, "has another size"};
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!std::isfinite(block[i])) return StateFlaw{i, "is not finite"};
  }
  if (const int at = State::flaw_in_head(block.data(), static_cast<int>(levels_.size())); at >= 0) {
    return StateFlaw{static_cast<std::size_t>(at), "is none that this plant can come to"};
  }
  // It starts at 0 and goes on by dt in every step in which the plant does not stand still.
  if (block[0] > (block[6] + 1.0) * spec_.dt_s * (1.0 + kRounding)) {
    return StateFlaw{0, "is later than the steps so far can have led"};
  }
  if (const auto flaw = flaw_in_motion(block)) return flaw;
  return flaw_in_device_state(block);
}

std::optional<StateFlaw> Plant::flaw_in_motion(std::span<const double> block) const noexcept {
  for (const int k : model_.quaternion_bodies()) {
    const BodyConstants& body = model_.body(k);
    const auto at = static_cast<std::size_t>(State::kHeader + body.q + joint_kind(body.joint).quaternion);
    if (!is_unit(block.data() + at)) return StateFlaw{at, "begins a quaternion that is not of unit length"};
  }
  const auto basis_at = static_cast<std::size_t>(State::kHeader + model_.nq() + model_.nv());
  for (std::size_t i = basis_at; i < basis_at + static_cast<std::size_t>(model_.nv()); ++i) {
    if (block[i] != -1.0 && block[i] != 0.0 && block[i] != 1.0) return StateFlaw{i, "is neither -1, 0 nor 1"};
  }
  return std::nullopt;
}

std::optional<StateFlaw> Plant::flaw_in_device_state(std::span<const double> block) const noexcept {
  const std::size_t begin = block.size() - static_cast<std::size_t>(device_state_size_);
  const double* memory = block.data() + begin;
  const auto place = [&](int at) { return begin + static_cast<std::size_t>(at); };
  const double moved = memory[kMovedAt];
  if (!(moved >= 0.0) || !(moved <= block[6]) || moved != std::floor(moved)) {
    return StateFlaw{place(kMovedAt), "is no count of the steps so far"};
  }
  const int command_at = actuators_.flaw_in(block.subspan(begin));
  if (command_at >= 0) return StateFlaw{place(command_at), "is a command beyond the actuator's limits"};
  if (!faults_.accepts(memory + faults_at_)) return StateFlaw{place(faults_at_), "and what follows are no faults"};
  if (!forces_from_outside_.accepts(memory + forces_at_)) {
    return StateFlaw{place(forces_at_), "and what follows are no forces on bodies"};
  }
  return std::nullopt;
}

std::string Plant::name_of_place(std::size_t at) const {
  constexpr std::array<const char*, State::kHeader> kHead = {
      "time", "history's count", "history's head", "time's carry", "history's step", "history's kind", "step", "level"};
  if (at < kHead.size()) return kHead[at];
  int left = static_cast<int>(at) - State::kHeader;
  const auto numbered = [&](const char* name) { return name + ("[" + std::to_string(left) + "]"); };
  const std::pair<const char*, int> parts[] = {{"q", model_.nq()}, {"v", model_.nv()}, {"independent", model_.nv()}};
  for (const auto& [name, size] : parts) {
    if (left < size) return numbered(name);
    left -= size;
  }
  const int device_state_at = static_cast<int>(before_.size()) - device_state_size_;
  if (static_cast<int>(at) < device_state_at) return numbered("history");
  left = static_cast<int>(at) - device_state_at;
  if (left == kMovedAt) return "count of steps that moved";
  if (const int i = actuators_.owner(left); i >= 0) {
    return "memory of actuator '" + spec_.actuators[static_cast<std::size_t>(i)].name + "'";
  }
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    if (left >= sensors_[i].at && left < sensors_[i].at + sensors_[i].sensor.state_size()) {
      return "memory of sensor '" + spec_.sensors[i].name + "'";
    }
  }
  if (left >= forces_at_) return "forces from outside";
  return left >= faults_at_ ? "faults and overrides" : "pressures";
}

}  // namespace kinloop
