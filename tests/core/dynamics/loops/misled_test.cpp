// Tests that what goes wrong inside a formulation is caught: dependents among which nobody should choose, a row that is
// dropped, a column that is scaled, in each formulation for closed loops and on mechanisms of all kinds.
//
// A formulation sees the state in its workspace alone. It is shown an altered one here: in every evaluation, or only
// where it chooses, from which on it holds what it chose. Its factors are wrong, too, with which answers are refined.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/loops/verified.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/math/pivoted_qr.hpp"
#include "core/model/free_speeds.hpp"
#include "services/files/load_model.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

// What is off by more was wrong, and must be noticed: healthy answers are within 1e-11. What is taken is right.
constexpr double kWrong = 2e-10;
constexpr double kRight = 1e-10;

using Alteration = std::function<void(Workspace&)>;

enum class Shown { kWhereItChooses, kAlways };

/// A formulation that is shown another workspace than it is asked about.
class Misled final : public Dynamics {
 public:
  Misled(std::unique_ptr<Dynamics> of, Alteration alteration, Shown shown)
      : of_(std::move(of)), alteration_(std::move(alteration)), shown_(shown) {}

  std::string_view name() const noexcept override { return of_->name(); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    StepStatus status = StepStatus::kOk;
    if (shown_ == Shown::kAlways || !held_) status = solve_altered(model, ws);
    if (shown_ == Shown::kAlways && status == StepStatus::kOk) update_body_accelerations(model, ws);
    if (shown_ == Shown::kWhereItChooses && status == StepStatus::kOk) {
      of_->freeze_basis();
      status = of_->solve(model, ws);
      if (!held_) of_->release_basis();
    }
    report_ = of_->report();
    return status;
  }
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    of_->refine(tau, gap, change);
  }
  void refine_bodies(const Model& model, const Workspace& ws, std::vector<SpatialVector>& force, VectorX& tau,
                     const ConstraintTarget& gap, VectorX& change) noexcept override {
    of_->refine_bodies(model, ws, force, tau, gap, change);
  }
  bool is_singular() const noexcept override { return of_->is_singular(); }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override { of_->project(motion, step); }
  void freeze_basis() noexcept override {
    held_ = true;
    of_->freeze_basis();
  }
  void release_basis() noexcept override {
    held_ = false;
    of_->release_basis();
  }
  void read_basis(const State& state) noexcept override { of_->read_basis(state); }

 private:
  StepStatus solve_altered(const Model& model, Workspace& ws) noexcept {
    const auto Hw = ws.Hw, Hv = ws.Hv;
    const auto loop_constraints = ws.loop_constraint;
    const VectorX armature = ws.armature;
    alteration_(ws);
    const StepStatus status = of_->solve(model, ws);
    ws.Hw = Hw;
    ws.Hv = Hv;
    ws.loop_constraint = loop_constraints;
    ws.armature = armature;
    return status;
  }

  std::unique_ptr<Dynamics> of_;
  Alteration alteration_;
  Shown shown_;
  bool held_ = false;
};

/// A mechanism at a closed position.
struct Subject {
  std::string name;
  std::unique_ptr<Model> model;
  State state;

  Subject(std::string named, Model of)
      : name(std::move(named)), model(std::make_unique<Model>(std::move(of))), state(*model) {}
};

Subject subject_of(const ModelSpec& spec) { return {spec.name, mechanisms::compiled(spec)}; }

Subject bennett() {
  auto loaded = load_model(std::string(KINLOOP_SOURCE_DIR) + "/tests/data/hard/bennett.json");
  require(loaded.has_value(), "part of the project");
  return {"bennett", std::move(loaded->model)};
}

ModelSpec random_mechanism(std::uint64_t seed) {
  mechanisms::LinkageOptions options;
  options.loops = 2 + static_cast<int>(seed % 3);
  options.least_share = 1e-2;
  return mechanisms::random_linkage(seed, 12, options);
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  all.push_back(subject_of(mechanisms::four_bar()));
  all.push_back(subject_of(mechanisms::config("excavator")));
  all.push_back(subject_of(mechanisms::config("stewart_platform")));
  all.push_back(bennett());
  all.push_back(subject_of(mechanisms::n_four_bar(6, 1.0, 2.0)));
  for (const std::uint64_t seed : {7301U, 7302U, 7303U, 7304U}) all.push_back(subject_of(random_mechanism(seed)));
  return all;
}

/// Crank and base nearly in line: the two joints of the crank are no dependents there.
std::vector<Subject> dead_centres() {
  std::vector<Subject> all;
  for (const double crank_rad : {1e-6, 1e-7, 1e-8}) all.push_back(subject_of(mechanisms::four_bar(crank_rad, 5.0)));
  return all;
}

struct NamedForm {
  std::string name;
  std::function<std::unique_ptr<Dynamics>(const Model&)> make;
};

