// Compares, moves and counts.
#include "tests/adversary/judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/constraints/compile.hpp"
#include "tests/adversary/integrator_trouble.hpp"
#include "tests/adversary/stop_facts.hpp"
#include "tests/adversary/text.hpp"
#include "tests/adversary/tolerance.hpp"
#include "tests/adversary/trial.hpp"

namespace kinloop::adversary {
namespace {

// Where even the best one drifts by more than this, the step does not resolve the motion.
constexpr double kUnresolvedShare = 1e-3;
constexpr int kPieceSteps = 200;  // of a motion whose energy tells nothing
constexpr double kSameMotion = 1e-6;
// What the step leaves open, each formulation closes in its own way: they may differ by this many times as much.
constexpr double kLeftOpen = 10.0;
// Constraints that stand out by less may count or not; by less than the second, they do not.
constexpr double kWeak = 1e-8;
constexpr double kRowOfRounding = 1e-13;
// Integrators are tried over this part of the motion: formulations over all of it.
constexpr int kIntegratorShare = 10;

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

  struct Expected {
    Reference reference;
    VectorXR tolerance;
  };

  /// What the reference says; where rounding decides which constraints count, what it says of more and of fewer, too.
  /// Which combination of rows is left out is not one question: answers may lie between and beside these by as much as
  /// they differ.
  std::vector<Expected> all_expected(const Situation& now, const Reference& reference, double share) const {
    std::vector<Expected> all;
    const auto add = [&](const Reference& of) {
      all.push_back({of, tolerance_of(draw_.spec, topology_, now, of, share)});
    };
    add(reference);
    if (reference.verdict == Verdict::kRegular) return all;
    for (Reference fewer = reference; fewer.rank > 1 && fewer.kept < kWeak;) {
      fewer = solve_reference(draw_.spec, topology_, now, fewer.rank - 1);
      add(fewer);
    }
    for (Reference more = reference; more.dofs > 0 && more.dropped > kRowOfRounding;) {
      more = solve_reference(draw_.spec, topology_, now, more.rank + 1);
      add(more);
    }
    VectorXR apart = VectorXR::Zero(reference.vdot.size());
    for (const Expected& each : all) apart = apart.cwiseMax((each.reference.vdot - reference.vdot).cwiseAbs());
    for (Expected& each : all) each.tolerance += kLeftOpen * apart;
    return all;
  }

  /// The one that an answer is nearest to, and how near.
  static std::pair<const Expected*, double> nearest(const std::vector<Expected>& all, const VectorX& vdot) {
    std::pair<const Expected*, double> found{nullptr, 0.0};
    for (const Expected& each : all) {
      const double ratio = ratio_of(vdot.cast<Real>() - each.reference.vdot, each.tolerance);
      if (found.first == nullptr || ratio < found.second) found = {&each, ratio};
    }
    return found;
  }

