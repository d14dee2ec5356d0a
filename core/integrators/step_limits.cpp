// Products of rates and the step, against what each method bears of them.
#include "core/integrators/step_limits.hpp"

#include <algorithm>
#include <cstdio>

#include "core/base/at.hpp"
#include "core/forces/local_tangent.hpp"
#include "core/integrators/methods.hpp"
#include "core/integrators/step_watch.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

constexpr double kCoarseStep = 0.5;    // omega dt: a fourth-order method errs by 1e-3 per radian here
constexpr double kGrowingSpin = 1e-3;  // rad a step: an explicit gyroscopic term adds up to (w dt)^2 / 2 of the energy
constexpr double kUnstableStep = 2.0;  // of explicit methods in general: semi-implicit Euler ends here, rk4 at 2.8
constexpr double kCoarseDrive = 0.25;  // of oil, the square of omega dt
constexpr double kCoarseStopDamper = 1.0;  // it swallows an impact: how exactly is no matter
constexpr double kMaxTurningStep = 50.0;   // omega dt of what acts between bodies, for an implicit step: stiffer
                                           // elements turn further in a step than its Newton steps can follow
constexpr double kFollowedSwing = 0.05;    // omega dt of springs, up to which a second-order method keeps their phase
constexpr double kMaxHeldDrive = 1.0;      // the same, where the force is held over the step

