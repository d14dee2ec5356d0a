// Compares, moves and counts.
#include "tests/adversary/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/base/at.hpp"
#include "core/constraints/compile.hpp"
#include "tests/adversary/stop_facts.hpp"
#include "tests/adversary/tolerance.hpp"
#include "tests/adversary/trial.hpp"

namespace kinloop::adversary {
namespace {

// A formulation is wrong in motion if it drifts by more than both: of the best one's drift, of the energy exchanged.
constexpr double kDriftFactor = 100.0;
constexpr double kDriftShare = 1e-6;
// Nor is a drift one that rounding of the positions alone makes (energy_tolerance).
// Where even the best one drifts by more than this, the step does not resolve the motion.
constexpr double kUnresolvedShare = 1e-3;
// Core closes loops to 1e-11; what is open by this much is not closed.
constexpr double kOpen = 1e-7;
constexpr double kComparedTime_s = 0.2;
constexpr double kSameMotion = 1e-6;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

double ratio_of(const VectorXR& error, const VectorXR& tolerance) {
  double most = 0.0;
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const double r = static_cast<double>(std::abs(error[i]) / tolerance[i]);
    most = std::isfinite(r) ? std::max(most, r) : 1e300;
  }
  return most;
}

class Judge {
 public:
  Judge(const Draw& draw, const Model& model, const JudgeOptions& options)
      : draw_(draw), options_(options), topology_(draw.spec), subject_{draw.spec, topology_, model} {
    start_ = solve_reference(draw.spec, topology_, initial_situation(draw.spec));
    out_.state = name_of(start_.verdict);
    out_.kept = static_cast<double>(start_.kept);
    out_.dropped = static_cast<double>(start_.dropped);
    out_.dofs = start_.dofs;
    for (const DynamicsKind& kind : dynamics_kinds()) {
      if (kind.refusal(model).empty()) add_method(std::string(kind.name));
    }
    add_method("auto");
    chosen_ = choose_dynamics(model).name;
  }

  Judgement run() {
    compare_accelerations(initial_situation(draw_.spec), start_, kPerturbation, "at the start");
    if (options_.motion) {
      if (draw_.conservative) {
        watch_energy();
      } else {
        compare_motions();
      }
      if (options_.integrators) try_integrators();
    }
    return std::move(out_);
  }

 private:
  void add_method(const std::string& name) {
    MethodVerdict verdict;
    verdict.method = name;
    out_.methods.push_back(verdict);
  }

  void find(MethodVerdict& method, const std::string& check, const std::string& what) {
    method.wrong = true;
    add_once({check, method.method, what}, out_.findings);
  }

  /// Counted apart and printed, not a finding.
  void set_apart(const MethodVerdict& method, const std::string& why, const std::string& what) {
    add_once({why, method.method, what}, out_.apart);
  }

  void add_once(const Finding& found, std::vector<Finding>& list) const {
    if (!options_.only.empty() && found.method != options_.only) return;
    const auto is_same = [&](const Finding& f) { return f.check == found.check && f.method == found.method; };
    if (std::none_of(list.begin(), list.end(), is_same)) list.push_back(found);
  }

  void compare_accelerations(const Situation& now, const Reference& reference, double share, const std::string& when) {
    const bool regular = reference.verdict == Verdict::kRegular;
    VectorXR tolerance;
    if (regular) tolerance = tolerance_of(draw_.spec, topology_, now, reference, share);
    const VectorX q = now.q.cast<double>(), v = now.v.cast<double>();
    for (MethodVerdict& method : out_.methods) {
      if (method.refused) continue;
      const auto dynamics = std::move(make_dynamics(method.method, subject_.model)).value();
      Workspace ws(subject_.model);
      const Loads loads(subject_.model);
      const StepStatus status =
          accelerations(subject_.model, q.data(), v.data(), static_cast<double>(now.time_s), loads, *dynamics, ws);
      if (status == StepStatus::kSingularMass && !reference.tree_has_inertia && method.method != "auto" &&
          method.method != chosen_) {
        method.refused = true;  // it needs the inertia of the open tree, which there is not, and says so
        continue;
      }
      if (!regular) continue;
      method.compared = true;
      if (status != StepStatus::kOk) {
        method.stopped = true;
        find(method, "accelerations", when + ": " + std::string(describe(status)));
        continue;
      }
      const VectorXR error = ws.vdot.cast<Real>() - reference.vdot;
      const double ratio = ratio_of(error, tolerance);
      method.ratio = std::max(method.ratio, ratio);
      if (ratio <= 1.0) continue;
      const double most =
          static_cast<double>(error.cwiseQuotient(speed_units(draw_.spec, topology_)).cwiseAbs().maxCoeff());
      const double size =
          static_cast<double>(reference.vdot.cwiseQuotient(speed_units(draw_.spec, topology_)).cwiseAbs().maxCoeff());
      find(method, "accelerations",
           when + text(": error %.1e of %.1e, %.1e times its tolerance; least singular value %.1e", most, size, ratio,
                       static_cast<double>(reference.kept)));
    }
  }

