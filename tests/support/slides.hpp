// Owns mechanisms on slides: masses in a row, and a body that a carriage carries.
#pragma once

#include <string>
#include <tuple>

#include "core/model/model_spec.hpp"

namespace kinloop::mechanisms {

inline JointSpec slide(const std::string& name, const std::string& on, const std::string& body) {
  JointSpec joint;
  joint.name = name;
  joint.type = JointType::kPrismatic;
  joint.predecessor = on;
  joint.successor = body;
  joint.coordinates.resize(1);
  return joint;
}

/// Bodies a, on the ground, and b, on a; both joints along z, 1 mm out, with room for what acts along them.
inline ModelSpec masses_in_a_row(double mass_a, double mass_b) {
  ModelSpec spec;
  for (const auto& [name, on, mass] : {std::tuple{"a", kGround, mass_a}, {"b", "a", mass_b}}) {
    BodySpec body;
    body.name = name;
    body.mass = mass;
    body.inertia = mass * Matrix3::Identity();
    spec.bodies.push_back(body);
    spec.joints.push_back(slide(name, on, name));
    spec.joints.back().initial_q = {1e-3};
  }
  return spec;
}

/// The mechanism's first joint on a carriage that slides, as heavy as its first body.
inline ModelSpec on_a_carriage(ModelSpec spec) {
  BodySpec carriage = spec.bodies[0];
  carriage.name = "carriage";
  spec.bodies.push_back(carriage);
  spec.joints.push_back(slide("rail", kGround, "carriage"));
  spec.joints[0].predecessor = "carriage";
  return spec;
}

}  // namespace kinloop::mechanisms