  void compare_accelerations(const Situation& now, const Reference& reference, double share, const std::string& when) {
    const bool regular = reference.verdict == Verdict::kRegular;
    const std::vector<Expected> expected = all_expected(now, reference, share);
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
      if (!regular && status != StepStatus::kOk) continue;  // no branch may lead on from there
      method.compared = true;
      if (status != StepStatus::kOk) {
        method.stopped = true;
        find(method, "accelerations", when + ": " + std::string(describe(status)));
        continue;
      }
      const auto [meant, ratio] = nearest(expected, ws.vdot);
      const VectorXR error = ws.vdot.cast<Real>() - meant->reference.vdot;
      method.ratio = std::max(method.ratio, ratio);
      if (ratio <= 1.0) continue;
      const double most =
          static_cast<double>(error.cwiseQuotient(speed_units(draw_.spec, topology_)).cwiseAbs().maxCoeff());
      const double size = static_cast<double>(
          meant->reference.vdot.cwiseQuotient(speed_units(draw_.spec, topology_)).cwiseAbs().maxCoeff());
      find(method, "accelerations",
           when + text(": error %.1e of %.1e, %.1e times its tolerance; least singular value %.1e", most, size, ratio,
                       static_cast<double>(meant->reference.kept)));
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
  bool starts_as_best(const std::string& method, const TrialPlan& plan) const {
    constexpr double kSame = 1e-3;
    if (start_.verdict == Verdict::kRegular) return true;
    const State state = plan.start(subject_.model);
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
    const TrialPlan fine = plan.with_step_divided(4);
    for (MethodVerdict& method : out_.methods) {
      if (!trials.contains(method.method)) continue;
      const Trial& trial = trials.at(method.method);
      if (!trial.finished(plan) || !drifts(trial, best, least_drift_J_)) continue;
      if (finer.empty()) finer[best_method_] = run_trial(subject_, best_method_, "rk4", fine);
      if (!finer.contains(method.method)) finer[method.method] = run_trial(subject_, method.method, "rk4", fine);
      const Trial& again = finer.at(method.method);
      const Trial& reference = finer.at(best_method_);
      if (again.finished(fine) && reference.finished(fine) && !drifts(again, reference, least_drift_J_)) continue;
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
    if (!starts_as_best(method.method, plan)) {
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

  /// Where energy tells nothing: coordinates, against those that most agree on, in pieces so short that rounding does
  /// not grow much. All begin a piece where the middle one ended the piece before.
  void compare_motions() {
    TrialPlan whole = plan_for(start_);
    whole.steps = std::max(10, static_cast<int>(whole.steps * options_.shorten));
    plan_ = whole;
    out_.motion_note = text("dt %.2g s, %d steps, not conservative", whole.dt_s, whole.steps);
    std::optional<State> from;
    for (int done = 0; done < whole.steps; done += kPieceSteps) {
      TrialPlan plan{whole.dt_s, std::min(kPieceSteps, whole.steps - done), 4, from ? &*from : nullptr};
      const auto trials = run_all(plan);
      const auto [middle, spread] = middle_of(subject_, trials, plan);
      if (middle.empty()) {
        out_.motion_note += text(", all stop after %d steps", done);
        judge_stops_of_all(trials, plan);
        return;
      }
      best_method_ = middle;
      judge_stops(trials, plan);
      compare_piece(trials, plan, middle, std::max(kSameMotion, kDriftFactor * spread));
      if (done == 0) compare_on_the_way(trials.at(middle));
      from = trials.at(middle).end;
    }
  }

  void compare_piece(const std::map<std::string, Trial>& trials, const TrialPlan& plan, const std::string& middle,
                     double enough) {
    for (MethodVerdict& method : out_.methods) {
      if (!trials.contains(method.method) || !trials.at(method.method).finished(plan)) continue;
      const double away = motion_distance(subject_, trials.at(method.method), trials.at(middle));
      if (away <= enough || !starts_as_best(method.method, plan)) continue;
      const ShorterSteps shorter = with_shorter_steps(method.method, middle, plan, enough);
      if (shorter.apart <= enough) continue;
      const std::string what = text("coordinates after %.3g s differ by %.1e (dt/16: %.1e) from ",
                                    plan.steps * plan.dt_s, away, shorter.apart) +
                               middle;
      if (shorter.apart <= kLeftOpen * shorter.changed) {
        set_apart(method, "motion needs shorter steps", what + text("; the step itself changes %.1e", shorter.changed));
        continue;
      }
      method.drift_ratio = away / kSameMotion;
      find(method, "motion", what);
    }
  }

  struct ShorterSteps {
    double apart = 0.0;    // two formulations
    double changed = 0.0;  // what shortening the step still changes of the second
  };

  /// With a quarter of the step and, where that is not enough, with a sixteenth: formulations that solve the same
  /// equations come to the same motion.
  ShorterSteps with_shorter_steps(const std::string& a, const std::string& b, const TrialPlan& plan,
                                  double enough) const {
    ShorterSteps out;
    std::optional<Trial> longer;
    for (const int share : {4, 16}) {
      const TrialPlan fine = plan.with_step_divided(share);
      const Trial of_b = run_trial(subject_, b, "rk4", fine);
      out.apart = motion_distance(subject_, run_trial(subject_, a, "rk4", fine), of_b);
      if (longer) out.changed = motion_distance(subject_, *longer, of_b);
      if (out.apart <= enough) break;
      longer = of_b;
    }
    return out;
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
    plan.steps = std::max(10, plan.steps / kIntegratorShare);
    plan.samples = 10;
    std::optional<Real> least_drift_J;
    if (draw_.conservative) least_drift_J = least_drift_J_;
    for (const Trouble& trouble : integrator_trouble(subject_, method.method, plan, least_drift_J)) {
      if (trouble.cured_by > 0) {
        set_apart(method, trouble.integrator + " needs shorter steps",
                  trouble.text + text("; not with 1/%d of the step", trouble.cured_by));
        continue;
      }
      const bool was_wrong = method.wrong;
      find(method, "integrator " + trouble.integrator, trouble.text);
      method.wrong = was_wrong;  // the integrator's, not the formulation's
    }
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