/// In space: in a plane the columns of turning joints are constants that no workspace holds.
std::vector<NamedForm> spatial_forms() {
  const auto bare_form = [](const std::string& name) -> NamedForm {
    return {name, [name](const Model& model) { return std::move(make_bare_dynamics(name, model)).value(); }};
  };
  return {{"rcr", formulations::make_spatial_rcr},
          bare_form("partition"),
          bare_form("semi_recursive_1"),
          {"semi_recursive_2", formulations::make_spatial_semi_recursive_2}};
}

std::vector<NamedForm> all_forms() {
  std::vector<NamedForm> forms = spatial_forms();
  for (const std::string name : {"rcr", "semi_recursive_2"}) {
    forms.push_back({name + " as chosen",
                     [name](const Model& model) { return std::move(make_bare_dynamics(name, model)).value(); }});
  }
  return forms;
}

/// Columns of the constraints by size 1, and which set of them determines the others.
class Columns {
 public:
  explicit Columns(const Subject& subject) : speeds_(free_speeds(*subject.model)) {
    const Model& model = *subject.model;
    Workspace ws(model);
    EXPECT_EQ(accelerations(model, subject.state, Loads(model), **make_dynamics("auto", model), ws), StepStatus::kOk);
    C_ = MatrixX::Zero(constraint_rows(model), model.nv());
    constraint_matrix(model, ws, C_);
    for (const int i : speeds_) C_.col(i) /= speed_size(ws, i, model.length_m());
  }

  struct Quality {
    int rank;
    double smallest;
  };
  Quality without(const std::vector<char>& hidden) const {
    PivotedQr qr(C_.rows(), C_.cols());
    qr.matrix() = C_;
    for (Eigen::Index i = 0; i < C_.cols(); ++i) qr.active()[at(i)] = 0;
    for (const int i : speeds_) qr.active()[at(i)] = hidden[at(i)] == 0 && C_.col(i).norm() > kRankTolerance ? 1 : 0;
    qr.factorize(kRankTolerance);
    return {qr.rank(), qr.smallest_singular_value()};
  }

  /// As many are hidden as there may be, so that those left are as poor dependents as there are.
  std::vector<char> poor_dependents() const {
    std::vector<char> hidden = none();
    const int rank = without(hidden).rank;
    while (true) {
      int next = -1;
      double poorest = 2.0;
      for (const int i : speeds_) {
        if (hidden[at(i)] != 0) continue;
        hidden[at(i)] = 1;
        const Quality left = without(hidden);
        hidden[at(i)] = 0;
        if (left.rank < rank || left.smallest >= poorest) continue;
        poorest = left.smallest;
        next = i;
      }
      if (next < 0) return hidden;
      hidden[at(next)] = 1;
    }
  }

  /// From a coordinate on as many are hidden as leave one row without a dependent, and no more.
  std::vector<char> too_few_dependents(int from) const {
    std::vector<char> hidden = none();
    const int rank = without(hidden).rank;
    const auto count = static_cast<int>(speeds_.size());
    for (int i = 0; i < count && without(hidden).rank == rank; ++i) hidden[at(speeds_[at((from + i) % count)])] = 1;
    for (const int i : speeds_) {
      if (hidden[at(i)] == 0) continue;
      hidden[at(i)] = 0;
      if (without(hidden).rank == rank) hidden[at(i)] = 1;
    }
    return hidden;
  }

  const std::vector<int>& speeds() const noexcept { return speeds_; }

 private:
  std::vector<char> none() const { return std::vector<char>(at(C_.cols()), 0); }

  std::vector<int> speeds_;
  MatrixX C_;
};

/// A coordinate that moves nothing is no dependent; some inertia of its own keeps it solvable.
Alteration hide(std::vector<char> hidden) {
  return [hidden = std::move(hidden)](Workspace& ws) {
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      if (hidden[i] == 0) continue;
      ws.Hw[i] = Vec3();
      ws.Hv[i] = Vec3();
      ws.armature[static_cast<Eigen::Index>(i)] += 1.0;
    }
  };
}

constexpr double kScale = 1.0 + 1e-5;

Alteration scale_column(int speed) {
  return [speed](Workspace& ws) {
    ws.Hw[at(speed)] = kScale * ws.Hw[at(speed)];
    ws.Hv[at(speed)] = kScale * ws.Hv[at(speed)];
  };
}

/// The lever of all columns on one side of a closing joint.
Alteration scale_lever(std::size_t loop) {
  return [loop](Workspace& ws) {
    LoopConstraint& closure = ws.loop_constraint[loop];
    closure.arm_succ = kScale * closure.arm_succ;
    closure.arm_pred = kScale * closure.arm_pred;
  };
}

/// One formulation, one alteration: what it makes of the answer, and what is made of that.
class Trap {
 public:
  Trap(const Subject& subject, const NamedForm& form) : subject_(subject), form_(form), expected_(*subject.model) {
    EXPECT_EQ(solve(*std::move(make_dynamics("auto", *subject.model)).value(), expected_), StepStatus::kOk);
  }

