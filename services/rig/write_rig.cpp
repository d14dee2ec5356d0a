// The keys of the root of a rig file; every key is written, in the order of its table.
#include "services/rig/write_rig.hpp"

#include <variant>

#include <utility>

#include "core/base/require.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

constexpr long long kMaxSeed = 9'007'199'254'740'992;  // 2^53: what a number in a file can say exactly

/// 0 stands for `none`.
void read_duration(const KeyReading& key, double& duration_s) {
  if (key.is_word(kNoneWord)) return;
  const auto read = key.fields.optional_number(key.name, Dimension::time(), Range::kNonNegative);
  if (read && *read == 0.0) key.error("must be positive, got 0; 'none' runs until it is stopped");
  duration_s = read.value_or(0.0);
}

std::string duration_text(const double& duration_s, const WriteScope& /*scope*/) {
  return duration_s > 0.0 ? number(duration_s, "s") : std::string(kNoneWord);
}

void read_start(const KeyReading& key, std::vector<double>& start) {
  start = key.fields.optional_numbers(key.name, Dimension::none()).value_or(std::vector<double>{});
}

std::string start_text(const std::vector<double>& start, const WriteScope& /*scope*/) {
  std::string text = "[";
  for (const double value : start) text += (text.size() > 1 ? ", " : "") + number(value);
  return text + "]";
}

std::vector<SolverLevel> degraded_of(const RigSpec& rig) {
  return {rig.plant.levels.begin() + 1, rig.plant.levels.end()};
}

std::vector<ActuatorItem> actuators_of(const RigSpec& rig) {
  std::vector<ActuatorItem> items;
  for (std::size_t i = 0; i < rig.commands.size(); ++i) items.push_back({rig.plant.actuators[i], rig.commands[i]});
  return items;
}

RigField<RigSpec> adapters_field() {
  RigField<RigSpec> made{{"adapters", "list, [below](#adapters)", derived("none"),
                          R"("type": "array", "maxItems": 16, "items": {"$ref": "#/definitions/adapter"})"},
                         {},
                         {},
                         {}};
  made.write = [](const RigSpec& rig, const WriteScope& scope, Lines& lines) {
    write_list("adapters", rig.adapters, lines, [&](std::size_t i) {
      std::visit([&](const auto& spec) { write_fields(fields_of(spec), spec, scope, lines); }, rig.adapters[i]);
    });
  };
  made.compare = [](const RigSpec& a, const RigSpec& b, const std::string& path, std::vector<std::string>& differing) {
    if (a.adapters.size() != b.adapters.size()) return differing.push_back(path + "adapters");
    for (std::size_t i = 0; i < a.adapters.size(); ++i) {
      const std::string here = path + "adapters[" + std::to_string(i) + "]";
      const AdapterSpec& one = a.adapters[i];
      const AdapterSpec& other = b.adapters[i];
      if (one.index() != other.index()) {
        differing.push_back(here + ".kind");
        continue;
      }
      const auto compare = [&]<class Spec>(const Spec& spec) {
        compare_fields(fields_of(spec), spec, std::get<Spec>(other), here + ".", differing);
      };
      std::visit(compare, one);
    }
  };
  return read_by(read_adapters, std::move(made));
}

}  // namespace

