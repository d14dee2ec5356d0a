// Tests that motors and cylinders never give more energy than they were given: what mechanism, oil and windings hold
// grows by no more than pump, voltage and outside forces put in, whatever is commanded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/plants.hpp"
#include "tests/support/random.hpp"

namespace kinloop {
namespace {

double ten_to(Random& random, double from, double to) { return std::pow(10.0, random.uniform(from, to)); }

struct Drawn {
  ModelSpec model;
  PlantSpec plant;
};

/// One body on one joint, which moves at the start.
Drawn one_joint(JointType type, double speed) {
  Drawn drawn;
  BodySpec body;
  body.name = "load";
  body.mass = 1.0;
  body.inertia = 0.01 * Matrix3::Identity();
  drawn.model.bodies = {body};
  JointSpec joint;
  joint.name = "joint";
  joint.type = type;
  joint.predecessor = kGround;
  joint.successor = "load";
  joint.initial_u = {speed};
  joint.coordinates.resize(1);
  drawn.model.joints = {joint};
  drawn.plant.accounts_energy = true;
  return drawn;
}

Drawn motor(std::uint64_t seed) {
  Random random(seed);
  Drawn drawn = one_joint(JointType::kRevolute, random.uniform(-5.0, 5.0));
  drawn.model.bodies[0].inertia = ten_to(random, -4.0, 1.0) * Matrix3::Identity();
  ActuatorSpec drive;
  drive.name = "motor";
  drive.joint = "joint";
  drive.kind = ActuatorKind::kDcMotor;
  drive.motor.resistance_ohm = ten_to(random, -2.0, 1.0);
  drive.motor.inductance_H = random.happens(0.7) ? ten_to(random, -5.0, -1.0) : 0.0;
  drive.motor.torque_Nm_per_A = drive.motor.back_emf_Vs = ten_to(random, -2.0, 0.0);
  drive.motor.gear_ratio = ten_to(random, 0.0, 2.0);
  drawn.model.joints[0].coordinates[0].rotor_inertia = ten_to(random, -6.0, -3.0);
  drawn.model.joints[0].coordinates[0].gear_ratio = drive.motor.gear_ratio;
  drawn.plant.actuators = {drive};
  return drawn;
}

Drawn cylinder(std::uint64_t seed) {
  Random random(seed);
  Drawn drawn = one_joint(JointType::kPrismatic, random.uniform(-0.5, 0.5));
  drawn.model.bodies[0].mass = ten_to(random, 1.0, 4.0);
  drawn.model.joints[0].initial_q = {random.uniform(0.3, 1.7)};
  drawn.model.joints[0].coordinates[0].limit = LimitSpec{0.02, 1.98, {}, {}};
  ActuatorSpec drive;
  drive.name = "cylinder";
  drive.joint = "joint";
  drive.kind = ActuatorKind::kCylinder;
  drive.pump = "pump";
  drive.cylinder.bore_m = random.uniform(0.03, 0.2);
  drive.cylinder.rod_m = random.uniform(0.2, 0.8) * drive.cylinder.bore_m;
  drive.cylinder.stroke_m = 2.0;
  drive.cylinder.dead_volume_m3 = ten_to(random, -4.5, -2.5);
  drive.cylinder.valve_flow_m3_per_s = ten_to(random, -4.0, -2.0);
  drive.cylinder.leakage_m3_per_s_Pa = random.happens(0.5) ? ten_to(random, -14.0, -11.0) : 0.0;
  drive.cylinder.initial_a_Pa = random.uniform(1e6, 10e6);
  drive.cylinder.initial_b_Pa = random.uniform(1e6, 10e6);
  drawn.plant.actuators = {drive};
  PumpSettings pump;
  pump.flow_m3_per_s = ten_to(random, -4.0, -2.0);
  drawn.plant.pumps = {{"pump", pump}};
  return drawn;
}

/// What holds energy besides the mechanism, and what comes in from outside, step by step.
class MotorBooks {
 public:
  explicit MotorBooks(const Plant& plant) : settings_(plant.spec().actuators[0].motor) {}

