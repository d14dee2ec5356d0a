// Writes the reactions of joints as CSV, line by line.
#include "services/cli/reactions_csv.hpp"

#include <ostream>

#include "services/cli/motion_csv.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

void append_names(const std::string& joint, std::string& line) {
  for (const char* component : {".fx", ".fy", ".fz", ".mx", ".my", ".mz"}) line += "," + csv_cell(joint + component);
}

void append_wrench(const Reaction& reaction, std::string& line) {
  for (int i = 0; i < 6; ++i) {
    line += ',';
    if (!reaction.unique[static_cast<std::size_t>(i)]) continue;
    line += console::exact_number(i < 3 ? reaction.wrench.linear[i] : reaction.wrench.angular[i - 3]);
  }
}

}  // namespace

void ReactionsCsv::write_header() {
  std::string line = "t";
  for (int k = 1; k < model_.body_count(); ++k) append_names(model_.joint_name(k), line);
  for (const LoopJoint& loop : model_.loops()) append_names(loop.name, line);
  out_ << line << "\n";
}

void ReactionsCsv::write(double time_s, const Reactions& reactions) {
  std::string line = console::exact_number(time_s);
  for (std::size_t k = 1; k < reactions.joints.size(); ++k) append_wrench(reactions.joints[k], line);
  for (const Reaction& loop : reactions.loops) append_wrench(loop, line);
  out_ << line << "\n";
}

}  // namespace kinloop::cli
