// Tries each integrator, and again with shorter steps what goes wrong.
#include "tests/adversary/integrator_trouble.hpp"

#include "tests/adversary/text.hpp"

namespace kinloop::adversary {
namespace {

// Core closes loops to 1e-11; what is open by this much is not closed.
constexpr double kOpen = 1e-7;
// Halving the step leaves less than this of what an integrator of the first order drifts.
constexpr double kShrinks = 0.75;

class IntegratorJudge {
 public:
  IntegratorJudge(const Subject& subject, const std::string& formulation, std::optional<Real> least_drift_J,
                  const Trial& reference)
      : subject_(subject), formulation_(formulation), least_drift_J_(least_drift_J), reference_(reference) {}

  std::string trouble(std::string_view integrator, const TrialPlan& plan) const {
    const Trial trial = run_trial(subject_, formulation_, integrator, plan);
    if (!trial.finished(plan)) {
      return text("stops after %.3g s: ", trial.steps * plan.dt_s) + std::string(describe(trial.status));
    }
    if (trial.open > kOpen && trial.open > 100 * reference_.open) {
      return text("leaves loops open by %.1e", static_cast<double>(trial.open));
    }
    if (!least_drift_J_ || !drifts(trial, reference_, *least_drift_J_)) return {};
    const TrialPlan half = plan.with_step_divided(2);
    const Trial halved = run_trial(subject_, formulation_, integrator, half);
    if (halved.finished(half) && halved.drift_J <= kShrinks * trial.drift_J) return {};
    return text("drifts %.1e of %.1e J, with half the step %.1e J, rk4 %.1e J", static_cast<double>(trial.drift_J),
                static_cast<double>(reference_.exchanged_J), static_cast<double>(halved.drift_J),
                static_cast<double>(reference_.drift_J));
  }

  /// What a shorter step cures is the order of the method.
  int cured_by(std::string_view integrator, const TrialPlan& plan) const {
    for (const int share : {8, 64}) {
      if (trouble(integrator, plan.with_step_divided(share)).empty()) return share;
    }
    return 0;
  }

 private:
  const Subject& subject_;
  const std::string& formulation_;
  std::optional<Real> least_drift_J_;
  const Trial& reference_;
};

}  // namespace

std::vector<Trouble> integrator_trouble(const Subject& subject, const std::string& formulation, const TrialPlan& plan,
                                        std::optional<Real> least_drift_J) {
  const TrialPlan fine = plan.with_step_divided(4);
  const Trial reference = run_trial(subject, formulation, "rk4", fine);
  if (!reference.finished(fine)) return {};
  const IntegratorJudge judge(subject, formulation, least_drift_J, reference);
  std::vector<Trouble> found;
  for (const IntegratorKind& kind : integrator_kinds()) {
    const std::string trouble = judge.trouble(kind.name, plan);
    if (!trouble.empty()) found.push_back({std::string(kind.name), trouble, judge.cured_by(kind.name, plan)});
  }
  return found;
}

}  // namespace kinloop::adversary
