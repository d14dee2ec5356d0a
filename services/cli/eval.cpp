// Every file with every formulation, one row each; the exit code says whether all of it agrees.
#include "services/cli/eval.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>

#include "core/base/name_table.hpp"
#include "services/cli/vector_comparison.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

/// One file with one formulation.
struct Row {
  std::string file;
  std::string dynamics;
  std::string refusal;  // why the formulation does not apply; empty if it was evaluated
  int cases = 0;
  VectorComparison comparison;
};

std::vector<std::string> names_of(const EvalOptions& options) {
  if (options.dynamics != "all") return {options.dynamics};
  std::vector<std::string> names;
  for (const DynamicsKind& kind : dynamics_kinds()) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names = {"all", "auto"};
  for (const DynamicsKind& kind : dynamics_kinds()) names.push_back(kind.name);
  return names;
}

/// Before any file is read.
std::optional<Error> refusal_of(std::string_view name) {
  const std::vector<std::string_view> known = known_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return std::nullopt;
  return no_such("formulation", name, known);
}

Row evaluate(const std::string& path, const LoadedModel& file, const std::string& name) {
  Row row{path, name, "", static_cast<int>(file.cases.size()), {}};
  const Result<std::unique_ptr<Dynamics>> dynamics = make_dynamics(name, file.model);
  if (!dynamics) {
    row.refusal = dynamics.error().what;
    return row;
  }
  row.dynamics = std::string((*dynamics)->name());
  row.comparison = compare_with_vectors(file, **dynamics);
  return row;
}

std::string cell(const std::optional<double>& error) { return error ? console::short_number(*error) : "-"; }

void print_table(const std::vector<Row>& rows, const EvalOptions& options, const console::Console& console) {
  console::Table table({{"file"},
                        {"formulation"},
                        {"cases", console::Align::kRight},
                        {"udot", console::Align::kRight},
                        {"motion", console::Align::kRight},
                        {"body acc.", console::Align::kRight},
                        {"reactions", console::Align::kRight},
                        {"energy", console::Align::kRight}});
  for (const Row& row : rows) {
    if (!row.refusal.empty()) {
      table.add({row.file, row.dynamics}, console.on_out("does not apply: " + row.refusal, console::Style::kDim));
      continue;
    }
    const VectorErrors& errors = row.comparison.errors;
    std::string verdict = console.on_out("ok", console::Style::kGood);
    if (row.comparison.status != StepStatus::kOk) {
      verdict = console.on_out("FAILED: " + std::string(describe(row.comparison.status)), console::Style::kBad);
    } else if (!(row.comparison.worst() <= options.tolerance)) {
      verdict = console.on_out("DIFFERS", console::Style::kBad);
    }
    table.add({row.file, row.dynamics, std::to_string(row.cases), cell(errors.udot), cell(errors.motion),
               cell(errors.acceleration), cell(errors.reactions), cell(errors.energy)},
              verdict);
  }
  if (!rows.empty()) table.print(console.out);
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

void print_eval_json(const std::vector<Row>& rows, const EvalOptions& options, const console::Console& console) {
  auto array = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json object = {{"file", row.file}, {"dynamics", row.dynamics}, {"applies", row.refusal.empty()}};
    if (!row.refusal.empty()) {
      object["reason"] = row.refusal;
    } else {
      const VectorErrors& errors = row.comparison.errors;
      object["cases"] = row.cases;
      object["status"] = std::string(describe(row.comparison.status));
      object["within_tolerance"] = row.comparison.worst() <= options.tolerance;
      object["errors"] = {{"udot", number_or_null(errors.udot)},
                          {"motion", number_or_null(errors.motion)},
                          {"acceleration", number_or_null(errors.acceleration)},
                          {"reactions", number_or_null(errors.reactions)},
                          {"energy", number_or_null(errors.energy)}};
    }
    array.push_back(std::move(object));
  }
  console.out << array.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

struct EvalVerdict {
  int differing = 0;
  int files_not_evaluated = 0;
};

EvalVerdict judge(const std::vector<Row>& rows, const EvalOptions& options) {
  EvalVerdict verdict;
  for (std::size_t i = 0; i < rows.size();) {
    bool evaluated = false;
    const std::size_t first = i;
    for (; i < rows.size() && rows[i].file == rows[first].file; ++i) {
      if (!rows[i].refusal.empty()) continue;
      evaluated = true;
      if (!(rows[i].comparison.worst() <= options.tolerance)) ++verdict.differing;
    }
    if (!evaluated) ++verdict.files_not_evaluated;
  }
  return verdict;
}

}  // namespace

