// Owns identification: numbers of a mechanism from a record of what it was given and what its sensors showed, by least
// squares with the exact derivatives of its steps (Gauss and Newton, damped as Levenberg and Marquardt do).
//
// The whole record is one roll-out from its first state. Each sensor's residuals are weighted by their own spread,
// which is estimated along with the parameters. For analysis: it allocates.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/model_parameters.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

struct Observation {
  State start;                                // before the first step
  std::vector<StepInput> inputs;              // one a step, without changes
  std::vector<std::vector<double>> readings;  // of all sensors after each step; not a number: none
};

struct IdentificationSettings {
  int max_iterations = 50;
  int max_samples = 2000;                                        // steps whose readings count, evenly over the record
  std::function<void(int iteration, double residual)> progress;  // may be empty
};

struct Identification {
  struct Parameter {
    std::string name;
    double start = 0.0, value = 0.0;
    double deviation = 0.0;  // standard; infinite where nothing shows it
  };
  std::vector<Parameter> parameters;
  MatrixX correlation;  // of their errors
  struct Sensor {
    std::string name;
    bool is_used = false;              // there are readings of it
    double before = 0.0, after = 0.0;  // root of the mean squared residual
  };
  std::vector<Sensor> sensors;
  std::vector<double> times_s;          // of the samples
  MatrixX residuals_before, residuals;  // sample by sensor; not a number: none
  int iterations = 0;
  bool is_converged = false;
};

/// Sensors whose signal does not follow from places, speeds and what actuators remember (accelerations, reactions,
/// contacts, ropes) are not used, nor are those that fade out or saturate: their readings are not numbers. Errors: no
/// readings, parameters that cannot be differentiated by, steps that fail at the first values.
Result<Identification> identify(const Model& model, const PlantSpec& spec, const Observation& observed,
                                const NamedValues& parameters, const IdentificationSettings& settings = {});

}  // namespace kinloop
