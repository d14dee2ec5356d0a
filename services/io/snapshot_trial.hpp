// Owns SnapshotTrial: snapshots from outside are tried on a twin before they reach the running plant.
//
// A plant refuses by itself what it could not bear. This finds out what it could not go on from, and says which field
// is to blame.
#pragma once

#include <optional>

#include "services/io/twin.hpp"

namespace kinloop::io {

class SnapshotTrial {
 public:
  /// Steps that the twin must come through.
  static constexpr int kSteps = 10;

  SnapshotTrial(const LoadedRig& rig, std::filesystem::path rig_file) : rig_(rig), rig_file_(std::move(rig_file)) {}

  /// What is wrong with a snapshot to which objection_to() had none, by its field: "policies[0].age_ticks"; nothing
  /// where a plant goes on from it. The twin is kept for the next one with the same parameters.
  std::optional<Error> flaw_of(const v1::Snapshot& snapshot);

 private:
  const LoadedRig& rig_;
  std::filesystem::path rig_file_;
  std::unique_ptr<Twin> twin_;
};

}  // namespace kinloop::io