  /// Whether the answer was wrong by itself; then it must have been noticed, and another be taken, or the same with its
  /// digits found again.
  bool catches(const Alteration& alteration, Shown shown) {
    const Model& model = *subject_.model;
    Workspace ws(model);
    const auto misled = [&] { return std::make_unique<Misled>(form_.make(model), alteration, shown); };
    const StepStatus status = solve(*misled(), ws);
    const bool is_wrong = status != StepStatus::kOk || !(distance(ws) < kWrong);

    std::vector<std::unique_ptr<Dynamics>> with_another;
    with_another.push_back(misled());
    with_another.push_back(
        std::move(make_bare_dynamics(form_.name.starts_with("rcr") ? "semi_recursive_2" : "rcr", model)).value());
    const auto helped = make_verified(model, std::move(with_another));
    EXPECT_EQ(solve(*helped, ws), StepStatus::kOk) << told();
    EXPECT_LT(distance(ws), kRight) << told();
    const BasisReport& report = helped->report();
    if (is_wrong) {
      EXPECT_TRUE(report.fallbacks > 0 || report.worst_change > 0.0) << told();
    }
    return is_wrong;
  }

  std::string told() const { return subject_.name + ", " + form_.name; }

 private:
  StepStatus solve(Dynamics& dynamics, Workspace& ws) const {
    dynamics.begin_step(subject_.state);
    return accelerations(*subject_.model, subject_.state, Loads(*subject_.model), dynamics, ws);
  }
  double distance(const Workspace& ws) const { return relative_difference(ws.vdot, expected_.vdot); }

  const Subject& subject_;
  const NamedForm& form_;
  Workspace expected_;
};

TEST(Misled, FormulationsThatAreShownTheTruthAreRight) {
  for (const Subject& subject : subjects()) {
    for (const NamedForm& form : all_forms()) {
      Trap trap(subject, form);

      EXPECT_FALSE(trap.catches([](Workspace&) {}, Shown::kWhereItChooses)) << trap.told();
      EXPECT_FALSE(trap.catches([](Workspace&) {}, Shown::kAlways)) << trap.told();
    }
  }
}

// By semi_recursive rows are chosen, not coordinates: the same columns hidden from it do no harm.
TEST(Misled, PoorDependentsAreCaught) {
  for (const Subject& subject : dead_centres()) {
    const std::vector<char> hidden = Columns(subject).poor_dependents();
    ASSERT_LT(Columns(subject).without(hidden).smallest, 1e-6) << subject.name;
    for (const NamedForm& form : spatial_forms()) {
      Trap trap(subject, form);

      const bool was_wrong = trap.catches(hide(hidden), Shown::kWhereItChooses);

      EXPECT_EQ(was_wrong, !form.name.starts_with("semi_recursive")) << trap.told();
    }
  }
}

TEST(Misled, AnyDependentsThatWillDoAreRight) {
  for (const Subject& subject : subjects()) {
    const std::vector<char> hidden = Columns(subject).poor_dependents();
    for (const NamedForm& form : spatial_forms()) Trap(subject, form).catches(hide(hidden), Shown::kWhereItChooses);
  }
}

// A coordinate that depends on others is taken for free, so that a row is left without a dependent and not met. The
// loops of the excavator are opened by rcr where nothing can be hidden from it.
TEST(Misled, ADroppedRowIsCaught) {
  for (const Subject& subject : subjects()) {
    const Columns columns(subject);
    for (const NamedForm& form : spatial_forms()) {
      Trap trap(subject, form);
      int wrong = 0;

      for (int from = 0; from < static_cast<int>(columns.speeds().size()); ++from) {
        wrong += trap.catches(hide(columns.too_few_dependents(from)), Shown::kWhereItChooses) ? 1 : 0;
      }

      EXPECT_EQ(wrong > 0, trap.told() != "excavator, rcr") << trap.told();
    }
  }
}

TEST(Misled, AScaledColumnIsCaught) {
  for (const Subject& subject : subjects()) {
    for (const NamedForm& form : spatial_forms()) {
      Trap trap(subject, form);
      int wrong = 0;

      for (const int speed : free_speeds(*subject.model)) {
        wrong += trap.catches(scale_column(speed), Shown::kAlways) ? 1 : 0;
      }

      EXPECT_GT(wrong, 0) << trap.told();
    }
  }
}

// The forms in a plane as well. A Bennett linkage with a lever too long is another mechanism: it is locked, and what is
// locked keeps all closures.
TEST(Misled, AScaledLeverIsCaught) {
  for (const Subject& subject : subjects()) {
    if (subject.name == "bennett") continue;
    for (const NamedForm& form : all_forms()) {
      Trap trap(subject, form);
      int wrong = 0;

      for (std::size_t loop = 0; loop < subject.model->loops().size(); ++loop) {
        wrong += trap.catches(scale_lever(loop), Shown::kAlways) ? 1 : 0;
      }

      EXPECT_GT(wrong, 0) << trap.told();
    }
  }
}

}  // namespace
}  // namespace kinloop
