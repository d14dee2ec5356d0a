// Tests the hybrid formulation against rfda, which knows no cuts, and its equations of the cut forces.
#include "core/dynamics/hybrid/hybrid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/dynamics/hybrid/hybrid_sweeps.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

using Solver = HybridOptions::Solver;

// Rounding times the condition of Gamma, which is about 1e5 at worst; 4e-14 is what is found.
constexpr double kTolerance = 1.0e-11;
// The stop of the iteration, 1e-13, times the square root of the condition of the preconditioned Gamma.
constexpr double kIterativeTolerance = 1.0e-10;

double hybrid_relative_difference(const Workspace& a, const Workspace& b) {
  double scale = std::max(1.0, b.vdot.size() > 0 ? b.vdot.cwiseAbs().maxCoeff() : 0.0);
  double difference = b.vdot.size() > 0 ? (a.vdot - b.vdot).cwiseAbs().maxCoeff() : 0.0;
  for (std::size_t k = 0; k < b.A.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      scale = std::max({scale, std::abs(b.A[k].angular[i]), std::abs(b.A[k].linear[i])});
      difference = std::max(
          {difference, std::abs(a.A[k].angular[i] - b.A[k].angular[i]), std::abs(a.A[k].linear[i] - b.A[k].linear[i])});
    }
  }
  return difference / scale;
}

/// All of Gamma, in the order of Cut::first_row.
MatrixX dense_gamma(const hybrid::Partition& partition) {
  MatrixX gamma = MatrixX::Zero(partition.rows, partition.rows);
  for (const hybrid::Piece& piece : partition.pieces) {
    IndexedVector<int> row(piece.columns);
    for (const int c : piece.tip_cuts) {
      const hybrid::Cut& cut = partition.cuts[c];
      for (int i = 0; i < cut.rows; ++i) row[cut.column + i] = cut.first_row + i;
    }
    for (int j = piece.tip_columns; j < piece.columns; ++j) {
      row[j] = partition.cuts[piece.base_cut].first_row + j - piece.tip_columns;
    }
    for (int j = 0; j < piece.columns; ++j) {
      for (int i = 0; i < piece.columns; ++i) gamma(row[i], row[j]) += piece.gamma(i, j);
    }
  }
  for (const hybrid::Cut& cut : partition.cuts) {
    for (int i = 0; i < cut.rows; ++i) gamma(cut.first_row + i, cut.first_row + i) += cut.compliance[i];
  }
  return gamma;
}

/// A model in a random state under random loads, solved by rfda.
struct Case {
  explicit Case(const ModelSpec& spec, std::uint64_t seed = 1)
      : model(mechanisms::compiled(spec)), state(model), loads(model), expected(model), found(model) {
    Random random(seed);
    mechanisms::randomize(model, random, state);
    loads = mechanisms::random_loads(model, random);
    const auto rfda = make_dynamics("rfda", model);
    EXPECT_EQ(accelerations(model, state, loads, **rfda, expected), StepStatus::kOk);
  }

  /// The difference between hybrid with these options and rfda.
  double difference(const HybridOptions& options) {
    EXPECT_EQ(hybrid_refusal(model, options), "");
    const auto hybrid = make_hybrid(model, options);
    EXPECT_EQ(accelerations(model, state, loads, *hybrid, found), StepStatus::kOk);
    iterations = hybrid->iterations();
    const bool is_automatic = options.cut_bodies.empty();
    const auto cuts = is_automatic ? automatic_cuts(model, options.pieces) : options.cut_bodies;
    pieces = hybrid::make_partition(model, cuts).pieces.count();
    return hybrid_relative_difference(found, expected);
  }

