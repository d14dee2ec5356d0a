// Reads a record, identifies, prints values with their uncertainty for people and programs, draws residuals.
#include "services/cli/fit.hpp"

#include <cmath>
#include <ostream>

#include "core/analysis/identification.hpp"
#include "services/cli/linear_json.hpp"
#include "services/cli/time_argument.hpp"
#include "services/cli/write_out.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"
#include "services/plot/line_chart.hpp"
#include "services/run/recorded_motion.hpp"

namespace kinloop::cli {
namespace {

void print_fit(const Identification& found, const std::string& name, std::size_t steps, std::ostream& out) {
  out << name << ": " << (found.is_converged ? "fitted" : "not fitted to the end") << " to " << steps << " steps after "
      << found.iterations << " iterations\n";
  console::Table table(
      {{"parameter"}, {"was", console::Align::kRight}, {"is", console::Align::kRight}, {"+-", console::Align::kRight}});
  for (const Identification::Parameter& one : found.parameters) {
    table.add({one.name, console::plain_number(one.start), console::plain_number(one.value),
               std::isfinite(one.deviation) ? console::short_number(one.deviation) : "nothing shows it"});
  }
  table.print(out);
  console::Table sensors({{"sensor"}, {"residual was", console::Align::kRight}, {"is", console::Align::kRight}});
  for (const Identification::Sensor& one : found.sensors) {
    if (one.is_used) sensors.add({one.name, console::short_number(one.before), console::short_number(one.after)});
  }
  sensors.print(out);
}

/// One panel a sensor: its residuals before and after.
plot::LineChart residual_chart(const Identification& found, const std::string& name) {
  plot::LineChart chart{name + ": residuals", "time (s)", {}};
  for (std::size_t s = 0; s < found.sensors.size(); ++s) {
    if (!found.sensors[s].is_used) continue;
    plot::Panel panel{found.sensors[s].name, {}};
    for (const auto* residuals : {&found.residuals_before, &found.residuals}) {
      plot::Series series{residuals == &found.residuals ? "after" : "before", {}};
      for (std::size_t i = 0; i < found.times_s.size(); ++i) {
        const double residual = (*residuals)(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(s));
        if (std::isfinite(residual)) series.line.push_back({found.times_s[i], residual});
      }
      panel.series.push_back(std::move(series));
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

int write_residual_chart(const Identification& found, const std::string& name, const std::string& file,
                         const console::Console& console) {
  const plot::LineChart chart = residual_chart(found, name);
  const plot::ImageSize size = natural_size(chart);
  plot::CairoCanvas canvas(file.ends_with(".png") ? plot::ImageFormat::kPng : plot::ImageFormat::kSvg, size);
  draw(chart, size, canvas);
  const Result<std::string> bytes = canvas.finish();
  if (!bytes) return console::refuse(bytes.error(), console);
  return write_out(file, *bytes, console);
}

}  // namespace

int run_fit(const FitOptions& options, const console::Console& console) {
  if (!options.plot.empty() && !options.plot.ends_with(".svg") && !options.plot.ends_with(".png")) {
    return console::refuse({"--plot " + options.plot, "the name ends in neither .svg nor .png"}, console);
  }
  run::RecordedMotionChoice choice{options.rig, 0.0};
  if (!options.duration.empty()) {
    const Result<double> duration_s = read_time("--duration", options.duration);
    if (!duration_s) return console::refuse(duration_s.error(), console);
    choice.duration_s = *duration_s;
  }
  const auto motion = run::read_recorded_motion(options.record, choice);
  if (!motion) return console::refuse(motion.error(), console);
  const LoadedRig& rig = (*motion)->rig;
  std::vector<Error> remarks;
  for (const std::string& remark : (*motion)->remarks) remarks.push_back({options.record, remark});
  console::print_warnings(console, remarks);
  const Result<NamedValues> parameters = choose_parameters(rig.model.model, options.parameters);
  if (!parameters) return console::refuse({"--" + parameters.error().where, parameters.error().what}, console);
  const Result<Identification> found = identify(rig.model.model, rig.spec.plant, *(*motion)->observed, *parameters);
  if (!found) return console::refuse(found.error(), console);
  print_fit(*found, rig.spec.name, (*motion)->observed->inputs.size(), options.out == "-" ? console.err : console.out);
  if (!options.out.empty()) {
    const int code = write_out(options.out, fit_json(rig.spec.name, *found), console);
    if (code != console::kDone) return code;
  }
  if (!options.plot.empty()) {
    const int code = write_residual_chart(*found, rig.spec.name, options.plot, console);
    if (code != console::kDone) return code;
  }
  return found->is_converged ? console::kDone : console::kDiffers;
}

}  // namespace kinloop::cli