  /// One run for each that is the same: auto is one of the others.
  std::map<std::string, Trial> run_all(const TrialPlan& plan) {
    std::map<std::string, Trial> trials;
    for (const MethodVerdict& method : out_.methods) {
      if (method.refused || method.method == "auto") continue;
      trials[method.method] = run_trial(subject_, method.method, "rk4", plan);
    }
    for (const MethodVerdict& method : out_.methods) {
      if (method.method != "auto") continue;
      trials["auto"] = trials.contains(chosen_) ? trials.at(chosen_) : run_trial(subject_, "auto", "rk4", plan);
    }
    return trials;
  }

  struct Best {
    const Trial* trial = nullptr;
    std::string method;
  };

  Best best_of(const std::map<std::string, Trial>& trials, const TrialPlan& plan) const {
    Best best;
    for (const auto& [name, trial] : trials) {
      if (!trial.finished(plan) || (best.trial != nullptr && trial.drift_J >= best.trial->drift_J)) continue;
      best.trial = &trial;
      best.method = name;
    }
    return best;
  }

  bool drifts(const Trial& trial, const Trial& best) const {
    return trial.drift_J > kDriftFactor * best.drift_J && trial.drift_J > kDriftShare * best.exchanged_J &&
           trial.drift_J > least_drift_J_;
  }

  void watch_energy() {
    out_.resolved = false;
    least_drift_J_ = energy_tolerance(draw_.spec, topology_, initial_situation(draw_.spec));
    TrialPlan plan = plan_for(start_);
    plan.steps = std::max(10, static_cast<int>(plan.steps * options_.shorten));
    // A step that leaves the best one with more drift than a wrong one may have hides errors: then an eighth of it,
    // too.
    for (int pass = 0; pass < 2; ++pass) {
      const auto trials = run_all(plan);
      const Best best = best_of(trials, plan);
      plan_ = plan;
      out_.motion_note += text("%sdt %.2g s, %d steps, ", pass > 0 ? "; " : "", plan.dt_s, plan.steps);
      plan.dt_s /= 8.0;
      plan.steps = std::max(10, plan.steps / 3);
      if (best.trial == nullptr) {
        out_.motion_note += "all stop";
        judge_stops_of_all(trials, plan_);
        continue;
      }
      if (!out_.resolved) best_method_ = best.method;
      judge_stops(trials, plan_);
      const double drift = static_cast<double>(best.trial->drift_J),
                   exchanged = static_cast<double>(best.trial->exchanged_J);
      out_.motion_note += text("best drift %.1e of %.1e J (", drift, exchanged) + best.method + ")";
      if (drift > kUnresolvedShare * exchanged) {
        out_.motion_note += ", unresolved";
        continue;
      }
      out_.resolved = true;
      best_method_ = best.method;
      judge_drifts(trials, plan_, *best.trial);
      if (pass == 0) compare_on_the_way(*best.trial);
      if (drift <= kDriftShare * exchanged) break;
    }
  }

  /// Whether a formulation leaves an ambiguous start as the best one does: whether a constraint that stands out by 1e-9
  /// counts there is for rounding to say, and a push into or along it are different motions.
  bool starts_as_best(const std::string& method) const {
    constexpr double kSame = 1e-3;
    if (start_.verdict == Verdict::kRegular) return true;
    const State state(subject_.model);
    Workspace own(subject_.model), best(subject_.model);
    const Loads loads(subject_.model);
    accelerations(subject_.model, state, loads, *std::move(make_dynamics(method, subject_.model)).value(), own);
    accelerations(subject_.model, state, loads, *std::move(make_dynamics(best_method_, subject_.model)).value(), best);
    return (own.vdot - best.vdot).lpNorm<Eigen::Infinity>() <= kSame * best.vdot.lpNorm<Eigen::Infinity>();
  }

  void judge_stops(const std::map<std::string, Trial>& trials, const TrialPlan& plan) {
    for (MethodVerdict& method : out_.methods) {
      if (!trials.contains(method.method)) continue;
      const Trial& trial = trials.at(method.method);
      if (!trial.finished(plan)) judge_stop(method, trial, plan);
    }
  }

