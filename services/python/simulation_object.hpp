// Owns SimulationObject: a plant of Python's own, stepped in its process, bit by bit as the service steps it.
//
// Its memory stays where it is for as long as it lives: arrays of Python look into it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/exact_linearization.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/analysis/trajectory.hpp"
#include "core/analysis/trim.hpp"
#include "core/plant/plant.hpp"
#include "services/python/plant_object.hpp"

namespace kinloop::python {

class SimulationObject : public Constructed {
 public:
  /// `seed` of all noise instead of the rig's. Throws Failure.
  SimulationObject(std::shared_ptr<const PlantObject> described, std::optional<std::uint64_t> seed);

  const PlantObject& described() const noexcept { return *described_; }
  Plant& plant() noexcept { return *plant_; }
  State& state() noexcept { return state_; }
  std::span<double> commands() noexcept { return {input_.command.data(), plant_->actuator_count()}; }
  std::span<double> readings() noexcept { return values_; }
  std::span<std::uint8_t> flags() noexcept { return flags_; }
  std::uint64_t hash() const noexcept;

  /// Whoever works with it, one at a time: Python's lock is given up meanwhile. Throws Failure where it is in use or
  /// closed.
  class Use {
   public:
    explicit Use(SimulationObject& simulation);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { simulation_.is_in_use_ = false; }

   private:
    SimulationObject& simulation_;
  };
  void require_usable() const;
  void close() noexcept { is_closed_ = true; }
  bool is_closed() const noexcept { return is_closed_; }

  /// Throws Failure where a command is not finite: nothing is done then.
  void check_commands() const;
  /// So many steps under the commands in force, each behind the other, sensors read after each; how many were done.
  long long step(long long steps, StepStatus& status) noexcept;

  void reset();
  void set_motion(const VectorX& q, const VectorX& v);
  void restore(const VectorX& block);
  /// In the next step.
  void change(const StepChange& change);
  std::size_t find_actuator(const std::string& name) const;
  std::uint32_t find_signal_number(const std::string& name) const;  // sensors first, then actuators
  int find_body(const std::string& name) const;

  Linearization linearize(const LinearizeSettings& settings);
  Trim trim(const TrimSettings& settings);
  /// From the present state, which is not changed; rows of one command for each actuator.
  Trajectory linearize_trajectory(std::vector<double> commands, std::size_t rows, int steps_per_command,
                                  const std::vector<std::string>& independent);
  VectorX applied_forces() const;

 private:
  void show_true_signals() noexcept;

  std::shared_ptr<const PlantObject> described_;
  std::unique_ptr<Plant> plant_;
  ExactDerivatives derivatives_;
  State first_, state_;
  StepInput input_;
  std::vector<Reading> sensed_;
  std::vector<double> values_;
  std::vector<std::uint8_t> flags_;
  bool is_in_use_ = false, is_closed_ = false;
};

/// Coordinates of states near the one at which it was made.
class ChartObject : public Constructed {
 public:
  ChartObject(SimulationObject& simulation, const std::vector<std::string>& independent);

  const std::vector<std::string>& names() const noexcept { return chart_.names(); }
  VectorX sizes();
  VectorX read();
  /// Puts the simulation there.
  void place(const VectorX& x);

 private:
  SimulationObject& simulation_;
  StateChart chart_;
};

}  // namespace kinloop::python