const RigFields<RigSpec>& rig_fields() {
  using S = RigSpec;
  constexpr auto kPlant = &S::plant;
  static const RigFields<S> kFields = {
      shared_field<S>("kinloop_rig", R"("const": 1)", kRequired, "version of this format: `1`", nullptr,
                      [](const S&, const WriteScope&) { return std::string("1"); }),
      field("name", Text{}, derived("that of the model"), "of the rig", &S::name),
      field("notes", Text{}, derived("none"), "anything worth knowing", &S::notes),
      unread(field("model",
                   Special<std::filesystem::path>{nullptr,
                                                  [](const std::filesystem::path&, const WriteScope& scope) {
                                                    return in_double_quotes(scope.model);
                                                  },
                                                  Text{}.schema()},
                   kRequired, "file of the model (Kinloop, URDF or SDF), from the folder of the rig file", &S::model)),
      // Not written where the file decides, as before there was a choice.
      written_if([](const S& rig) { return rig.base != BaseKind::kAuto; },
                 unread(field("base", Word<BaseKind>{base_names}, "auto",
                              "how a URDF or SDF stands that is not attached to the world, as with `--base`: `fixed`, "
                              "`floating`, or [as its file suggests](import.md#what-becomes-of-it)",
                              &S::base))),
      settings_field(
          "parameters", R"("type": ["object", "null"], "additionalProperties": {"$ref": "#/definitions/quantity"})",
          "mapping of parameters of the model to what they are to be instead, as with `--set`", &S::parameters),
      unread(field("step",
                   Number{.dimension = Dimension::time(),
                          .unit = "s",
                          .range = Range::kPositive,
                          .bounds = R"("minimum": 1e-06, "maximum": 1)"},
                   derived("required, or `rate`"), "how long a step lasts, 1 us to 1 s", kPlant, &PlantSpec::dt_s)),
      shared_field<S>("rate", quantity_schema(R"("minimum": 1, "maximum": 1000000.0)"), derived("required, or `step`"),
                      "how many steps there are in a second", nullptr, nullptr),
      field("mode", Word<rt::Mode>{rt::mode_names}, "real_time",
            "what releases a step: the clock (`real_time`), each command (`lockstep`), the end of the one before "
            "(`free`)",
            &S::mode),
      field("duration", Special<double>{read_duration, duration_text, quantity_schema(R"("exclusiveMinimum": 0)")},
            "none", "of the run, in the plant's time; `none`: until it is stopped", &S::duration_s),
      field("core", Whole{0, kHighestCore, kAutoWord, -1}, "auto",
            "of the processor, for the plant; `auto`: the last isolated one, else the last one permitted", &S::core),
      field("priority", Whole{1, kHighestPriority}, "80", "1 to 99, SCHED_FIFO, in `real_time`", &S::priority),
      field("seed", Whole{0, kMaxSeed}, "0", "of all noise: a whole number; the same seed gives the same noise", kPlant,
            &PlantSpec::seed),
      field("longest_fault_delay", Delay{}, "100 ms",
            "that can be injected into a signal while the plant runs: memory of the plant, at most 10 s and 100 000 "
            "steps; 0: none",
            kPlant, &PlantSpec::longest_fault_delay_s),
      // Where it is not wished for, rigs are written as they were before there was one: snapshots know them by that.
      written_if(
          [](const S& rig) { return rig.plant.accounts_energy; },
          field("energy_account", YesNo{}, "false",
                "whether the plant keeps an [account of its energy](service.md#account-of-energy), for the page, "
                "the metrics and the status",
                kPlant, &PlantSpec::accounts_energy)),
      written_if(
          [](const S& rig) { return !rig.plant.start.empty(); },
          field("start",
                Special<std::vector<double>>{read_start, start_text, R"("type": "array", "items": {"type": "number"})"},
                derived("as the model's file has it"),
                "the whole state in which it begins, as [`kinloop trim --rig`](linearization.md#trim) writes it",
                kPlant, &PlantSpec::start)),
      read_by(read_solver,
              section<S>("solver", "solver", solver_fields(), "how much work a step is given, [below](#solver)",
                         [](const S& rig) { return rig.plant.levels.front(); })),
      list<S>("degraded_solvers", "solver", kMaxDegradedSolvers, solver_fields(),
              "cheaper ones for `overrun: degrade`, [below](#solver)", degraded_of),
      read_by(read_overrun,
              with_schema(R"("anyOf": [{)" + Word<rt::OverrunKind>{rt::overrun_names}.schema() +
                              R"(}, {"$ref": "#/definitions/overrun"}])",
                          section<S>("overrun", "overrun", overrun_fields(),
                                     "what happens after a step that ended too late: a policy alone, or [with its "
                                     "numbers](#late-and-failed-steps)",
                                     [](const S& rig) { return rig.overrun; }))),
      field("fault", Word<rt::FaultKind>{rt::fault_names}, "stop",
            "what happens after a step that failed, [below](#late-and-failed-steps)", &S::fault,
            &rt::FaultSettings::kind),
      read_by(read_watchdog, section<S>("watchdog", "watchdog", watchdog_fields(),
                                        "what watches the plant from outside, [below](#late-and-failed-steps)",
                                        [](const S& rig) { return rig.watchdog; })),
      read_by(read_frames, section<S>("frames", "frames", frames_fields(),
                                      "which frames leave, and when, [below](#late-and-failed-steps)",
                                      [](const S& rig) { return rig.frames; })),
      read_by(read_pumps, list<S>("pumps", "pump", kMaxPumps, pump_fields(), "that feed cylinders, [below](#pumps)",
                                  [](const S& rig) { return rig.plant.pumps; })),
      read_by(read_actuators,
              list<S>("actuators", "actuator", kMaxActuators, actuator_fields(),
                      "what a controller moves, in the order of its commands, [below](#actuators)", actuators_of)),
      read_by(read_sensors, list<S>("sensors", "sensor", rt::kMaxSensors, sensor_fields(),
                                    "what a controller sees, in the order of the frames, [below](#sensors)",
                                    [](const S& rig) { return rig.plant.sensors; })),
      adapters_field(),
      read_by(read_stop_inputs,
              list<S>("stop_inputs", "stop_input", kMaxStopInputs, stop_input_fields(),
                      "buttons and safety chains at the host itself that stop the plant, [below](#stop-inputs)",
                      [](const S& rig) { return rig.stop_inputs; })),
      read_by(read_panel,
              section<S>(
                  "panel", "panel", panel_fields(), "what the [page](panel.md) shows, [below](#panel)",
                  [](const S& rig) { return rig.panel; }, [](const S& rig) { return !rig.panel.is_empty(); })),
  };
  return kFields;
}

std::string write_rig(const RigSpec& spec, const std::string& model) {
  require(spec.commands.size() == spec.plant.actuators.size(), "every actuator has its command");
  require(!spec.plant.levels.empty(), "there is a solver");
  Lines lines;
  write_fields(rig_fields(), spec, {spec.plant.dt_s, model}, lines);
  return lines.text();
}

std::string kept_model_name(const RigSpec& rig) { return "model" + rig.model.extension().string(); }

}  // namespace kinloop