  double stored_J(Plant& plant, const State& state) const {
    const double current_A = plant.actuators().quantity(0, 0, state);
    return 0.5 * settings_.inductance_H * current_A * current_A;
  }
  /// U times the current's mean over the step, which is that of the torque.
  double given_J(const Plant& plant, const State& /*before*/, const State& after, const StepInput& input) const {
    const double current_A = plant.force_of(0, after) / (settings_.gear_ratio * settings_.torque_Nm_per_A);
    return plant.spec().dt_s * input.command[0] * current_A;
  }
  static double command(Random& random) { return random.happens(0.3) ? 0.0 : random.uniform(-48.0, 48.0); }
  double push(Random& random) const { return random.uniform(-1.0, 1.0) * 10.0 * settings_.gear_ratio; }

 private:
  DcMotorSettings settings_;
};

class CylinderBooks {
 public:
  explicit CylinderBooks(const Plant& plant)
      : cylinder_(plant.spec().actuators[0].cylinder), pump_(plant.spec().pumps[0].settings) {}

  /// Oil of volume V at pressure p holds V (beta (e^(p/beta) - 1) - p): that gives back the work of compressing it, by
  /// dp/dt = beta (Q - dV/dt) / V, and takes up beta (e^(p/beta) - 1) with each cubic metre that enters.
  double stored_J(Plant& plant, const State& state) const {
    const double x_m = state.q()[0];
    const double volume_a_m3 = cylinder_.dead_volume_m3 + area_a_m2() * x_m;
    const double volume_b_m3 = cylinder_.dead_volume_m3 + area_b_m2() * (cylinder_.stroke_m - x_m);
    return held_J(volume_a_m3, plant.actuators().quantity(0, 0, state)) +
           held_J(volume_b_m3, plant.actuators().quantity(0, 1, state)) +
           held_J(pump_.volume_m3, plant.actuators().pump_pressure_Pa(0, state));
  }
  /// By the pump, whose flow falls as the pressure rises, and by the tank, from which make-up valves draw.
  double given_J(Plant& plant, const State& before, const State& after, const StepInput& /*input*/) const {
    const auto power_W = [&](double p_Pa) { return flow_m3_per_s(p_Pa) * with_a_cubic_metre_J(p_Pa); };
    const double dt_s = plant.spec().dt_s;
    const double pumped_J = dt_s * std::max(power_W(plant.actuators().pump_pressure_Pa(0, before)),
                                            power_W(plant.actuators().pump_pressure_Pa(0, after)));
    const double way_m = after.q()[0] - before.q()[0];
    const double drawn_m3 = std::max(area_a_m2() * way_m, -area_b_m2() * way_m);
    return pumped_J + with_a_cubic_metre_J(pump_.tank_pressure_Pa) * drawn_m3;
  }
  static double command(Random& random) { return random.happens(0.3) ? 0.0 : random.uniform(-1.0, 1.0); }
  double push(Random& random) const { return random.uniform(-1.0, 1.0) * 10e6 * area_a_m2(); }

 private:
  double area_a_m2() const { return std::numbers::pi / 4.0 * cylinder_.bore_m * cylinder_.bore_m; }
  double area_b_m2() const { return area_a_m2() - std::numbers::pi / 4.0 * cylinder_.rod_m * cylinder_.rod_m; }
  double with_a_cubic_metre_J(double p_Pa) const {
    return cylinder_.bulk_modulus_Pa * std::expm1(p_Pa / cylinder_.bulk_modulus_Pa);
  }
  double held_J(double volume_m3, double p_Pa) const { return volume_m3 * (with_a_cubic_metre_J(p_Pa) - p_Pa); }
  double flow_m3_per_s(double p_Pa) const {
    const double y = (pump_.pressure_Pa - p_Pa) / (HydraulicCircuit::kPumpBand * pump_.pressure_Pa);
    const double share =
        y < 0.5 ? 2.0 * std::pow(std::max(y, 0.0), 2) : 1.0 - 2.0 * std::pow(std::max(1.0 - y, 0.0), 2);
    return pump_.flow_m3_per_s * share;
  }

