// Asks one formulation after the other until an answer stands its check.
#include "core/dynamics/loops/verified.hpp"

#include <algorithm>
#include <limits>

#include "core/dynamics/loops/answer_check.hpp"

namespace kinloop {
namespace {

/// Below this an answer is taken as it is: healthy ones stay below 1e-11.
constexpr double kFine = 1e-10;
/// Up to this the change that was found is taken into the answer; beyond, the answer is given up.
constexpr double kBound = 1e-6;

/// No answer that would still change by more than this is taken, whatever the conditioning.
constexpr double kConditioned = 1e-3;

/// Next to a singular position rounding alone changes more: twelve digits are left where constraints stand out by all
/// of their length, fewer where by less.
constexpr double kRounding = 2e-12;
double bound_of_change(double conditioning) noexcept {
  return std::clamp(kRounding / conditioning, kBound, kConditioned);
}
/// What constraints may be missed by for the same reason. More, and the rows of the formulation were not those of the mechanism:
/// neither then are the directions in which it lets it move, which refinement closes the gap along.
double bound_of_constraints(double conditioning) noexcept { return std::clamp(kRounding / conditioning, kFine, kBound); }

class Verified final : public Dynamics {
 public:
  Verified(const Model& model, std::vector<std::unique_ptr<Dynamics>> formulations)
      : formulations_(std::move(formulations)), check_(model) {}

  std::string_view name() const noexcept override { return formulations_[0]->name(); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    if (held_) return verified_stage(model, ws, Singular::kBelieved);
    used_ = first_;
    if (is_alone_) return answer_alone(model, ws);
    StepStatus status = verified_start(model, ws);
    bool is_refinable = status == StepStatus::kUnverified;
    while (status != StepStatus::kOk && used_ + 1 < formulations_.size()) {
      ++used_;
      ++report_.fallbacks;
      status = verified_start(model, ws);
      is_refinable = is_refinable || status == StepStatus::kUnverified;
    }
    // Whatever the last of them said: an answer of one before may be short of digits only.
    if (status != StepStatus::kOk && is_refinable) status = refined_start(model, ws);
    take_report();
    return status;
  }

  bool takes_armature(const VectorX& added) const noexcept override {
    return std::all_of(formulations_.begin(), formulations_.end(),
                       [&](const auto& each) { return each->takes_armature(added); });
  }

  /// By the next one where there are no factors: inertia of the open tree may be lost to rounding from one state to the
  /// next, and a step must not end with its loops open for that.
  StepStatus refactorize(const Model& model, Workspace& ws) noexcept override {
    StepStatus status = used().refactorize(model, ws);
    while (status != StepStatus::kOk && !is_alone_ && used_ + 1 < formulations_.size()) {
      ++used_;
      ++report_.fallbacks;
      status = used().refactorize(model, ws);
    }
    return status;
  }
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    used().refine(tau, gap, change);
  }
  void refine_bodies(const Model& model, const Workspace& ws, std::vector<SpatialVector>& force, VectorX& tau,
                     const ConstraintTarget& gap, VectorX& change) noexcept override {
    used().refine_bodies(model, ws, force, tau, gap, change);
  }
  bool is_singular() const noexcept override { return formulations_[used_]->is_singular(); }

  /// The next one, with those after it to help; when there is none left, each by itself: where an answer was passed on
  /// because it was not verified at once, the one that helped may be the one that does not come through the step.
  bool fall_back() noexcept override {
    const bool was_last = (is_alone_ ? first_ : used_) + 1 == formulations_.size();
    if (was_last && (is_alone_ || formulations_.size() == 1)) return false;
    first_ = is_alone_ ? first_ + 1 : (was_last ? 0 : used_ + 1);
    is_alone_ = is_alone_ || was_last;
    ++report_.fallbacks;
    return true;
  }
  void trust_again() noexcept override {
    first_ = 0;
    is_alone_ = false;
  }

  void freeze_basis() noexcept override {
    held_ = true;
    used().freeze_basis();
  }
  void release_basis() noexcept override {
    held_ = false;
    for (const auto& each : formulations_) each->release_basis();
  }
  void read_basis(const State& state) noexcept override {
    for (const auto& each : formulations_) each->read_basis(state);
  }
  void write_basis(State& state) const noexcept override { formulations_[0]->write_basis(state); }
  void solve_dependents(VectorX& q) noexcept override { used().solve_dependents(q); }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override { used().project(motion, step); }

 private:
  Dynamics& used() noexcept { return *formulations_[used_]; }

  /// In a singular position loop constraints may ask for what does not exist: there the rows that count are kept, and
  /// whether they are is seen by the refinement. One formulation's word is not enough for that, as long as others may
  /// disagree.
  enum class Singular { kDoubted, kBelieved };

