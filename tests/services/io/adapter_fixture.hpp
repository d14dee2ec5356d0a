// Owns what tests of adapters are made with: a rig of two actuators, a arbiter, and memory with nobody at its other
// end.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "services/base/diagnostics.hpp"
#include "services/io/adapter.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::io {

constexpr std::int64_t kMillisecond_ns = 1'000'000;

/// The cart with its pole, with these lines on top.
inline LoadedRig cart_rig(const std::string& lines) {
  const std::string text =
      "kinloop_rig: 1\nmodel: ../models/cart_pole.yaml\nrate: 1 kHz\n"
      "actuators:\n"
      "  - {name: belt, joint: rail, kind: force, limits: [-30 N, 30 N], initial: 2 N, command: {max_age: none}}\n"
      "  - {name: hand, joint: hinge, kind: force, command: {max_age: none}}\n"
      "sensors:\n"
      "  - {name: position, signal: q.rail}\n"
      "  - {name: speed, signal: u.rail}\n"
      "  - {name: angle, signal: q.hinge}\n" +
      lines;
  auto rig = load_rig_text(text, test::rig_path("it").string());
  if (!rig) ADD_FAILURE() << to_text(rig.error());
  return std::move(rig).value();
}

/// What lies between adapters and a plant.
struct Bench {
  explicit Bench(const LoadedRig& rig)
      : memory(std::make_unique<rt::PrivateMemory>()),
        arbiter(1, rig.spec.plant.actuators.size(), rig.spec.mode, *memory) {}

  /// Newest in the mailbox; nothing: none since the last call.
  std::optional<rt::Command> command() {
    const auto taken = memory->command.take();
    return taken.is_new ? std::optional(*taken.value) : std::nullopt;
  }
  /// The next step that was released.
  std::optional<rt::Command> release() {
    rt::Command command;
    return memory->releases.pop(command) ? std::optional(command) : std::nullopt;
  }

  std::unique_ptr<rt::PrivateMemory> memory;
  CommandArbiter arbiter;
};

inline rt::SensorFrame frame_of(std::uint64_t step, double dt_s = 1e-3) {
  rt::SensorFrame frame;
  frame.step = step;
  frame.time_s = static_cast<double>(step) * dt_s;
  frame.count = 3;
  frame.value[0] = 0.5;
  frame.value[1] = -1.5;
  frame.value[2] = 3.25;
  return frame;
}

}  // namespace kinloop::io