  CylinderSettings cylinder_;
  PumpSettings pump_;
};

constexpr int kCommands = 10;
constexpr double kCommandFor_s = 0.04;
constexpr long long kLeastStepsOfACommand = 20;
// Of what is exchanged. Powers are known at the ends of steps only, and linearly_implicit overshoots for a step or two
// where a command changes.
constexpr double kMaxCreated = 0.03;

/// The most that there was more of energy, at the end of a command, than had been there and been put in, but for what
/// is put in within a step, as a share of what was exchanged.
template <class Books>
double created_share(Plant& plant, std::uint64_t seed) {
  Random random(seed);
  const Books books(plant);
  State state = plant.initial_state();
  StepInput input;
  input.count = 1;
  const double start_J = books.stored_J(plant, state);
  double given_J = 0.0, exchanged_J = 0.0, created_J = 0.0, most_J = 0.0;
  const double dt_s = plant.spec().dt_s;
  const auto steps_per_command = std::max(kLeastStepsOfACommand, std::llround(kCommandFor_s / dt_s));
  for (long long i = 0; i < kCommands * steps_per_command; ++i) {
    input.changes = 0;
    if (i % steps_per_command == 0) {
      input.command[0] = Books::command(random);
      input.changes = 1;
      StepChange& push = input.change[0];
      push.kind = ChangeKind::kForce;
      push.target = 1;
      push.steps = static_cast<std::uint64_t>(steps_per_command);
      const double along = random.happens(0.5) ? books.push(random) : 0.0;
      push.wrench = {0.0, 0.0, 0.0, 0.0, 0.0, along, 0.0, 0.0, along};
    }
    const State before = state;
    if (!is_done(plant.step(input, state))) return 1e300;
    const double given_now_J = books.given_J(plant, before, state, input);
    given_J += given_now_J;
    most_J = std::max(most_J, std::abs(given_now_J));
    const double held_J = books.stored_J(plant, state) - start_J;
    const EnergyBalance& b = *plant.energy();
    // What reached the mechanism, and what its integrator made.
    const double out_J = b.actuators_J + b.rest_J;
    exchanged_J = std::max({exchanged_J, b.exchanged_J, std::abs(held_J), std::abs(given_J)});
    if ((i + 1) % steps_per_command == 0) created_J = std::max(created_J, out_J + held_J - given_J - most_J);
  }
  return created_J / exchanged_J;
}

struct DriveCase {
  Drawn (*draw)(std::uint64_t seed);
  double (*created)(Plant& plant, std::uint64_t seed);
};

void expect_passive(const DriveCase& drive, std::string_view integrator) {
  constexpr double kSteps_s[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const Drawn drawn = drive.draw(seed);
    const Model model = mechanisms::compiled(drawn.model);
    PlantSpec spec = drawn.plant;
    spec.dt_s = kSteps_s[seed % 5];
    spec.levels[0].integrator = integrator;
    const std::unique_ptr<Plant> plant = plants::made(model, spec);
    if (!plant->warnings().empty()) continue;
    ++judged;

    const double share = drive.created(*plant, seed);

    EXPECT_LT(share, kMaxCreated) << integrator << ", seed " << seed << ", " << spec.dt_s << " s";
  }
  EXPECT_GT(judged, 25) << integrator;
}

TEST(DrivePassivity, MotorsGiveNoMoreThanTheirVoltageDoes) {
  expect_passive({&motor, &created_share<MotorBooks>}, kAutoIntegrator);
  for (const IntegratorKind& kind : integrator_kinds()) expect_passive({&motor, &created_share<MotorBooks>}, kind.name);
}

TEST(DrivePassivity, CylindersGiveNoMoreThanTheirPumpDoes) {
  expect_passive({&cylinder, &created_share<CylinderBooks>}, kAutoIntegrator);
  for (const IntegratorKind& kind : integrator_kinds()) {
    expect_passive({&cylinder, &created_share<CylinderBooks>}, kind.name);
  }
}

}  // namespace
}  // namespace kinloop
