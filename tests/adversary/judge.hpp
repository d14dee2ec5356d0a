// Owns the verdict on one mechanism: every formulation against the reference, in motion, and every integrator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/adversary/draw.hpp"

namespace kinloop::adversary {

struct JudgeOptions {
  bool motion = true;
  bool integrators = true;
  std::string only;      // one formulation
  double shorten = 1.0;  // share of the steps of a motion
};

/// What became of one formulation.
struct MethodVerdict {
  std::string method;
  bool refused = false;   // does not treat this model, and says so
  bool compared = false;  // its accelerations with the reference
  bool wrong = false;
  bool stopped = false;
  double ratio = 0.0;        // largest error of an acceleration over its tolerance
  double drift_ratio = 0.0;  // drift over that of the best formulation, where it is more than 1e-6 of the energy
};

/// Something wrong; `check` is accelerations, motion or integrator.
struct Finding {
  std::string check, method, text;
};

struct Judgement {
  std::string state;                 // regular, ambiguous
  double kept = 0.0, dropped = 0.0;  // singular values beside the gap
  int dofs = 0;
  bool resolved = true;  // the motion, by a step that the judge tried
  std::string motion_note;
  std::vector<MethodVerdict> methods;
  std::vector<Finding> findings;
  std::vector<Finding> apart;  // stops that are nobody's fault; `check` says why
};

Judgement judge(const Draw& draw, const JudgeOptions& options = {});

}  // namespace kinloop::adversary
