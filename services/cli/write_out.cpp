// A place that is wrong is bad input; a disk that fails is not.
#include "services/cli/write_out.hpp"

#include <ostream>

#include "services/base/write_file.hpp"
#include "services/console/exit_code.hpp"

namespace kinloop::cli {

int write_out(const std::string& out, std::string_view text, const console::Console& console) {
  if (out == "-") {
    console.out << text;
    return console::kDone;
  }
  if (const auto failure = write_file(out, text)) {
    console::print_errors(console, {failure->error}, "");
    return failure->stage == WriteStage::kOpen ? console::kBadInput : console::kInternalError;
  }
  console.out << "wrote " << out << "\n";
  return console::kDone;
}

}  // namespace kinloop::cli