  /// Gamma of the tree cut there, after an evaluation.
  MatrixX cut_matrix(const std::vector<int>& cut_bodies) const {
    hybrid::Partition partition = hybrid::make_partition(model, cut_bodies);
    std::vector<ArticulatedInertia> inertia(static_cast<std::size_t>(model.body_count()));
    std::vector<Elimination> eliminated(static_cast<std::size_t>(model.nv()));
    for (hybrid::Cut& cut : partition.cuts) hybrid::orient_cut(model, found, cut);
    for (hybrid::Piece& piece : partition.pieces) {
      EXPECT_TRUE(hybrid::reduce_piece(model, found, partition, piece, inertia.data(), eliminated.data()));
    }
    return dense_gamma(partition);
  }

  Model model;
  State state;
  Loads loads;
  Workspace expected, found;
  int iterations = 0;
  int pieces = 0;
};

HybridOptions cut_at(std::vector<int> bodies, Solver solver = Solver::kDirect) {
  HybridOptions options;
  options.cut_bodies = std::move(bodies);
  options.solver = solver;
  return options;
}

/// Every joint of the model.
std::vector<int> all_bodies(const Model& model) {
  std::vector<int> bodies(static_cast<std::size_t>(model.body_count() - 1));
  std::iota(bodies.begin(), bodies.end(), 1);
  return bodies;
}

std::vector<int> random_cuts(const Model& model, Random& random) {
  const double share = random.uniform();
  std::vector<int> cuts;
  for (int k = 1; k < model.body_count(); ++k) {
    if (random.happens(share)) cuts.push_back(k);
  }
  random.shuffle(cuts);
  return cuts;
}

mechanisms::TreeOptions everything() {
  mechanisms::TreeOptions options;
  options.joint_forces = options.armature = options.driven = options.springs = options.bushings = true;
  options.shuffled = true;
  return options;
}

TEST(Hybrid, IsRfdaOnChainsOfAnyLength) {
  for (int n = 1; n <= 60; ++n) {
    Case c(mechanisms::chain(n));

    EXPECT_LT(c.difference({}), kTolerance) << n << " bodies";
  }
}

TEST(Hybrid, IsRfdaWhereverAChainIsCut) {
  Case c(mechanisms::chain(24));

  for (int k = 1; k <= 24; ++k) EXPECT_LT(c.difference(cut_at({k})), kTolerance) << "cut at " << k;
}

TEST(Hybrid, IsRfdaForAnyNumberOfPieces) {
  Case c(mechanisms::chain(40));

  for (int pieces = 1; pieces <= 40; ++pieces) {
    HybridOptions options;
    options.pieces = pieces;
    EXPECT_LT(c.difference(options), kTolerance) << pieces << " pieces";
  }
  EXPECT_EQ(c.pieces, 40);
}

TEST(Hybrid, CutsTheGroundJointToo) {
  Case c(mechanisms::chain(8));

  EXPECT_LT(c.difference(cut_at(all_bodies(c.model))), kTolerance);
}

TEST(Hybrid, IsRfdaOnChainsOfAllJointTypesUnderAllForces) {
  Random random(7);
  mechanisms::TreeOptions options = everything();
  options.chain = true;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case c(mechanisms::random_tree(seed, 3 + static_cast<int>(seed), options), seed);

    EXPECT_LT(c.difference({}), kTolerance) << "seed " << seed;
    EXPECT_LT(c.difference(cut_at(random_cuts(c.model, random))), kTolerance) << "seed " << seed;
    EXPECT_LT(c.difference(cut_at(all_bodies(c.model))), kTolerance) << "seed " << seed;
  }
}

TEST(Hybrid, IsRfdaOnTreesCutAnywhere) {
  Random random(8);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case c(mechanisms::random_tree(100 + seed, 3 + static_cast<int>(seed), everything()), seed);

    EXPECT_LT(c.difference({}), kTolerance) << "seed " << seed;
    EXPECT_LT(c.difference(cut_at(random_cuts(c.model, random))), kTolerance) << "seed " << seed;
    EXPECT_LT(c.difference(cut_at(all_bodies(c.model))), kTolerance) << "seed " << seed;
  }
}