std::string shown(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

/// Something fast, and how much of it one step passes over.
struct Rate {
  std::string where;
  std::string what;
  double per_s = 0.0;
  double in_a_step = 0.0;
  double coarse = kCoarseStep;
  enum class Kind { kOscillation, kDecay, kFriction, kDrive, kSpin, kRoughSpin, kTurning } kind = Kind::kOscillation;
};

bool is_spin(const Rate& rate) { return rate.kind == Rate::Kind::kSpin || rate.kind == Rate::Kind::kRoughSpin; }

std::string joint_at(const Model& model, int speed) { return "joint " + model.speed_name(speed); }

/// Those that are not zero.
std::vector<Rate> rates_of(const Model& model, const FastestMotion& f, double dt_s, std::span<const Drive> drives) {
  using Kind = Rate::Kind;
  std::vector<Rate> all;
  const auto add = [&](int speed, const char* what, double per_s, Kind kind) {
    if (speed < 0 || !(per_s > 0.0)) return;
    all.push_back({joint_at(model, speed), what, per_s, per_s * dt_s, kCoarseStep, kind});
  };
  add(f.frequency_speed, "the springs", f.frequency_rad_s, Kind::kOscillation);
  add(f.decay_speed, "the dampers", f.decay_per_s, Kind::kDecay);
  add(f.stop_speed, "the end stop", f.stop_rad_s, Kind::kOscillation);
  add(f.stop_decay_speed, "the damper of the end stop", f.stop_decay_per_s, Kind::kDecay);
  if (f.stop_decay_speed >= 0) all.back().coarse = kCoarseStopDamper;
  add(f.touch_speed, "contacts and ropes", f.touch_rad_s, Kind::kOscillation);
  add(f.touch_speed, "contact friction", f.touch_decay_per_s, Kind::kFriction);
  if (f.element_speed >= 0) {
    all.push_back({joint_at(model, f.element_speed), "the stiffest spring, bushing, rope or contact", f.element_rad_s,
                   f.element_rad_s * dt_s, kMaxTurningStep, Kind::kTurning});
  }
  if (f.drive >= 0) {
    const Drive& drive = drives[at(f.drive)];
    all.push_back(
        {"actuator " + drive.name, "the drive", f.drive_per_s, f.drive_per_s * dt_s, kCoarseDrive, Kind::kDrive});
  }
  const auto add_spin = [&](int body, double rad_s, double coarse, Kind kind) {
    if (body >= 0) all.push_back({"body " + model.body_name(body), "the spin", rad_s, rad_s * dt_s, coarse, kind});
  };
  add_spin(f.spin_body, f.spin_rad_s, kFastSpin, Kind::kSpin);
  add_spin(f.rough_spin_body, f.rough_spin_rad_s, kCoarseSpin, Kind::kRoughSpin);
  return all;
}

double limit_of(const IntegratorKind& kind, const Rate& rate) {
  if (rate.kind == Rate::Kind::kDrive) return kind.max_decay < kNoLimit ? kMaxHeldDrive : kNoLimit;
  const bool decays = rate.kind == Rate::Kind::kDecay || rate.kind == Rate::Kind::kFriction;
  return decays ? kind.max_decay : kind.max_oscillation;
}

const IntegratorKind* find_kind(std::string_view name) {
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::string answer_of(const Rate& rate, double dt_s) {
  return rate.what + (rate.what.back() == 's' ? " answer at " : " answers at ") + shown(rate.per_s) +
         " /s; with dt = " + shown(dt_s) + " s that is " + shown(rate.in_a_step) + " per step";
}

Error warning_of(const Rate& rate, double dt_s, const IntegratorKind* kind) {
  const double limit = kind != nullptr ? std::min(limit_of(*kind, rate), kUnstableStep) : kUnstableStep;
  std::string text = answer_of(rate, dt_s) + ", ";
  if (rate.kind == Rate::Kind::kRoughSpin) {
    text += "and semi_implicit_euler adds up to half the square of that to its energy in each";
  } else if (rate.kind == Rate::Kind::kTurning) {
    text += "and a fast motion may be thrown off, since its direction turns within a step";
  } else if (rate.in_a_step <= limit) {
    text += "too coarse to be accurate";
  } else if (rate.kind == Rate::Kind::kFriction) {
    text += "and what should stick chatters";  // no more: the force is bounded
  } else {
    text += kind != nullptr ? "and " + std::string(kind->name) + " diverges" : "and explicit integrators blow up";
  }
  text += ": take dt below " + shown(0.5 * rate.coarse / rate.per_s) + " s";
  if (rate.kind == Rate::Kind::kRoughSpin)
    text += ", or the integrator rk4";
  else if (rate.kind == Rate::Kind::kTurning)
    text += ", or make it softer, or a rigid joint";
  else if (rate.kind != Rate::Kind::kSpin)
    text += ", or the integrator linearly_implicit";
  return {rate.where, std::move(text)};
}

/// What a method does to springs that are hardly damped; nothing where it follows them, or they do not ring.
std::string ringing(const FastestMotion& f, double dt_s, std::string_view method) {
  if (f.frequency_rad_s * dt_s <= kFollowedSwing || f.decay_per_s >= 2.0 * f.frequency_rad_s) return {};
  if (method == integrators::kLinearlyImplicit.name) return "; where springs ring, that dies out and is not followed";
  if (method == integrators::kSemiImplicitEuler.name) return "; where springs ring, they drift in phase";
  return {};
}

}  // namespace

std::string dense_steps(const Model& model) {
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  const std::optional<FarElement> far = far_element(model, state.q().data(), state.v().data(), ws);
  if (!far) return {};
  const std::string size = std::to_string(model.nv());
  return std::string(far->is_one_sided ? "while a contact or rope" : "since a spring or bushing") + " between bodies " +
         model.body_name(far->body_a) + " and " + model.body_name(far->body_b) +
         " acts, which are no neighbours, a step " + "factorizes a matrix of " + size + " x " + size;
}

std::string describe(const CoarseSteps& coarse, const Model& model) {
  std::string text = std::to_string(coarse.steps) + " steps were too long for the motion: ";
  if (coarse.speed >= 0) text += joint_at(model, coarse.speed) + " went to and fro from step to step";
  if (coarse.body < 0) return text;
  return text + (coarse.speed >= 0 ? ", " : "") + "body " + model.body_name(coarse.body) + " turned by " +
         shown(coarse.turn_rad) + " rad in one";
}

IntegratorChoice choose_integrator(const Model& model, const FastestMotion& fastest, double dt_s,
                                   std::string_view preferred, std::span<const Drive> drives) {
  if (!fastest.regular) return {std::string(preferred), "what is fastest is not known: some motion moves no inertia"};
  const std::vector<Rate> rates = rates_of(model, fastest, dt_s, drives);
  const Rate* stiffest = nullptr;
  for (const Rate& rate : rates) {
    if (is_spin(rate) || rate.kind == Rate::Kind::kTurning || rate.in_a_step <= rate.coarse) continue;
    if (stiffest == nullptr || rate.in_a_step / rate.coarse > stiffest->in_a_step / stiffest->coarse) stiffest = &rate;
  }
  if (stiffest != nullptr) {
    return {"linearly_implicit",
            stiffest->where + ": " + answer_of(*stiffest, dt_s) + ringing(fastest, dt_s, "linearly_implicit")};
  }
  if (preferred == integrators::kSemiImplicitEuler.name) {
    if (const double spin = fastest.rough_spin_rad_s * dt_s; spin > kGrowingSpin) {
      return {"rk4", "body " + model.body_name(fastest.rough_spin_body) + " turns by " + shown(spin) +
                         " rad per step, in a loop, on a moving body or about several axes"};
    }
    if (fastest.ball_body >= 0) {
      return {"rk4", "body " + model.body_name(fastest.ball_body) + " may spin, in a loop or on a moving body"};
    }
  }
  double most = 0.0;
  for (const Rate& rate : rates) {
    if (rate.kind != Rate::Kind::kTurning) most = std::max(most, rate.in_a_step);
  }
  if (most == 0.0) return {std::string(preferred), "nothing is stiff here, and nothing fast at the start"};
  return {std::string(preferred), "the step resolves all that is fast here: at most " + shown(most) + " per step" +
                                      ringing(fastest, dt_s, preferred)};
}

std::vector<Error> step_warnings(const Model& model, const FastestMotion& fastest, double dt_s,
                                 std::string_view integrator, std::span<const Drive> drives) {
  std::vector<Error> found;
  if (!fastest.regular) return found;
  const IntegratorKind* const kind = find_kind(integrator);
  for (const Rate& rate : rates_of(model, fastest, dt_s, drives)) {
    const bool is_euler = kind != nullptr && kind->name == integrators::kSemiImplicitEuler.name;
    if (rate.kind == Rate::Kind::kRoughSpin && !is_euler) continue;
    if (rate.kind == Rate::Kind::kTurning) {
      const bool is_implicit = kind != nullptr && kind->max_oscillation >= kNoLimit;
      if (is_implicit && rate.in_a_step > rate.coarse) found.push_back(warning_of(rate, dt_s, kind));
      continue;
    }
    double coarse = rate.coarse;
    if (kind != nullptr) {
      const double limit = limit_of(*kind, rate);
      const bool follows_all = !is_spin(rate) && limit >= kNoLimit;
      if (follows_all) continue;
      coarse = std::min(coarse, limit);
    }
    if (rate.in_a_step > coarse) found.push_back(warning_of(rate, dt_s, kind));
  }
  return found;
}

}  // namespace kinloop