int run_eval(const EvalOptions& options, const console::Console& console) {
  if (!(options.tolerance >= 0.0)) {
    console::print_errors(console, {{"--tolerance", "must be zero or more"}}, "");
    return console::kBadInput;
  }
  if (const auto refusal = refusal_of(options.dynamics)) {
    console::print_errors(console, {{"--dynamics " + refusal->where, refusal->what}}, "");
    return console::kBadInput;
  }
  std::vector<Row> rows;
  bool unreadable = false;
  for (const std::string& path : options.files) {
    const auto file = load_model(path);
    if (!file) {
      console::print_errors(console, file.error(), "");
      unreadable = true;
    } else if (file->cases.empty()) {
      console::print_errors(console,
                            {{path, "holds no expected values: it is a " + std::string(describe(file->kind)) +
                                        ", and eval needs test vectors (schema mbs-vectors-1)"}},
                            "to look at a model: kinloop check " + path);
      unreadable = true;
    } else {
      for (const std::string& name : names_of(options)) rows.push_back(evaluate(path, *file, name));
    }
  }
  options.format == console::Format::kJson ? print_eval_json(rows, options, console)
                                           : print_table(rows, options, console);

  const EvalVerdict verdict = judge(rows, options);
  if (verdict.differing > 0) {
    console.err << verdict.differing << " evaluation(s) differ by more than "
                << console::short_number(options.tolerance) << "\n";
    return console::kDiffers;
  }
  if (verdict.files_not_evaluated > 0) {
    console.err << verdict.files_not_evaluated
                << " file(s) were not evaluated: no formulation that was asked for applies\n";
    return console::kBadInput;
  }
  return unreadable ? console::kBadInput : console::kDone;
}

void add_eval(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("eval", "compare accelerations and forces with expected values");
  auto options = std::make_shared<EvalOptions>();
  auto json = std::make_shared<bool>(false);
  verb->add_option("FILE", options->files, "test vectors (schema mbs-vectors-1)")->required();
  std::string list;
  for (const std::string_view name : known_names()) list += (list.empty() ? "" : ", ") + std::string(name);
  verb->add_option("-d,--dynamics", options->dynamics, "formulation: " + list)->capture_default_str();
  verb->add_option("-t,--tolerance", options->tolerance, "largest relative error that passes")->capture_default_str();
  verb->add_flag("--json", *json, "print an array of objects");
  verb->footer(
      "Columns: the largest of max|difference| / max(1, max|expected|) over the cases. motion: poses and\n"
      "velocities of the bodies; reactions: what statics determine, in the joints of the tree.\n"
      "\n"
      "exit codes:\n"
      "  0  every file was evaluated by at least one formulation, and all that apply are within tolerance\n"
      "  2  bad usage, an unreadable file, or a file to which no formulation applies\n"
      "  5  some value differs by more than the tolerance\n"
      "\n"
      "examples:\n"
      "  kinloop eval tests/data/vectors/pendulum.json\n"
      "  kinloop eval tests/data/vectors/{chain7,tree40}.json --dynamics rfda --tolerance 1e-10\n"
      "  kinloop eval tests/data/vectors/tree10.json --json | jq '.[] | [.dynamics, .errors.udot]'");
  verb->callback([options, json, &job] {
    options->format = *json ? console::Format::kJson : console::Format::kText;
    job = [options](const console::Console& console) { return run_eval(*options, console); };
  });
}

}  // namespace kinloop::cli