TEST(Hybrid, IsRfdaWithAFloatingBase) {
  ModelSpec spec = mechanisms::chain(12);
  spec.joints[0].type = JointType::kFree;
  spec.joints[0].initial_q.clear();
  spec.joints[0].initial_u.clear();
  Case c(spec);

  for (int k = 1; k <= 12; ++k) EXPECT_LT(c.difference(cut_at({k})), kTolerance) << "cut at " << k;
}

/// A chain of revolute joints, the middle one with the given coordinate.
ModelSpec chain_with_middle(const CoordinateSpec& coordinate) {
  ModelSpec spec = mechanisms::chain(9);
  spec.joints[4].coordinates = {coordinate};
  spec.joints[4].initial_q.clear();
  spec.joints[4].initial_u.clear();
  return spec;
}

TEST(Hybrid, RotorOfACutJointIsACompliantRow) {
  // From nearly none, which frees the row, to nearly infinite, which blocks it.
  for (const double inertia : {1.0e-9, 1.0e-3, 1.0, 1.0e3, 1.0e9}) {
    CoordinateSpec coordinate;
    coordinate.rotor_inertia = inertia;
    Case c(chain_with_middle(coordinate));

    EXPECT_LT(c.difference(cut_at({5})), kTolerance) << inertia;
    EXPECT_LT(c.difference(cut_at({3, 5, 6})), kTolerance) << inertia;
  }
}

TEST(Hybrid, DrivenSpeedOfACutJointIsARigidRow) {
  CoordinateSpec coordinate;
  coordinate.motion = FunctionSpec{};
  coordinate.motion->polynomial = {0.1, 0.5, 2.0};
  coordinate.rotor_inertia = 0.5;
  Case c(chain_with_middle(coordinate));

  EXPECT_LT(c.difference(cut_at({5})), kTolerance);
  EXPECT_DOUBLE_EQ(c.found.vdot[4], 4.0);
}

TEST(Hybrid, ConjugateGradientsAgreeWithTheDirectSolver) {
  for (const int pieces : {1, 2, 3, 5, 10, 30}) {
    Case c(mechanisms::chain(30));
    HybridOptions options;
    options.pieces = pieces;
    options.solver = Solver::kConjugateGradients;

    EXPECT_LT(c.difference(options), kIterativeTolerance) << pieces << " pieces";
    EXPECT_LE(c.iterations, 2 * 5 * (c.pieces - 1));
  }
}

TEST(Hybrid, ConjugateGradientsAgreeOnTrees) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Case c(mechanisms::random_tree(seed, 20, everything()), seed);
    HybridOptions options;
    options.solver = Solver::kConjugateGradients;

    EXPECT_LT(c.difference(options), kIterativeTolerance) << "seed " << seed;
  }
}

TEST(Hybrid, ConjugateGradientsThatDoNotConvergeAreAStatus) {
  Case c(mechanisms::chain(30));
  HybridOptions options;
  options.pieces = 10;
  options.solver = Solver::kConjugateGradients;
  options.max_iterations = 3;
  const auto hybrid = make_hybrid(c.model, options);
  c.found.vdot.setConstant(7.0);

  const StepStatus status = accelerations(c.model, c.state, c.loads, *hybrid, c.found);

  EXPECT_EQ(status, StepStatus::kNotConverged);
  EXPECT_EQ(hybrid->iterations(), 3);
  EXPECT_TRUE((c.found.vdot.array() == 7.0).all()) << "a failed solve writes nothing";
}

TEST(Hybrid, ResultDependsOnTheStateAlone) {
  for (const Solver solver : {Solver::kDirect, Solver::kConjugateGradients}) {
    Case c(mechanisms::chain(20));
    HybridOptions options;
    options.solver = solver;
    const auto used = make_hybrid(c.model, options);
    const State other(c.model);
    EXPECT_EQ(accelerations(c.model, other, c.loads, *used, c.found), StepStatus::kOk);

    EXPECT_EQ(accelerations(c.model, c.state, c.loads, *used, c.found), StepStatus::kOk);

    const VectorX after_another_state = c.found.vdot;
    c.difference(options);
    EXPECT_EQ(after_another_state, c.found.vdot);
  }
}