  /// At the start of a step rows that count and rows that do not can contradict each other by the speeds alone: no
  /// branch leads on along them, and what would follow is chance. Behind it, off the singular position, they always do.
  bool keeps_constraints(const Model& model, const Workspace& ws, Singular singular) noexcept {
    const double missed = check_.constraint_error(model, ws);
    const bool goes_on = held_ || missed <= kConditioned;
    const bool is_singular = singular == Singular::kBelieved && goes_on && used().is_singular();
    if (!(missed <= kBound) && !is_singular && !(missed <= AnswerCheck::allowed(ws))) {
      report_.failed_loop = check_.worst_loop();
      return false;
    }
    if (!is_singular) report_.worst_closure = std::max(report_.worst_closure, missed);
    return true;
  }

  StepStatus verified_stage(const Model& model, Workspace& ws, Singular singular) noexcept {
    const StepStatus status = used().solve(model, ws);
    if (status != StepStatus::kOk) return status;
    return keeps_constraints(model, ws, singular) ? StepStatus::kOk : StepStatus::kUnverified;
  }

  StepStatus verified_start(const Model& model, Workspace& ws) noexcept {
    const StepStatus status = verified_stage(model, ws, Singular::kDoubted);
    if (status != StepStatus::kOk) return status;
    const double conditioning = used().report().conditioning;
    const double missed = check_.missed();
    if (missed > bound_of_constraints(conditioning) && missed > AnswerCheck::allowed(ws)) {
      report_.failed_loop = check_.worst_loop();
      return StepStatus::kUnverified;
    }
    const double change = check_.change(model, ws, used());
    if (change <= kFine) return StepStatus::kOk;
    if (!(change <= bound_of_change(conditioning))) {
      report_.failed_loop = check_.worst_loop();
      return StepStatus::kUnverified;
    }
    report_.worst_change = std::max(report_.worst_change, change);
    check_.apply_change(model, ws);
    return keeps_constraints(model, ws, Singular::kDoubted) ? StepStatus::kOk : StepStatus::kUnverified;
  }

  /// Where no answer stands at once: in a singular position that all agree on, or where digits are short. Refinement
  /// leads any answer to that of the equations themselves, as far as rounding lets it: what it stops at is the
  /// conditioning of the mechanism (grams beside tonnes, millimetres beside a hundred metres), not an error of a
  /// formulation.
  StepStatus refined_start(const Model& model, Workspace& ws) noexcept {
    for (used_ = first_; used_ < formulations_.size(); ++used_) {
      if (is_refined(model, ws)) return StepStatus::kOk;
    }
    used_ = formulations_.size() - 1;
    report_.failed_loop = check_.worst_loop();
    return StepStatus::kUnverified;
  }

  bool is_refined(const Model& model, Workspace& ws) noexcept {
    constexpr int kMaxRefinements = 4;
    bool keeps = verified_stage(model, ws, Singular::kBelieved) == StepStatus::kOk;
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kMaxRefinements && keeps; ++i) {
      const double change = check_.change(model, ws, used());
      if (!(change < 0.5 * before)) break;
      before = change;
      check_.apply_change(model, ws);
      keeps = keeps_constraints(model, ws, Singular::kBelieved);
    }
    if (!keeps || !(before <= kConditioned)) return false;
    report_.worst_change = std::max(report_.worst_change, before);
    return true;
  }

  StepStatus answer_alone(const Model& model, Workspace& ws) noexcept {
    StepStatus status = verified_start(model, ws);
    if (status == StepStatus::kUnverified && is_refined(model, ws)) status = StepStatus::kOk;
    take_report();
    return status;
  }

  void take_report() noexcept {
    const BasisReport& of = formulations_[used_]->report();
    report_.quality = of.quality;
    report_.conditioning = of.conditioning;
    report_.switches = report_.singular = 0;
    for (const auto& each : formulations_) {
      report_.switches += each->report().switches;
      report_.singular += each->report().singular;
    }
  }

  std::vector<std::unique_ptr<Dynamics>> formulations_;
  std::size_t first_ = 0;  // that a first evaluation asks: those before it have failed in this step
  std::size_t used_ = 0;   // that answered last
  bool is_alone_ = false;  // nobody else is asked in its place
  AnswerCheck check_;
  bool held_ = false;
};

}  // namespace

std::unique_ptr<Dynamics> make_verified(const Model& model, std::vector<std::unique_ptr<Dynamics>> formulations) {
  return std::make_unique<Verified>(model, std::move(formulations));
}

}  // namespace kinloop
