// Owns the running of a command inside the test: what it prints and how it ends.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "services/cli/command_line.hpp"

namespace kinloop::cli {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

inline Ran run_kinloop(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command_line(arguments, console::Console{out, err});
  return {code, out.str(), err.str()};
}

}  // namespace kinloop::cli
