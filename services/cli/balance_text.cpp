// Stores, losses and works first; then who made or lost energy that nothing paid for.
#include "services/cli/balance_text.hpp"

#include <cmath>

#include "services/console/table.hpp"

namespace kinloop::cli {

std::string balance_text(const EnergyBalance& b, std::string_view integrator) {
  std::string text =
      console::short_number(b.kinetic_J) + " J kinetic, " + console::short_number(b.gravity_J) + " J gravity";
  const auto part = [&](const std::string& what, double joule) {
    if (joule != 0.0) text += ", " + console::short_number(joule) + " J " + what;
  };
  part("elastic", b.elastic_J);
  for (const auto& [name, loss] : kNamedLosses) {
    if (b.dissipated.*loss > 0.0) part("lost in " + std::string(name), b.dissipated.*loss);
  }
  part("work of forces along speeds", b.actuators_J);
  part("work of driven joints", b.drives_J);
  part("work of constant torques", b.outside_J);

  const EnergySource source = largest_source(b);
  int sources = 0;
  const auto made = [&](std::string_view by, double joule) {
    sources += joule > 0.0 ? 1 : 0;
    text += "; " + console::short_number(std::abs(joule)) + " J " + (joule > 0.0 ? "created" : "lost") + " by ";
    text += by;
  };
  for (const auto& [name, loss] : kNamedLosses) {
    if (b.dissipated.*loss < 0.0) made(name, -(b.dissipated.*loss));
  }
  if (b.projection_J != 0.0) made("the projection", b.projection_J);
  made(integrator, b.rest_J);
  if (sources > 1) text += "; most of it by " + std::string(source.name);
  return text;
}

}  // namespace kinloop::cli
