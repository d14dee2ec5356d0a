// Simulation: steps, views and states of a plant in this process.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "services/base/diagnostics.hpp"
#include "services/python/arrays.hpp"
#include "services/python/bindings.hpp"
#include "services/python/failure.hpp"
#include "services/python/simulation_object.hpp"

namespace kinloop::python {
namespace {

using Sim = SimulationObject;

constexpr long long kStepsWithLock = 3;          // fewer take less time than giving the lock up
constexpr long long kStepsBetweenSignals = 256;  // of the operating system: Ctrl-C

/// Refuses before anything is written.
void take_commands(Sim& sim, const py::object& command) {
  const std::span<double> all = sim.commands();
  if (py::isinstance<py::dict>(command)) {
    std::array<double, kMaxActuators> next{};
    std::copy(all.begin(), all.end(), next.begin());
    for (const auto& [name, value] : named_numbers_from(command, "command")) next[sim.find_actuator(name)] = value;
    sim.require_usable();
    std::copy_n(next.begin(), all.size(), all.begin());
    return;
  }
  const VectorX values = vector_from(command, static_cast<Eigen::Index>(all.size()), "command");
  sim.require_usable();
  std::copy(values.begin(), values.end(), all.begin());
}

/// An array of doubles goes without any copy.
void take_array(Sim& sim, const Numbers& command) {
  const std::span<double> all = sim.commands();
  if (command.ndim() != 1 || command.size() != static_cast<py::ssize_t>(all.size())) return take_commands(sim, command);
  const double* values = command.data();
  double sum = 0.0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += std::abs(values[i]) * 0.0;
  if (sum != 0.0) return take_commands(sim, command);  // which says what is wrong
  if (!all.empty()) std::memmove(all.data(), values, sizeof(double) * all.size());
}

void require_step(StepStatus status, long long done, long long steps) {
  if (done == steps) return;
  std::string what(describe(status));
  if (steps > 1) what += "; " + std::to_string(done) + " of " + std::to_string(steps) + " steps were done";
  throw Failure(status, what);
}

void run(Sim& sim, long long steps) {
  sim.check_commands();
  const Sim::Use use(sim);
  StepStatus status = StepStatus::kOk;
  if (steps <= kStepsWithLock) {
    const long long done = sim.step(steps, status);
    return require_step(status, done, steps);
  }
  long long done = 0;
  while (done < steps) {
    const long long wanted = std::min(kStepsBetweenSignals, steps - done);
    long long made = 0;
    {
      const py::gil_scoped_release unlocked;
      made = sim.step(wanted, status);
    }
    done += made;
    if (made < wanted) require_step(status, done, steps);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

void step(Sim& sim, const py::object& command, long long steps) {
  sim.require_usable();
  if (steps < 0) throw Failure(FailureKind::kInvalid, "steps", "steps: must be 0 or more");
  if (py::isinstance<Numbers>(command)) {
    take_array(sim, py::reinterpret_borrow<Numbers>(command));
  } else if (!command.is_none()) {
    take_commands(sim, command);
  }
  run(sim, steps);
}

std::optional<std::uint64_t> seed_from(const py::object& seed) {
  if (seed.is_none()) return std::nullopt;
  return seed.cast<std::uint64_t>();
}

std::uint64_t steps_from(long long steps) {
  if (steps < 0) throw Failure(FailureKind::kInvalid, "steps", "steps: must be 0 or more");
  return static_cast<std::uint64_t>(steps);
}

void apply_force(Sim& sim, const std::string& body, const py::object& force, const py::object& point,
                 const py::object& moment, long long steps) {
  StepChange change;
  change.kind = ChangeKind::kForce;
  change.steps = steps_from(steps);
  const VectorX zero = VectorX::Zero(3);
  const VectorX parts[] = {vector_or(point, zero, "point"), vector_from(force, 3, "force"),
                           vector_or(moment, zero, "moment")};
  for (std::size_t i = 0; i < 9; ++i) change.wrench[i] = parts[i / 3][static_cast<Eigen::Index>(i % 3)];
  change.target = static_cast<std::uint32_t>(sim.find_body(body));
  sim.require_usable();
  sim.change(change);
}

void inject_fault(Sim& sim, const std::string& signal, const std::string& kind, const py::object& value,
                  long long steps) {
  StepChange change;
  change.kind = ChangeKind::kFault;
  change.fault = known(find_signal_fault(kind));
  change.value = number_from(value, "value");
  change.steps = steps_from(steps);
  change.target = sim.find_signal_number(signal);
  sim.require_usable();
  sim.change(change);
}

/// Steps all of them, each under its row of commands, and fills its row of readings; per simulation whether its steps
/// were done.
py::array_t<bool> step_all(const py::list& simulations, const py::object& commands, long long steps,
                           const py::object& readings) {
  std::vector<py::object> owners;
  std::vector<Sim*> sims;
  for (const py::handle one : simulations) {
    owners.push_back(py::reinterpret_borrow<py::object>(one));
    sims.push_back(&one.cast<Sim&>());
  }
  const Numbers rows = numbers_from(commands, 2, "commands");
  if (!py::isinstance<Numbers>(readings)) throw py::type_error("readings: an array of doubles, row by row");
  Numbers out = py::reinterpret_borrow<Numbers>(readings);
  const auto count = static_cast<py::ssize_t>(sims.size());
  if (steps < 0) throw Failure(FailureKind::kInvalid, "steps", "steps: must be 0 or more");
  if (rows.shape(0) != count || out.ndim() != 2 || out.shape(0) != count || !out.writeable()) {
    throw Failure(FailureKind::kInvalid, "commands", "commands and readings have one row for each simulation");
  }
  for (const Sim* sim : sims) {
    Sim& one = const_cast<Sim&>(*sim);
    if (rows.shape(1) != static_cast<py::ssize_t>(one.commands().size()) ||
        out.shape(1) != static_cast<py::ssize_t>(one.readings().size())) {
      throw Failure(FailureKind::kInvalid, "commands", "one column for each actuator, readings one for each sensor");
    }
  }
  std::vector<std::unique_ptr<Sim::Use>> uses;
  for (Sim* sim : sims) uses.push_back(std::make_unique<Sim::Use>(*sim));
  py::array_t<bool> done(count);
  bool* is_done_row = done.mutable_data();
  const double* command = rows.data();
  double* reading = out.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    for (Sim* sim : sims) {
      const std::span<double> all = sim->commands();
      std::copy_n(command, all.size(), all.begin());
      command += all.size();
      StepStatus status = StepStatus::kOk;
      *is_done_row++ = sim->step(steps, status) == steps;
      reading = std::copy(sim->readings().begin(), sim->readings().end(), reading);
    }
  }
  return done;
}

}  // namespace

void bind_simulation(py::module_& module) {
  using Object = const py::object&;
  const py::none none;
  py::class_<Sim> sim(module, "Simulation");
  sim.def(py::init([](const std::shared_ptr<PlantObject>& plant, Object seed) {
            if (plant == nullptr) throw py::type_error("plant: a Plant, not None");
            return make<Sim>(plant, seed_from(seed));
          }),
          py::arg("plant"), py::arg("seed") = none);
  sim.def(
      "step", &step, py::arg("command") = none, py::arg("steps") = 1,
      "Steps under commands: an array or list in the order of the actuators, a dictionary of some of them, or None for "
      "those in force. Commands beyond their limits are cut off. Raises StepError where a step cannot be done; the "
      "state "
      "is then that before it.");
  sim.def(
      "reset",
      [](Sim& s) {
        s.require_usable();
        s.reset();
      },
      "Back to the start of the rig, commands too.");
  sim.def(
      "set_state",
      [](Sim& s, Object q, Object v) {
        const Model& model = s.plant().model();
        const VectorX place = vector_from(q, model.nq(), "q");
        const VectorX speeds = vector_or(v, VectorX::Zero(model.nv()), "v");
        s.require_usable();
        s.set_motion(place, speeds);
      },
      py::arg("q"), py::arg("v") = none,
      "Puts the mechanism elsewhere, actuators as they are. Loops must be closed to 1e-4, and are closed exactly; else "
      "InvalidError, and nothing changes. v: at rest unless given.");
  sim.def(
      "_restore",
      [](Sim& s, Object block) {
        const VectorX numbers = vector_from(block, -1, "snapshot");
        s.require_usable();
        s.restore(numbers);
      },
      py::arg("block"));
  sim.def(
      "apply_force", &apply_force, py::arg("body"), py::arg("force"), py::arg("point") = none, py::arg("moment") = none,
      py::arg("steps") = 1,
      "Pushes a body for so many of the next steps: force and moment in world axes, at a point of the body's frame.");
  sim.def(
      "inject_fault", &inject_fault, py::arg("signal"), py::arg("kind"), py::arg("value") = 0.0, py::arg("steps") = 0,
      "A fault of a sensor or actuator from the next step on, for so many steps (0: until it is cleared): off, stuck, "
      "bias, drift, noise, wrong_sign, delay or drop.");
  sim.def(
      "clear_faults",
      [](Sim& s) {
        s.require_usable();
        s.change({});
      },
      "Ends all faults and forces with the next step.");
  sim.def(
      "close", [](Sim& s) { s.close(); }, "Ends it: later calls raise NotNowError; views stay readable.");

  const auto property = [&](const char* name, const char* doc, auto get) { sim.def_property_readonly(name, get, doc); };
  property("closed", "Whether close() was called.", [](const Sim& s) { return s.is_closed(); });
  property("time_s", "Of the plant, s.", [](Sim& s) { return s.state().time_s(); });
  property("step_count", "Steps so far.", [](Sim& s) { return s.state().step(); });
  property("state_hash", "Of the whole state: that of the service where the bits are the same.",
           [](const Sim& s) { return s.hash(); });
  property("warnings",
           "What will cause trouble: steps too long for the integrator, sensors of what statics leave open.",
           [](Sim& s) {
             std::vector<std::string> lines;
             for (const Error& warning : s.plant().warnings()) lines.push_back(to_line(warning));
             return tuple_of(lines);
           });
  property("integrator", "The integrator of its steps: the rig's, or what `auto` took.",
           [](Sim& s) { return s.plant().integrator(0).name; });
  property("integrator_reason", "Why `auto` took it; empty where the rig names it.",
           [](Sim& s) { return s.plant().integrator(0).reason; });
  property("tau", "Forces along the speeds that the actuators applied in the last step.",
           [](const Sim& s) { return array_of(s.applied_forces()); });
  // Views: a call each, since an array that was kept would keep its owner alive for ever.
  const auto view = [&](const char* name, const char* doc, auto span_of, Access access) {
    sim.def_property_readonly(
        name,
        [span_of, access](const py::object& self) -> py::object {
          const auto span = span_of(self.cast<Sim&>());
          return view_of(span.data(), span.size(), self, access);
        },
        doc);
  };
  const auto span_of = [](auto map) { return std::span<double>(map.data(), static_cast<std::size_t>(map.size())); };
  view(
      "q", "View: coordinates.", [=](Sim& s) { return span_of(s.state().q()); }, Access::kRead);
  view(
      "v", "View: speeds.", [=](Sim& s) { return span_of(s.state().v()); }, Access::kRead);
  view(
      "block", "View: the whole state, as state_hash sees it.",
      [=](Sim& s) { return span_of(Eigen::Map<VectorX>(s.state().block().data(), s.state().block().size())); },
      Access::kRead);
  view(
      "device_state", "View: what actuators, sensors, faults and forces remember.",
      [=](Sim& s) { return span_of(s.state().device_state()); }, Access::kRead);
  view(
      "command", "View that can be written: commands of the next steps, which must be finite.",
      [](Sim& s) { return s.commands(); }, Access::kWrite);
  view(
      "readings", "View: what the sensors showed in the last step; after reset() or restore() the true values.",
      [](Sim& s) { return s.readings(); }, Access::kRead);
  view(
      "flags", "View: of each reading, kinloop.SensorFlag: lost 1, saturated 2, invalid 4.",
      [](Sim& s) { return s.flags(); }, Access::kRead);

  module.def("step_all", &step_all, py::arg("simulations"), py::arg("commands"), py::arg("steps"), py::arg("readings"),
             "Steps simulations, each under its row of commands, and writes their readings; whether each went well.");
}

}  // namespace kinloop::python