  /// Where none finishes, one may still stop where another goes on: the first is looked at. The one that comes farthest
  /// is the best.
  void judge_stops_of_all(const std::map<std::string, Trial>& trials, const TrialPlan& plan) {
    const std::string kept = best_method_;
    best_method_.clear();
    for (const auto& [name, trial] : trials) {
      if (best_method_.empty() || trial.steps > trials.at(best_method_).steps) best_method_ = name;
    }
    MethodVerdict* first = nullptr;
    for (MethodVerdict& method : out_.methods) {
      if (!trials.contains(method.method) || method.method == "auto") continue;
      if (first == nullptr || trials.at(method.method).steps < trials.at(first->method).steps) first = &method;
    }
    if (first != nullptr) judge_stop(*first, trials.at(first->method), plan);
    best_method_ = kept;
  }

  void judge_drifts(const std::map<std::string, Trial>& trials, const TrialPlan& plan, const Trial& best) {
    // A drift counts if a quarter of the step does not cure it.
    std::map<std::string, Trial> finer;
    TrialPlan fine = plan;
    fine.dt_s /= 4.0;
    fine.steps *= 4;
    for (MethodVerdict& method : out_.methods) {
      if (!trials.contains(method.method)) continue;
      const Trial& trial = trials.at(method.method);
      if (!trial.finished(plan) || !drifts(trial, best)) continue;
      if (finer.empty()) finer[best_method_] = run_trial(subject_, best_method_, "rk4", fine);
      if (!finer.contains(method.method)) finer[method.method] = run_trial(subject_, method.method, "rk4", fine);
      const Trial& again = finer.at(method.method);
      const Trial& reference = finer.at(best_method_);
      if (again.finished(fine) && reference.finished(fine) && !drifts(again, reference)) continue;
      method.drift_ratio = static_cast<double>(trial.drift_J / best.drift_J);
      find(method, "motion",
           text("drifts %.1e of %.1e J, the best %.1e J; dt/4: %.1e, %.1e", static_cast<double>(trial.drift_J),
                static_cast<double>(best.exchanged_J), static_cast<double>(best.drift_J),
                static_cast<double>(again.drift_J), static_cast<double>(reference.drift_J)));
    }
  }

  /// A finding, unless no formulation goes on from there.
  void judge_stop(MethodVerdict& method, const Trial& trial, const TrialPlan& plan) {
    std::string what = text("stops after %.3g s: ", trial.steps * plan.dt_s) + std::string(describe(trial.status));
    if (!starts_as_best(method.method)) {
      set_apart(method, "start between two motions", what);
      return;
    }
    std::vector<std::string> others;
    for (const MethodVerdict& other : out_.methods) {
      if (!other.refused && other.method != "auto" && other.method != method.method) others.push_back(other.method);
    }
    const StopFacts facts = look_at_stop(subject_, method.method, others, plan, trial.steps);
    what += "; " + facts.told();
    if (facts.is_shared()) {
      set_apart(method, facts.excuse(), what);
      return;
    }
    method.stopped = true;
    find(method, "motion", what);
  }

  /// Accelerations again at states that the best run went through.
  void compare_on_the_way(const Trial& trial) {
    constexpr int kStates = 4;
    const int count = static_cast<int>(trial.q_samples.size());
    for (int i = 1; i <= kStates; ++i) {
      const auto k = at(i * (count - 1) / kStates);
      const Situation now = situation_of(trial.q_samples[k], trial.v_samples[k], trial.time_s[k]);
      const Reference there = solve_reference(draw_.spec, topology_, now);
      if (there.rank != start_.rank) continue;
      const Openness open = openness_of(draw_.spec, topology_, now);
      const double share = std::max({kPerturbation, static_cast<double>(open.error), static_cast<double>(open.rate)});
      compare_accelerations(now, there, share, text("after %.3g s", trial.time_s[k]));
    }
  }

