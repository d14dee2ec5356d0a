// The program kinloop.
#include <string>
#include <vector>

#include "services/cli/command_line.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return kinloop::cli::run_command_line(arguments, kinloop::console::terminal_console());
}
