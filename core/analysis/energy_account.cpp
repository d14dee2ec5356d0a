// Trapezoids of the powers at both ends of each step.
#include "core/analysis/energy_account.hpp"

#include <algorithm>
#include <cmath>

#include "core/forces/loads.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {

EnergyAccount::EnergyAccount(const Model& model, const State& start)
    : model_(model), ws_(model), start_(look(start)), last_(start_) {
  balance_.kinetic_J = start_.kinetic_J;
  balance_.gravity_J = start_.gravity_J;
  balance_.elastic_J = start_.elastic_J;
}

EnergyAccount::Now EnergyAccount::look(const State& state) {
  const double* q = state.q().data();
  const double* v = state.v().data();
  update_kinematics(model_, state, ws_);
  const Energy all = energy(model_, q, v, ws_);
  const double elastic_J = spring_energy(model_, q, ws_);
  return {all.kinetic_J, all.potential_J - elastic_J, elastic_J, dissipation(model_, q, v, ws_), state.time_s()};
}

void EnergyAccount::add(const State& state, double work_J) {
  const Now now = look(state);
  const double half_s = 0.5 * (now.time_s - last_.time_s);
  const auto sum_up = [&](double Dissipation::*part) {
    balance_.dissipated.*part += half_s * (last_.losses.*part + now.losses.*part);
  };
  for (const auto part : {&Dissipation::dampers, &Dissipation::friction, &Dissipation::stops, &Dissipation::contacts,
                          &Dissipation::ropes}) {
    sum_up(part);
  }
  balance_.work_J += work_J;
  balance_.kinetic_J = now.kinetic_J;
  balance_.gravity_J = now.gravity_J;
  balance_.elastic_J = now.elastic_J;
  const double gained_J =
      (now.kinetic_J - start_.kinetic_J) + (now.gravity_J - start_.gravity_J) + (now.elastic_J - start_.elastic_J);
  balance_.rest_J = gained_J - balance_.work_J + balance_.dissipated.total();
  balance_.exchanged_J = std::max(
      {balance_.exchanged_J, std::abs(now.kinetic_J - start_.kinetic_J), std::abs(now.gravity_J - start_.gravity_J),
       std::abs(now.elastic_J - start_.elastic_J), balance_.dissipated.total(), std::abs(balance_.work_J)});
  last_ = now;
}

}  // namespace kinloop
