// Owns the reading of names and values given to ctl, with what the plant says about them.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop::cli {

struct Assignment {
  std::string name;
  std::string value;
};

/// "NAME=VALUE".
Result<Assignment> read_assignment(const std::string& text);

/// "30 deg" for something in "rad": 0.5236. Without a unit it is SI. An empty unit: a bare number.
Result<double> read_value(const std::string& where, const std::string& text, const std::string& unit);

/// 0 where no text was given, else as read_time.
Result<double> read_optional_time(const std::string& option, const std::string& text);

/// Three numbers of that unit; none where there are no texts.
Result<std::vector<double>> read_vector(const std::string& where, const std::vector<std::string>& texts,
                                        const std::string& unit);

/// The unit of a sensor or an actuator; an unknown name is guessed at.
Result<std::string> unit_of_signal(const v1::Description& description, const std::string& signal);
/// The position of a sensor or an actuator.
Result<int> sensor_index(const v1::Description& description, const std::string& name);
Result<int> actuator_index(const v1::Description& description, const std::string& name);
/// Whether there is such a body.
Result<std::string> known_body(const v1::Description& description, const std::string& name);

}  // namespace kinloop::cli
