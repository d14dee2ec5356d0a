// Tests stiff machines that a seed draws with the defaults of rigs: their motion keeps its energy and is that of
// shorter steps, or the plant warns of it before it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/dynamics/energy.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/stiff_mechanism.hpp"

namespace kinloop {
namespace {

constexpr double kStiffPlantDuration_s = 0.3;

struct StiffPlant {
  ModelSpec model;
  PlantSpec plant;
};

double power_between(Random& random, double from, double to) { return std::pow(10.0, random.uniform(from, to)); }

/// Motors on hinges, cylinders on slides, all at one pump, commands held.
void add_drives(const ModelSpec& model, Random& random, PlantSpec& plant) {
  for (const JointSpec& joint : model.joints) {
    ActuatorSpec drive;
    drive.name = "drive_of_" + joint.name;
    drive.joint = joint.name;
    if (joint.type == JointType::kRevolute && random.happens(0.5)) {
      drive.kind = ActuatorKind::kDcMotor;
      drive.initial = random.uniform(-12.0, 12.0);
      drive.motor.resistance_ohm = power_between(random, -2.0, 0.5);
      drive.motor.inductance_H = random.happens(0.5) ? power_between(random, -5.0, -2.0) : 0.0;
      drive.motor.torque_Nm_per_A = drive.motor.back_emf_Vs = power_between(random, -2.0, 0.0);
      drive.motor.gear_ratio = power_between(random, 0.0, 2.0);
      plant.actuators.push_back(drive);
    } else if (joint.type == JointType::kPrismatic && joint.initial_q[0] > 0.02 && random.happens(0.7)) {
      drive.kind = ActuatorKind::kCylinder;
      drive.initial = random.happens(0.5) ? 0.0 : random.uniform(-1.0, 1.0);
      drive.pump = "pump";
      drive.cylinder.bore_m = random.uniform(0.02, 0.15);
      drive.cylinder.rod_m = 0.6 * drive.cylinder.bore_m;
      drive.cylinder.stroke_m = 2.0;
      plant.actuators.push_back(drive);
      if (plant.pumps.empty()) plant.pumps.push_back({"pump", {}});
    }
  }
}

StiffPlant stiff_plant(std::uint64_t seed) {
  constexpr double kSteps_s[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
  Random random(seed);
  mechanisms::StiffOptions options;
  options.max_bodies = 1 + random.below(7);
  options.loops = random.happens(0.5);
  options.far_elements = random.happens(0.5);
  options.floats = random.happens(0.4);
  options.touches = random.happens(0.4);
  StiffPlant drawn{mechanisms::stiff_mechanism(seed, options), {}};
  drawn.plant.dt_s = kSteps_s[random.below(5)];
  drawn.plant.accounts_energy = true;
  if (random.happens(0.5)) add_drives(drawn.model, random, drawn.plant);
  return drawn;
}

/// Where a run led to, and the most that kinetic energy and height gained together beyond the work of actuators and
/// what elements held at the start, as a share of the largest kinetic energy.
struct StiffRun {
  bool is_done = true;
  double gain = 0.0;
  double way = 0.0;  // the largest along any speed
  VectorX q;
};

StiffRun run_for_a_while(Plant& plant, double dt_s, double duration_s = kStiffPlantDuration_s) {
  const Model& model = plant.model();
  State state = plant.initial_state();
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant.actuator_count());
  for (std::size_t i = 0; i < plant.actuator_count(); ++i) input.command[i] = plant.spec().actuators[i].initial;
  Workspace ws(model);
  double elastic_J = 0.0;
  const auto energy_now = [&] {
    update_kinematics(model, state, ws);
    elastic_J = spring_energy(model, state.q().data(), ws);
    return energy(model, state.q().data(), state.v().data(), ws);
  };
  StiffRun run;
  const Energy start = energy_now();
  const VectorX q = state.q();
  VectorX moved(model.nv());
  double fastest_J = start.kinetic_J;
  double gain_J = 0.0;
  const long long steps = std::llround(duration_s / dt_s);
  for (long long i = 0; i < steps; ++i) {
    if (!is_done(plant.step(input, state))) {
      run.is_done = false;
      break;
    }
    const Energy now = energy_now();
    fastest_J = std::max(fastest_J, now.kinetic_J);
    const double work_J = std::max(0.0, plant.energy()->actuators_J);
    gain_J = std::max(gain_J, now.total_J() - elastic_J - start.total_J() - work_J);
    configuration_difference(model, q.data(), state.q().data(), moved.data());
    run.way = std::max(run.way, moved.lpNorm<Eigen::Infinity>());
  }
  run.gain = gain_J / std::max(fastest_J, 1e-12);
  run.q = state.q();
  return run;
}

/// The same with steps shorter by this factor, and the integrator that was taken for the long ones.
StiffRun shorter_steps(const Model& model, const Plant& of, double factor) {
  PlantSpec spec = of.spec();
  spec.dt_s /= factor;
  spec.levels[0].integrator = of.integrator(0).name;
  return run_for_a_while(*plants::made(model, spec), spec.dt_s);
}

double apart(const Model& model, const StiffRun& a, const StiffRun& b) {
  VectorX difference(model.nv());
  configuration_difference(model, a.q.data(), b.q.data(), difference.data());
  return difference.lpNorm<Eigen::Infinity>() / std::max(b.way, 1e-3);
}

// An unstable method makes nearly all the kinetic energy there is. What meets an undamped stop of 1e12 N/m may leave it
// in another way at each step length; then shorter steps must come closer.
TEST(StiffPlants, DefaultsAreStableAndThatOfShorterStepsOrAreWarnedOf) {
  constexpr double kMaxGain = 0.5;
  constexpr double kClose = 0.3;  // of the way
  constexpr std::uint64_t kFirst = 300001, kCount = 100;
  int judged = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + kCount; ++seed) {
    const StiffPlant drawn = stiff_plant(seed);
    const Model model = mechanisms::compiled(drawn.model);
    const std::unique_ptr<Plant> plant = plants::made(model, drawn.plant);
    if (!plant->warnings().empty()) continue;
    ++judged;

    const StiffRun run = run_for_a_while(*plant, drawn.plant.dt_s);

    EXPECT_TRUE(run.is_done) << seed;
    EXPECT_LT(run.gain, kMaxGain) << seed;
    const StiffRun tenth = shorter_steps(model, *plant, 10.0);
    const double off = apart(model, run, tenth);
    if (off < kClose) continue;
    EXPECT_LT(apart(model, tenth, shorter_steps(model, *plant, 40.0)), off) << seed;
  }
  EXPECT_GT(judged, static_cast<int>(kCount) / 3);
}

/// Of the longest step of which nothing is warned; null: there is none among them.
std::unique_ptr<Plant> unwarned(const Model& model, PlantSpec spec, std::string_view integrator) {
  spec.levels[0].integrator = integrator;
  for (const double dt_s : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
    spec.dt_s = dt_s;
    std::unique_ptr<Plant> plant = plants::made(model, spec);
    if (plant->warnings().empty()) return plant;
  }
  return nullptr;
}

// Motors, oil, contacts and all else, at the longest step that each integrator is not warned of.
TEST(StiffPlants, EveryIntegratorIsStableOrWarnedOf) {
  constexpr double kMaxGain = 0.5;
  constexpr std::uint64_t kFirst = 310001, kCount = 150;
  for (const IntegratorKind& kind : integrator_kinds()) {
    int judged = 0;
    for (std::uint64_t seed = kFirst; seed < kFirst + kCount; ++seed) {
      const StiffPlant drawn = stiff_plant(seed);
      const Model model = mechanisms::compiled(drawn.model);
      const std::unique_ptr<Plant> plant = unwarned(model, drawn.plant, kind.name);
      if (plant == nullptr) continue;
      ++judged;

      const double dt_s = plant->spec().dt_s;
      const StiffRun run = run_for_a_while(*plant, dt_s, std::min(kStiffPlantDuration_s, 3000 * dt_s));

      EXPECT_TRUE(run.is_done) << kind.name << ", seed " << seed;
      EXPECT_LT(run.gain, kMaxGain) << kind.name << ", seed " << seed << ", " << dt_s << " s";
    }
    EXPECT_GT(judged, 10) << kind.name;
  }
}

}  // namespace
}  // namespace kinloop