TEST(Hybrid, CutMatrixIsSymmetricPositiveDefinite) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Case c(mechanisms::random_tree(seed, 15, everything()), seed);
    const auto hybrid = make_hybrid(c.model, cut_at(all_bodies(c.model)));
    ASSERT_EQ(accelerations(c.model, c.state, c.loads, *hybrid, c.found), StepStatus::kOk);

    const MatrixX gamma = c.cut_matrix(all_bodies(c.model));

    EXPECT_LT((gamma - gamma.transpose()).norm(), 1e-14 * gamma.norm());
    EXPECT_GT(dense::cholesky_factor(gamma).diagonal().minCoeff(), 0.0);
  }
}

TEST(Hybrid, CutMatrixOfAChainIsBlockTridiagonal) {
  Case c(mechanisms::chain(12));
  const auto hybrid = make_hybrid(c.model, cut_at({3, 5, 8, 11}));
  ASSERT_EQ(accelerations(c.model, c.state, c.loads, *hybrid, c.found), StepStatus::kOk);

  const MatrixX gamma = c.cut_matrix({3, 5, 8, 11});

  ASSERT_EQ(gamma.rows(), 20);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const bool coupled = gamma.block(5 * i, 5 * j, 5, 5).norm() > 0.0;
      EXPECT_EQ(coupled, std::abs(i - j) <= 1) << i << ", " << j;
    }
  }
}

TEST(Hybrid, DoesNotAllocate) {
  for (const Solver solver : {Solver::kDirect, Solver::kConjugateGradients}) {
    Case c(mechanisms::random_tree(3, 30, everything()));
    HybridOptions options;
    options.solver = solver;
    const auto hybrid = make_hybrid(c.model, options);

    const AllocationCount allocations;
    const StepStatus status = accelerations(c.model, c.state, c.loads, *hybrid, c.found);

    EXPECT_EQ(allocations.value(), 0);
    EXPECT_EQ(status, StepStatus::kOk);
  }
}

TEST(Hybrid, AutomaticCutsMakeAboutRootNPieces) {
  const Model model = mechanisms::compiled(mechanisms::chain(100));

  const std::vector<int> cuts = automatic_cuts(model, 0);

  EXPECT_EQ(cuts, (std::vector<int>{91, 81, 71, 61, 51, 41, 31, 21, 11}));
}

TEST(Hybrid, CutsOnlyBetweenBodiesThatHaveInertia) {
  ModelSpec spec = mechanisms::chain(16);
  for (const std::size_t i : {3U, 4U, 9U}) spec.bodies[i].inertia.setZero();
  spec.bodies[12].mass = 0.0;
  spec.bodies[12].inertia.setZero();
  Case c(spec);

  EXPECT_LT(c.difference({}), kTolerance);
  EXPECT_GT(c.pieces, 1);
  for (const int k : {4, 5, 6, 10, 11, 13, 14}) {
    EXPECT_NE(hybrid_refusal(c.model, cut_at({k})), "") << k;
  }
  EXPECT_EQ(hybrid_refusal(c.model, cut_at({2, 8})), "");
}

TEST(Hybrid, RefusesCutsThatAreNone) {
  const Model model = mechanisms::compiled(mechanisms::chain(3));

  EXPECT_NE(hybrid_refusal(model, cut_at({0})), "");
  EXPECT_NE(hybrid_refusal(model, cut_at({4})), "");
  EXPECT_NE(hybrid_refusal(model, cut_at({2, 2})), "");
}

TEST(Hybrid, IsInTheTable) {
  Case c(mechanisms::chain(10));
  const auto made = make_dynamics("hybrid", c.model);
  ASSERT_TRUE(made);

  EXPECT_EQ((*made)->name(), "hybrid");
  EXPECT_EQ(accelerations(c.model, c.state, c.loads, **made, c.found), StepStatus::kOk);
  EXPECT_LT(hybrid_relative_difference(c.found, c.expected), kTolerance);
}

}  // namespace
}  // namespace kinloop
