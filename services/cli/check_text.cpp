// Lays the report out in lines and tables, for people.
#include <ostream>

#include "services/base/diagnostics.hpp"
#include "services/cli/check_print.hpp"
#include "services/cli/plant_text.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string spaced_list(const double* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? " " : "") + console::plain_number(values[i]);
  return text;
}

/// All digits, to be copied into a file.
std::string exact_list(const double* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? " " : "") + console::exact_number(values[i]);
  return text;
}

std::string closure_text(const std::optional<PlanarLinkage>& linkage) {
  return closure_of(linkage) + (linkage ? " (" + std::string(name_of(*linkage)) + ")" : "");
}

class Printer {
 public:
  Printer(const Model& model, const console::Console& console) : model_(model), console_(console) {}

  void line(const char* label, const std::string& text) const {
    console_.out << "  " << label << std::string(15 - std::string(label).size(), ' ') << text << "\n";
  }

  void head(const std::string& name, const LoadedModel& loaded) const {
    console_.out << console_.on_out(name, console::Style::kBold) << " (" << describe(loaded.kind) << ")\n";
  }

  void summary(const CheckReport& r, const FastestMotion& fastest) const {
    const Vector3& c = r.mass.position;
    line("bodies", counted(static_cast<std::size_t>(model_.body_count() - 1), "body", "bodies") + ", " +
                       console::plain_number(r.mass.mass_kg) + " kg, centre of mass (" + console::plain_number(c.x()) +
                       ", " + console::plain_number(c.y()) + ", " + console::plain_number(c.z()) + ") m");
    line("tree", counted(static_cast<std::size_t>(model_.nv()), "speed", "speeds") + ", " +
                     counted(static_cast<std::size_t>(model_.nq()), "coordinate", "coordinates") + ", " +
                     std::to_string(r.driven) + " driven");
    if (model_.has_loops()) {
      line("constraints", counted(model_.loops().size(), "loop joint", "loop joints") + " and " +
                              counted(model_.couplings().size(), "coupling", "couplings") + ": " +
                              counted(static_cast<std::size_t>(r.constraint_rows), "row", "rows") + ", rank " +
                              std::to_string(r.rank.rank) + ", " + std::to_string(r.redundant()) + " redundant");
    }
    if (r.cuts) {
      const std::string better = better_cuts(model_, *r.cuts);
      line("cuts", "quality " + console::short_number(r.cuts->given) +
                       (better.empty() ? "" : "; " + console::short_number(r.cuts->chosen) + " with " + better));
    }
    line("mobility", std::to_string(r.mobility));
    line("forces", counted(model_.springs().size(), "spring", "springs") + ", " +
                       counted(model_.bushings().size(), "bushing", "bushings") + ", " +
                       counted(model_.loaded_speeds().size(), "joint", "joints") +
                       " with springs, forces, friction or stops");
    if (!model_.ropes().empty() || !model_.contact_points().empty()) {
      line("one-sided", counted(model_.ropes().size(), "rope", "ropes") + ", " +
                            counted(model_.planes().size(), "plane", "planes") + ", " +
                            counted(model_.contact_points().size(), "pair", "pairs") + " of a point and a plane");
    }
    if (fastest.frequency_rad_s > 0.0) {
      line("fastest", console::plain_number(fastest.frequency_rad_s) + " rad/s, most of it in joint " +
                          model_.speed_name(fastest.frequency_speed));
    }
    line("energy", console::plain_number(r.energy.kinetic_J) + " J kinetic, " +
                       console::plain_number(r.energy.potential_J) + " J potential");
    line("formulation", (r.choice.name.empty() ? "none yet" : std::string(r.choice.name)) + ": " + r.choice.reason);
    line("form", r.planar ? "planar, three coordinates a body: joints and frames keep the mechanism in one plane"
                          : "spatial, six coordinates a body");
    if (r.evaluation) {
      line("evaluation", "about " + microseconds(r.evaluation->usual_ns) + " us, " +
                             microseconds(r.evaluation->with_fallback_ns) +
                             " us where an answer fails its check and another formulation is asked");
    }
  }