  /// Where energy tells nothing: coordinates after a short time, against those that most agree on.
  void compare_motions() {
    TrialPlan plan = plan_for(start_);
    plan.steps = std::max(10, static_cast<int>(kComparedTime_s / 1e-3));
    plan.samples = 4;
    plan_ = plan;
    auto trials = run_all(plan);
    const auto [middle, spread] = middle_of(subject_, trials, plan);
    out_.motion_note = text("dt %.2g s, %d steps, not conservative", plan.dt_s, plan.steps);
    if (middle.empty()) {
      out_.motion_note += ", all stop";
      judge_stops_of_all(trials, plan);
      return;
    }
    best_method_ = middle;
    for (MethodVerdict& method : out_.methods) {
      if (!trials.contains(method.method)) continue;
      const Trial& trial = trials.at(method.method);
      if (!trial.finished(plan)) {
        judge_stop(method, trial, plan);
        continue;
      }
      if (start_.verdict != Verdict::kRegular) continue;  // more than one motion may go on from there
      const double away = motion_distance(subject_, trial, trials.at(middle));
      if (away <= std::max(kSameMotion, kDriftFactor * spread)) continue;
      const double finest =
          distance_by_shorter_steps(method.method, middle, plan, std::max(kSameMotion, kDriftFactor * spread));
      if (finest <= std::max(kSameMotion, kDriftFactor * spread)) continue;
      method.drift_ratio = away / kSameMotion;
      find(method, "motion",
           text("coordinates after %.3g s differ by %.1e (dt/16: %.1e) from ", plan.steps * plan.dt_s, away, finest) +
               middle);
    }
    compare_on_the_way(trials.at(middle));
  }

  /// Between two formulations with a quarter of the step and, where that is not enough, with a sixteenth: those that
  /// solve the same equations come to the same motion.
  double distance_by_shorter_steps(const std::string& a, const std::string& b, TrialPlan plan, double enough) const {
    double away = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
      plan.dt_s /= 4.0;
      plan.steps *= 4;
      away = motion_distance(subject_, run_trial(subject_, a, "rk4", plan), run_trial(subject_, b, "rk4", plan));
      if (away <= enough) break;
    }
    return away;
  }

  /// Every integrator with one formulation, another one for every seed.
  void try_integrators() {
    std::vector<MethodVerdict*> able;
    for (MethodVerdict& method : out_.methods) {
      if (!method.refused && !method.wrong && method.method != "auto") able.push_back(&method);
    }
    if (able.empty() || best_method_.empty() || !out_.resolved) return;
    MethodVerdict& method = *able[at(static_cast<std::ptrdiff_t>(draw_.seed % able.size()))];
    TrialPlan plan = plan_;
    plan.steps = std::max(10, plan.steps / 10);
    plan.samples = 10;
    TrialPlan fine = plan;
    fine.dt_s /= 4.0;
    fine.steps *= 4;
    const Trial reference = run_trial(subject_, method.method, "rk4", fine);
    if (!reference.finished(fine)) return;
    for (const IntegratorKind& kind : integrator_kinds()) {
      std::string trouble = trouble_with(method.method, kind.name, plan, reference);
      if (trouble.empty()) continue;
      if (const int share = cured_by(method.method, kind.name, plan, reference); share > 0) {
        set_apart(method, std::string(kind.name) + " needs shorter steps",
                  trouble + text("; not with 1/%d of the step", share));
        continue;
      }
      const bool was_wrong = method.wrong;
      find(method, "integrator " + std::string(kind.name), trouble);
      method.wrong = was_wrong;  // the integrator's, not the formulation's
    }
  }

  /// What a shorter step cures is the order of the method. 0: none of those tried does.
  int cured_by(const std::string& method, std::string_view integrator, const TrialPlan& plan,
               const Trial& reference) const {
    for (const int share : {8, 64}) {
      const TrialPlan shorter{plan.dt_s / share, plan.steps * share, plan.samples};
      if (trouble_with(method, integrator, shorter, reference).empty()) return share;
    }
    return 0;
  }

  std::string trouble_with(const std::string& method, std::string_view integrator, const TrialPlan& plan,
                           const Trial& reference) const {
    const Trial trial = run_trial(subject_, method, integrator, plan);
    if (!trial.finished(plan)) {
      return text("stops after %.3g s: ", trial.steps * plan.dt_s) + std::string(describe(trial.status));
    }
    if (trial.open <= kOpen || trial.open <= 100 * reference.open) return {};
    return text("leaves loops open by %.1e", static_cast<double>(trial.open));
  }

  const Draw& draw_;
  JudgeOptions options_;
  Topology topology_;
  Subject subject_;
  Reference start_;
  TrialPlan plan_;
  Real least_drift_J_ = 0;
  std::string best_method_;
  std::string chosen_;  // by auto
  Judgement out_;
};

}  // namespace

Judgement judge(const Draw& draw, const JudgeOptions& options) {
  const auto model = compile(draw.spec);
  if (!model) return {};
  return Judge(draw, *model, options).run();
}

}  // namespace kinloop::adversary
