// Model: names, kinematics and dynamics of a mechanism.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>

#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/constraints.hpp"
#include "services/base/diagnostics.hpp"
#include "services/files/motion_columns.hpp"
#include "services/python/arrays.hpp"
#include "services/python/bindings.hpp"
#include "services/python/failure.hpp"
#include "services/python/plant_object.hpp"

namespace kinloop::python {
namespace {

using Motion = ModelObject::Motion;

VectorX q_of(const ModelObject& self, const py::object& q) { return vector_from(q, self.model().nq(), "q"); }
VectorX speeds_of(const ModelObject& self, const py::object& v, const char* name) {
  return vector_or(v, VectorX::Zero(self.model().nv()), name);
}
Motion motion_of(const ModelObject& self, const py::object& q, const py::object& v, const py::object& time_s) {
  return {q_of(self, q), speeds_of(self, v, "v"), number_from(time_s, "time_s")};
}

template <class Name>
py::tuple names_of(int first, int count, Name name) {
  std::vector<std::string> names;
  for (int i = first; i < count; ++i) names.push_back(name(i));
  return tuple_of(names);
}

py::tuple coordinate_names(const Model& model) {
  std::vector<std::string> names;
  for (const MotionColumn& column : position_columns(model)) names.push_back(column.name.substr(2));
  return tuple_of(names);
}

py::tuple loop_constraint_names_of(const Model& model) { return tuple_of(loop_constraint_names(model)); }

py::tuple warnings_of(const std::vector<Error>& warnings) {
  std::vector<std::string> lines;
  for (const Error& warning : warnings) lines.push_back(to_line(warning));
  return tuple_of(lines);
}

/// Name to (wrench, unique): [force; moment] and which of the six statics determine.
py::dict wrenches_of(const Model& model, const Reactions& reactions) {
  py::dict all;
  const auto add = [&](const std::string& name, const Reaction& reaction) {
    VectorX wrench(6);
    py::array_t<bool> unique(6);
    for (int i = 0; i < 6; ++i) {
      wrench[i] = reaction.component(i);
      unique.mutable_at(i) = reaction.unique[static_cast<std::size_t>(i)];
    }
    all[py::str(name)] = py::make_tuple(array_of(wrench), unique);
  };
  for (int k = 1; k < model.body_count(); ++k) add(model.joint_name(k), reactions.joints[static_cast<std::size_t>(k)]);
  for (std::size_t i = 0; i < reactions.loops.size(); ++i) add(model.loops()[i].name, reactions.loops[i]);
  return all;
}

std::unique_ptr<ModelObject> make_model(const std::string& file, const std::optional<std::string>& text,
                                        const Settings& parameters, const std::string& base) {
  return make<ModelObject>(load_model_object(file, text ? &*text : nullptr, parameters, base));
}

}  // namespace

void bind_model(py::module_& module) {
  using Self = ModelObject;
  using Object = const py::object&;
  const py::none none;
  py::class_<Self> model(module, "Model");
  model.def(py::init([](const std::string& file, Object text, const py::dict& parameters, const std::string& base) {
              return make_model(file, optional_text_from(text), settings_from(parameters), base);
            }),
            py::arg("file"), py::arg("text"), py::arg("parameters"), py::arg("base"));
  model.def(py::init([](const PlantObject& plant) { return make<Self>(plant.model); }), py::arg("plant"));
  const auto property = [&](const char* name, const char* doc, auto get) {
    model.def_property_readonly(name, get, doc);
  };
  property("name", "The name that its file gives it.", [](const Self& m) { return m.model().name(); });
  property("nq", "How many coordinates.", [](const Self& m) { return m.model().nq(); });
  property("nv", "How many speeds.", [](const Self& m) { return m.model().nv(); });
  property("length_m", "The length that makes angles and distances comparable, m.",
           [](const Self& m) { return m.model().length_m(); });
  property("q0", "Coordinates at the start, as its file has them.",
           [](const Self& m) { return array_of(m.model().initial_q()); });
  property("v0", "Speeds at the start.", [](const Self& m) { return array_of(m.model().initial_v()); });
  property("coordinates", "Names of all coordinates, in the order of q.",
           [](const Self& m) { return coordinate_names(m.model()); });
  property("speeds", "Names of all speeds, in the order of v.",
           [](const Self& m) { return names_of(0, m.model().nv(), [&](int i) { return m.model().speed_name(i); }); });
  property("bodies", "Names of all bodies, the ground first.", [](const Self& m) {
    return names_of(0, m.model().body_count(), [&](int k) { return m.model().body_name(k); });
  });
  property("joints", "Names of the joints of the tree; joint k carries body k + 1.", [](const Self& m) {
    return names_of(1, m.model().body_count(), [&](int k) { return m.model().joint_name(k); });
  });
  property("loops", "Names of the joints that close loops, then of couplings.",
           [](const Self& m) { return loop_constraint_names_of(m.model()); });
  property("frames", "Names of frames on bodies.", [](const Self& m) {
    std::vector<std::string> names;
    for (const FrameOnBodySpec& frame : m.model().spec().frames) names.push_back(frame.name);
    return tuple_of(names);
  });
  property("constraints", "What each row of constraint_jacobian() blocks.", [](const Self& m) {
    return names_of(0, constraint_rows(m.model()), [&](int r) { return constraint_name(m.model(), r); });
  });
  property("warnings", "What is unusual about it.", [](const Self& m) { return warnings_of(m.loaded()->warnings); });

  model.def(
      "pose", [](Self& m, Object q, const std::string& place) { return array_of(m.pose(q_of(m, q), m.place(place))); },
      py::arg("q"), py::arg("place"),
      "Pose of a body or frame in the world, 4 x 4; a frame comes first where both have the name.");
  model.def(
      "poses",
      [](Self& m, Object q) {
        const std::vector<Pose> poses = m.poses(q_of(m, q));
        Numbers all(std::vector<py::ssize_t>{static_cast<py::ssize_t>(poses.size()), 4, 4});
        for (std::size_t k = 0; k < poses.size(); ++k) {
          std::copy_n(array_of(poses[k]).data(), 16, all.mutable_data(static_cast<py::ssize_t>(k), 0, 0));
        }
        return all;
      },
      py::arg("q"), "Poses of all bodies in the world, [body, 4, 4].");
  model.def(
      "velocities",
      [](Self& m, Object q, Object v) { return array_of(m.velocities(motion_of(m, q, v, py::float_(0.0)))); },
      py::arg("q"), py::arg("v"),
      "Velocity of every body, [body, 6]: angular, then that of the origin of its frame; world axes.");
  model.def(
      "jacobian",
      [](Self& m, Object q, const std::string& place, Object point) {
        ModelObject::Place where = m.place(place);
        where.in_body.p += where.in_body.R * Vector3(vector_or(point, VectorX::Zero(3), "point"));
        return array_of(m.jacobian(q_of(m, q), where));
      },
      py::arg("q"), py::arg("place"), py::arg("point") = none,
      "6 x nv: how speeds move a point of a body or frame (its origin, or `point` in its axes): angular, then linear "
      "rows, world axes, loops not closed by it.");
  model.def(
      "mass_matrix", [](Self& m, Object q) { return array_of(m.mass_matrix(q_of(m, q))); }, py::arg("q"),
      "nv x nv, rotors included, loops open.");
  model.def(
      "constraint_jacobian", [](Self& m, Object q) { return array_of(m.constraint_jacobian(q_of(m, q))); },
      py::arg("q"), "Rows of all loop joints and couplings: speeds with C v = 0 keep the loops closed.");
  model.def(
      "closure_error", [](Self& m, Object q) { return m.closure_error(q_of(m, q)); }, py::arg("q"),
      "How far open the loops are: rad, or lengths of the mechanism.");
  model.def(
      "close",
      [](Self& m, Object q, Object v) {
        const Motion closed = m.closed(motion_of(m, q, v, py::float_(0.0)));
        return py::make_tuple(array_of(closed.q), array_of(closed.v));
      },
      py::arg("q"), py::arg("v") = none, "(q, v) nearby with closed loops.");
  model.def(
      "forward_dynamics",
      [](Self& m, Object q, Object v, Object tau, Object time_s, const std::string& dynamics) {
        const Motion motion = motion_of(m, q, v, time_s);
        return array_of(m.forward_dynamics(motion, speeds_of(m, tau, "tau"), dynamics));
      },
      py::arg("q"), py::arg("v"), py::arg("tau") = none, py::arg("time_s") = 0.0, py::arg("dynamics") = "auto",
      "Accelerations of all speeds under forces tau along them. Loops must be closed to 1e-4.");
  model.def(
      "inverse_dynamics",
      [](Self& m, Object q, Object v, Object vdot, Object time_s) {
        const Motion motion = motion_of(m, q, v, time_s);
        return array_of(m.inverse_dynamics(motion, speeds_of(m, vdot, "vdot")));
      },
      py::arg("q"), py::arg("v"), py::arg("vdot"), py::arg("time_s") = 0.0,
      "Forces along the speeds that lead to accelerations vdot, loops open: joints that close loops carry nothing. "
      "Speeds that follow a prescribed motion accelerate as that wants.");
  model.def(
      "reactions",
      [](Self& m, Object q, Object v, Object tau, Object time_s, const std::string& dynamics) {
        const Motion motion = motion_of(m, q, v, time_s);
        return wrenches_of(m.model(), m.reactions(motion, speeds_of(m, tau, "tau"), dynamics));
      },
      py::arg("q"), py::arg("v"), py::arg("tau") = none, py::arg("time_s") = 0.0, py::arg("dynamics") = "auto",
      "Name of a joint to ([force, moment], whether statics determine each).");
  model.def(
      "energy",
      [](Self& m, Object q, Object v) {
        const Energy energy = m.energy(motion_of(m, q, v, py::float_(0.0)));
        return py::make_tuple(energy.kinetic_J, energy.potential_J);
      },
      py::arg("q"), py::arg("v") = none, "(kinetic, potential) energy, J.");
  model.def(
      "momentum",
      [](Self& m, Object q, Object v) {
        const Momentum momentum = m.momentum(motion_of(m, q, v, py::float_(0.0)));
        return py::make_tuple(array_of(VectorX(momentum.linear)), array_of(VectorX(momentum.angular)));
      },
      py::arg("q"), py::arg("v"), "(linear, angular) momentum of the bodies, about the origin of the world.");
  model.def(
      "mass_centre",
      [](Self& m, Object q) {
        const MassCentre centre = m.mass_centre(q_of(m, q));
        return py::make_tuple(centre.mass_kg, array_of(VectorX(centre.position)));
      },
      py::arg("q"), "(mass, position) of all bodies, kg and m.");
  model.def(
      "integrate",
      [](Self& m, Object q, Object increment) {
        return array_of(m.integrate(q_of(m, q), vector_from(increment, m.model().nv(), "increment")));
      },
      py::arg("q"), py::arg("increment"),
      "Coordinates an increment further, one entry per speed: scalars add, quaternions turn by a rotation vector in "
      "the axes of the body.");
  model.def(
      "difference", [](Self& m, Object q, Object to) { return array_of(m.difference(q_of(m, q), q_of(m, to))); },
      py::arg("q"), py::arg("to"), "The increment that integrate() wants to lead from q to `to`.");
}

}  // namespace kinloop::python
