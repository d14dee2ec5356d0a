// What analyses of a simulation give back: linearisations, trims, roll-outs, charts.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <limits>

#include "core/analysis/rollout.hpp"
#include "services/base/thread_crew.hpp"
#include "services/python/arrays.hpp"
#include "services/python/bindings.hpp"
#include "services/python/failure.hpp"
#include "services/python/simulation_object.hpp"

namespace kinloop::python {
namespace {

using Subject = SimulationObject;

constexpr double kMaxNumbers = 1e8;  // of one answer

LinearizeSettings linearize_settings(const std::string& method, const py::object& independent,
                                     const py::object& parameters, const std::string& side) {
  return {known(find_linearize_method(method)), names_from(independent, "independent"),
          names_from(parameters, "parameters"), known(find_linearize_side(side))};
}

/// Without Python's lock, on a simulation that nobody else uses meanwhile.
template <class Work>
auto unlocked(Subject& sim, Work work) {
  const Subject::Use use(sim);
  const py::gil_scoped_release release;
  return work();
}

py::dict linearize(Subject& sim, const std::string& method, const py::object& independent, const py::object& parameters,
                   const std::string& side) {
  const LinearizeSettings settings = linearize_settings(method, independent, parameters, side);
  const Linearization l = unlocked(sim, [&] { return sim.linearize(settings); });
  py::dict all;
  all["states"] = tuple_of(l.states);
  all["inputs"] = tuple_of(l.inputs);
  all["outputs"] = tuple_of(l.outputs);
  all["x"] = array_of(l.x);
  all["u"] = array_of(l.u);
  all["y"] = array_of(l.y);
  all["x_next"] = array_of(l.x_next);
  all["A"] = array_of(l.A);
  all["B"] = array_of(l.B);
  all["C"] = array_of(l.C);
  all["D"] = array_of(l.D);
  all["dt_s"] = l.dt_s;
  all["warnings"] = tuple_of(l.warnings);
  all["method"] = l.method;
  all["uncertainty"] = l.uncertainty;
  all["parameters"] = tuple_of(l.parameters);
  all["p"] = array_of(l.p);
  all["P"] = array_of(l.P);
  return all;
}

/// One after the other, as an array with one more dimension.
template <class Parts>
Numbers stacked(const Parts& parts, std::vector<py::ssize_t> shape) {
  shape.insert(shape.begin(), static_cast<py::ssize_t>(parts.size()));
  Numbers all(shape);
  double* data = all.mutable_data();
  for (const auto& part : parts) {
    const Numbers one = array_of(part);
    data = std::copy_n(one.data(), one.size(), data);
  }
  return all;
}

Numbers rows_from(const Subject& sim, const py::object& commands) {
  Numbers numbers = numbers_from(commands, 2, "commands");
  const auto actuators = static_cast<py::ssize_t>(sim.described().spec.plant.actuators.size());
  if (numbers.shape(1) != actuators) {
    throw Failure(FailureKind::kInvalid, "commands",
                  "commands: rows have " + std::to_string(numbers.shape(1)) + " numbers, the plant " +
                      std::to_string(actuators) + " actuators");
  }
  return numbers;
}

std::vector<double> list_of(const Numbers& numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

/// Matrices of so many commands are held at once.
void require_room(Subject& sim, py::ssize_t rows, const char* field) {
  const auto block = static_cast<double>(sim.state().block().size());
  if (static_cast<double>(rows) * block * block <= kMaxNumbers) return;
  throw Failure(FailureKind::kInvalid, field, std::string(field) + ": too many at once; ask for them in parts");
}

void require_steps_per_command(int steps) {
  if (steps >= 1) return;
  throw Failure(FailureKind::kInvalid, "steps_per_command", "steps_per_command: must be 1 or more");
}

py::dict linearize_trajectory(Subject& sim, const py::object& commands, int steps_per_command,
                              const py::object& independent) {
  require_steps_per_command(steps_per_command);
  const Numbers rows = rows_from(sim, commands);
  const std::vector<std::string> names = names_from(independent, "independent");
  const auto nu = static_cast<py::ssize_t>(sim.described().spec.plant.actuators.size());
  const auto ny = static_cast<py::ssize_t>(sim.described().spec.plant.sensors.size());
  require_room(sim, rows.shape(0), "commands");
  const std::vector<double> list = list_of(rows);
  const auto count = static_cast<std::size_t>(rows.shape(0));
  const Trajectory way = unlocked(sim, [&] { return sim.linearize_trajectory(list, count, steps_per_command, names); });
  const auto nx = static_cast<py::ssize_t>(way.states.size());
  py::dict all;
  all["states"] = tuple_of(way.states);
  all["x"] = stacked(way.x, {nx});
  all["A"] = stacked(way.A, {nx, nx});
  all["B"] = stacked(way.B, {nx, nu});
  all["y"] = stacked(way.y, {ny});
  all["C"] = stacked(way.C, {ny, nx});
  all["D"] = stacked(way.D, {ny, nu});
  all["warnings"] = tuple_of(way.warnings);
  all["complete"] = way.complete;
  return all;
}

py::dict trim(Subject& sim, const py::object& coordinates, const py::object& speeds, const py::object& commands,
              bool hold, int max_iterations) {
  TrimSettings settings;
  settings.coordinates = named_numbers_from(coordinates, "coordinates");
  settings.speeds = named_numbers_from(speeds, "speeds");
  settings.commands = named_numbers_from(commands, "commands");
  settings.holds_coordinates = hold;
  settings.max_iterations = std::clamp(max_iterations, 0, 100000);
  const Trim found = unlocked(sim, [&] { return sim.trim(settings); });
  py::dict all;
  all["block"] = array_of(found.state.block());
  all["q"] = array_of(VectorX(found.state.q()));
  all["v"] = array_of(VectorX(found.state.v()));
  all["commands"] = array_of(
      VectorX(Eigen::Map<const VectorX>(found.input.command.data(), static_cast<Eigen::Index>(found.input.count))));
  all["iterations"] = found.iterations;
  all["is_reached"] = found.is_reached;
  all["residual"] = found.residual;
  all["missing"] = tuple_of(found.missing);
  return all;
}

Numbers sequences_from(const Subject& sim, const py::object& sequences) {
  Numbers commands = numbers_from(sequences, 3, "sequences");
  const auto actuators = static_cast<py::ssize_t>(sim.described().spec.plant.actuators.size());
  if (commands.shape(2) != actuators) {
    throw Failure(FailureKind::kInvalid, "sequences",
                  "sequences: the plant has " + std::to_string(actuators) + " actuators, not " +
                      std::to_string(commands.shape(2)));
  }
  return commands;
}

/// (outputs, end_q, end_v, complete, path).
py::tuple roll_out(Subject& sim, const py::object& sequences, int steps_per_command, int threads, bool exact) {
  constexpr int kMaxThreads = 256;
  constexpr py::ssize_t kStepsAtOnce = 200000;  // between looks at signals of the user's: about a second
  require_steps_per_command(steps_per_command);
  const Numbers commands = sequences_from(sim, sequences);
  const auto actuators = commands.shape(2);
  const auto sensors = static_cast<py::ssize_t>(sim.described().spec.plant.sensors.size());
  const py::ssize_t count = commands.shape(0), rows = commands.shape(1);
  const Model& model = sim.plant().model();
  const double wanted = static_cast<double>(count) * static_cast<double>(rows * sensors + model.nq() + model.nv());
  if (!(wanted <= kMaxNumbers)) throw Failure(FailureKind::kInvalid, "sequences", "sequences: too many at once");
  if (threads < 0 || threads > kMaxThreads) throw Failure(FailureKind::kInvalid, "threads", "threads: 0 to 256");
  Numbers outputs(std::vector<py::ssize_t>{count, rows, sensors});
  Numbers end_q(std::vector<py::ssize_t>{count, model.nq()}), end_v(std::vector<py::ssize_t>{count, model.nv()});
  py::array_t<bool> complete(count);
  std::fill_n(outputs.mutable_data(), outputs.size(), std::numeric_limits<double>::quiet_NaN());
  double* output = outputs.mutable_data();
  double *q = end_q.mutable_data(), *v = end_v.mutable_data();
  bool* is_complete = complete.mutable_data();
  const double* command = commands.data();
  const Subject::Use use(sim);
  ThreadCrew crew(threads == 0 ? ThreadCrew::processors() : threads);
  RolloutReport report;
  RolloutPlan plan;
  plan.steps_per_command = steps_per_command;
  plan.path = exact ? RolloutPath::kSingle : RolloutPath::kLanes;
  plan.crew = &crew;
  plan.report = &report;
  const py::ssize_t steps = std::max<py::ssize_t>(1, rows * steps_per_command);
  const py::ssize_t at_once = std::clamp<py::ssize_t>(kStepsAtOnce / steps, 16, 4096);
  for (py::ssize_t first = 0; first < count; first += at_once) {
    {
      const py::gil_scoped_release release;
      plan.sequences.clear();
      for (py::ssize_t i = first; i < std::min(first + at_once, count); ++i) {
        plan.sequences.emplace_back(command, command + rows * actuators);
        command += rows * actuators;
      }
      for (const RolloutResult& one : valid(rollout(sim.plant(), sim.state(), plan))) {
        std::copy(one.outputs.begin(), one.outputs.end(), output);
        output += rows * sensors;
        q = std::copy_n(one.end.q().data(), model.nq(), q);
        v = std::copy_n(one.end.v().data(), model.nv(), v);
        *is_complete++ = one.complete;
      }
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return py::make_tuple(outputs, end_q, end_v, complete,
                        report.single_because.empty() ? "lanes" : "single: " + report.single_because);
}

QuadraticCost cost_from(const py::dict& lists) {
  const auto list = [&](const char* name) {
    const VectorX numbers = vector_from(lists[name], -1, name);
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  return {list("output_weights"), list("output_targets"), list("end_weights"), list("command_weights"),
          list("command_targets")};
}

/// (outputs, end_q, end_v, complete, costs, gradients).
py::tuple roll_out_with_gradients(Subject& sim, const py::object& sequences, int steps_per_command,
                                  const py::dict& lists) {
  require_steps_per_command(steps_per_command);
  const Numbers commands = sequences_from(sim, sequences);
  const QuadraticCost cost = cost_from(lists);
  const py::ssize_t count = commands.shape(0), rows = commands.shape(1), actuators = commands.shape(2);
  const auto sensors = static_cast<py::ssize_t>(sim.described().spec.plant.sensors.size());
  valid(check_cost(cost, static_cast<std::size_t>(sensors), static_cast<std::size_t>(actuators),
                   static_cast<std::size_t>(rows)));
  require_room(sim, rows, "sequences");
  const Model& model = sim.plant().model();
  const double wanted =
      static_cast<double>(count) * static_cast<double>(rows * (sensors + actuators) + model.nq() + model.nv());
  if (!(wanted <= kMaxNumbers)) throw Failure(FailureKind::kInvalid, "sequences", "sequences: too many at once");
  Numbers outputs(std::vector<py::ssize_t>{count, rows, sensors});
  Numbers gradients(std::vector<py::ssize_t>{count, rows, actuators});
  Numbers end_q(std::vector<py::ssize_t>{count, model.nq()}), end_v(std::vector<py::ssize_t>{count, model.nv()});
  Numbers costs(count);
  py::array_t<bool> complete(count);
  for (Numbers* numbers : {&outputs, &gradients, &costs}) {
    std::fill_n(numbers->mutable_data(), numbers->size(), std::numeric_limits<double>::quiet_NaN());
  }
  double *output = outputs.mutable_data(), *gradient = gradients.mutable_data();
  double *q = end_q.mutable_data(), *v = end_v.mutable_data(), *of = costs.mutable_data();
  bool* is_complete = complete.mutable_data();
  const double* command = commands.data();
  for (py::ssize_t i = 0; i < count; ++i) {
    unlocked(sim, [&] {
      const std::vector<double> sequence(command, command + rows * actuators);
      const Trajectory way = sim.linearize_trajectory(sequence, static_cast<std::size_t>(rows), steps_per_command, {});
      double* y = output;
      for (const VectorX& one : way.y) y = std::copy(one.begin(), one.end(), y);
      q = std::copy_n(way.end.q().data(), model.nq(), q);
      v = std::copy_n(way.end.v().data(), model.nv(), v);
      is_complete[i] = way.complete;
      if (!way.complete) return;
      const CostGradient found = cost_gradient(way, sequence, cost);
      of[i] = found.cost;
      std::copy(found.by_commands.begin(), found.by_commands.end(), gradient);
    });
    command += rows * actuators;
    output += rows * sensors;
    gradient += rows * actuators;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return py::make_tuple(outputs, end_q, end_v, complete, costs, gradients);
}

}  // namespace

void bind_analysis(py::module_& module) {
  auto sim = py::class_<Subject>(module.attr("Simulation"));
  sim.def("_linearize", &linearize, py::arg("method"), py::arg("independent"), py::arg("parameters"), py::arg("side"));
  sim.def("_linearize_trajectory", &linearize_trajectory, py::arg("commands"), py::arg("steps_per_command"),
          py::arg("independent"));
  sim.def("_trim", &trim, py::arg("coordinates"), py::arg("speeds"), py::arg("commands"), py::arg("hold"),
          py::arg("max_iterations"));
  sim.def("_rollout", &roll_out, py::arg("sequences"), py::arg("steps_per_command"), py::arg("threads"),
          py::arg("exact"));
  sim.def("_rollout_with_gradients", &roll_out_with_gradients, py::arg("sequences"), py::arg("steps_per_command"),
          py::arg("cost"));

  py::class_<ChartObject> chart(module, "Chart");
  chart.def(py::init([](Subject& of, const py::object& independent) {
              const std::vector<std::string> names = names_from(independent, "independent");
              of.require_usable();
              return make<ChartObject>(of, names);
            }),
            py::arg("simulation"), py::arg("independent") = py::tuple(), py::keep_alive<1, 2>());
  chart.def_property_readonly(
      "states", [](const ChartObject& self) { return tuple_of(self.names()); }, "Names of the entries of x.");
  chart.def(
      "read", [](ChartObject& self) { return array_of(self.read()); }, "x of the simulation's present state.");
  chart.def(
      "sizes", [](ChartObject& self) { return array_of(self.sizes()); },
      "What change of each entry makes a difference.");
  chart.def(
      "place",
      [](ChartObject& self, const py::object& x) {
        self.place(vector_from(x, static_cast<Eigen::Index>(self.names().size()), "x"));
      },
      py::arg("x"), "Puts the simulation there, loops closed.");
}

}  // namespace kinloop::python