  void joints() const {
    console::Table table({{"joint"}, {"type"}, {"from"}, {"to"}, {"q"}, {"u"}});
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const JointKind& kind = joint_kind(body.joint);
      table.add({model_.joint_name(k), std::string(kind.name), model_.body_name(body.parent), model_.body_name(k),
                 spaced_list(model_.initial_q().data() + body.q, kind.nq),
                 spaced_list(model_.initial_v().data() + body.v, kind.nv)},
                body.driven ? "driven" : "");
    }
    console_.out << "\n";
    table.print(console_.out);
  }

  void redundant(const CheckReport& r) const {
    if (r.rank.redundant.empty()) return;
    console_.out << "\nredundant constraints, which follow from the others at this state:\n";
    for (const int row : r.rank.redundant) console_.out << "  " << constraint_name(model_, row) << "\n";
  }

  void stops(const CheckReport& r) const {
    if (r.stops.empty()) return;
    console_.out << "\nlimits behind a dead centre of the loops, where end stops never act:\n";
    for (const BareStop& stop : r.stops) {
      for (const BareStop::Unreached& end : stop.beyond_reach) {
        console_.out << "  joint " << model_.speed_name(stop.speed) << ": " << console::plain_number(end.limit)
                     << ", from the start it gets to " << console::plain_number(end.nearest) << "\n";
      }
    }
  }

  void assembly(const Assembly& a) const {
    console_.out << "\n";
    if (!a.closed) {
      console_.out << console_.on_out("cannot be assembled", console::Style::kBad)
                   << " from here; what comes nearest leaves\n";
      for (std::size_t i = 0; i < a.gaps.size(); ++i) {
        console_.out << "  loop " << model_.loops()[i].name << " open by "
                     << console::short_number(a.gaps[i].distance_m) << " m and "
                     << console::short_number(a.gaps[i].angle_rad) << " rad\n";
      }
      return;
    }
    console_.out << "assembled in " << counted(static_cast<std::size_t>(a.iterations), "iteration", "iterations")
                 << ", loops closed to " << console::short_number(a.error) << "\n";
    console::Table table({{"joint"}, {"q given"}, {"q closed"}, {"u given"}, {"u closed"}});
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const int nq = joint_kind(body.joint).nq;
      table.add({model_.joint_name(k), spaced_list(model_.initial_q().data() + body.q, nq),
                 exact_list(a.q.data() + body.q, nq), spaced_list(model_.initial_v().data() + body.v, body.nv),
                 exact_list(a.v.data() + body.v, body.nv)});
    }
    table.print(console_.out);
  }

  void loops(const CheckReport& r) const {
    if (model_.loops().empty()) return;
    console::Table table({{"loop joint"}, {"type"}, {"from"}, {"to"}, {"rows", console::Align::kRight}, {"open by"}});
    for (std::size_t i = 0; i < model_.loops().size(); ++i) {
      const LoopJoint& loop = model_.loops()[i];
      const JointKind& kind = joint_kind(loop.type);
      table.add(
          {loop.name, std::string(kind.name), model_.body_name(loop.predecessor), model_.body_name(loop.successor),
           std::to_string(loop.directions->rows),
           console::short_number(r.gaps[i].distance_m) + " m, " + console::short_number(r.gaps[i].angle_rad) + " rad"},
          (loop.drives.empty() ? "closure: " : "driven, closure: ") + closure_text(r.linkages[i]));
    }
    console_.out << "\n";
    table.print(console_.out);
  }

 private:
  const Model& model_;
  const console::Console& console_;
};

}  // namespace

void print_check_text(const LoadedModel& loaded, const CheckFindings& found, const console::Console& console) {
  const Printer printer(loaded.model, console);
  printer.head(found.name, loaded);
  printer.summary(found.report, found.fastest);
  const IntegratorChoice& integrator = found.integrator;
  printer.line("integrator", integrator.name + (integrator.reason.empty() ? "" : ": " + integrator.reason));
  printer.joints();
  printer.loops(found.report);
  printer.redundant(found.report);
  printer.stops(found.report);
  if (found.assembly) printer.assembly(*found.assembly);
  if (!found.warnings.empty()) console.out << "\n";
  for (const Error& warning : found.warnings) {
    console.out << console.on_out("warning: ", console::Style::kWarning) << to_line(warning) << "\n";
  }
}

}  // namespace kinloop::cli
