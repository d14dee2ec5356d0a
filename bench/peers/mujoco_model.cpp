// Topology as text, numbers written into the mjModel.
#include "bench/peers/mujoco_model.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "bench/peers/small_math.hpp"
#include "core/base/require.hpp"

namespace kinloop::bench {
namespace {

// Only the topology travels as text. Trees as URDF because it is flat: the XML parser (Debian's tinyxml2 9) refuses
// nesting beyond 100, which MJCF needs for a chain of 100. The numbers here are placeholders without special values.
std::string urdf_of(const Mechanism& mechanism) {
  std::string xml = "<robot name=\"m\"><link name=\"world\"/>\n";
  for (const RigidBody& body : mechanism.bodies) {
    const std::string parent = body.parent < 0 ? "world" : mechanism.bodies[static_cast<std::size_t>(body.parent)].name;
    xml += "<link name=\"" + body.name + "\"><inertial><mass value=\"1\"/><origin xyz=\".1 .1 .1\"/>" +
           "<inertia ixx=\"1\" iyy=\"1.1\" izz=\"1.2\" ixy=\".01\" ixz=\".02\" iyz=\".03\"/></inertial></link>\n";
    xml += "<joint name=\"" + body.name + "\" type=\"" + (body.joint == JointKind::kFree ? "floating" : "continuous") +
           "\"><parent link=\"" + parent + "\"/><child link=\"" + body.name +
           "\"/><origin xyz=\".3 0 0\"/><axis xyz=\"0 0 1\"/></joint>\n";
  }
  return xml + "</robot>\n";
}

// URDF knows neither loops nor two axes at one joint.
std::string mjcf_of(const Mechanism& mechanism) {
  const std::string placeholder = "<inertial pos=\".1 .1 .1\" mass=\"1\" diaginertia=\"1 1.1 1.2\"/>";
  const auto joints_of = [](const RigidBody& body) -> std::string {
    const std::string name = " name=\"" + body.name + "\"";
    switch (body.joint) {
      case JointKind::kRevolute:
        return "<joint" + name + " type=\"hinge\"/>";
      case JointKind::kPrismatic:
        return "<joint" + name + " type=\"slide\"/>";
      case JointKind::kUniversal:
        return "<joint" + name + " type=\"hinge\"/><joint name=\"" + body.name + "_2\" type=\"hinge\"/>";
      case JointKind::kFree:
        return "<freejoint" + name + "/>";
    }
    return {};
  };
  // Children first, so that the text of a body is complete when its parent takes it.
  std::vector<std::string> inside(mechanism.bodies.size());
  std::string world;
  for (std::size_t i = mechanism.bodies.size(); i-- > 0;) {
    const RigidBody& body = mechanism.bodies[i];
    std::string& outer = body.parent < 0 ? world : inside[static_cast<std::size_t>(body.parent)];
    outer = "<body name=\"" + body.name + "\">" + placeholder + joints_of(body) + inside[i] + "</body>\n" + outer;
  }
  std::string equality;
  for (const LoopClosure& loop : mechanism.loops) {
    require(loop.predecessor >= 0, "the first body of a loop moves");
    const std::string second =
        loop.successor < 0 ? "world" : mechanism.bodies[static_cast<std::size_t>(loop.successor)].name;
    equality += "<connect name=\"" + loop.name + "\" body1=\"" +
                mechanism.bodies[static_cast<std::size_t>(loop.predecessor)].name + "\" body2=\"" + second +
                "\" anchor=\"0 0 0\"/>\n";
  }
  return "<mujoco><size njmax=\"" + std::to_string(10 + 3 * mechanism.loops.size()) + "\"/><worldbody>\n" + world +
         "</worldbody><equality>\n" + equality + "</equality></mujoco>\n";
}

mjModel* load_topology(const Mechanism& mechanism) {
  const bool tree = mechanism.loops.empty();
  const std::string xml = tree ? urdf_of(mechanism) : mjcf_of(mechanism);
  const char* name = tree ? "model.urdf" : "model.xml";
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(xml.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], xml.data(), xml.size());
  char error[500] = "";
  mjModel* model = mj_loadXML(name, files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) std::fprintf(stderr, "MuJoCo: %s\n", error);
  require(model != nullptr, "MuJoCo accepts the generated model");
  return model;
}

Vec3 column(const Mat3& m, std::size_t j) { return {m[0][j], m[1][j], m[2][j]}; }

void place_axis(mjModel* model, const std::string& joint, const Vec3& anchor_B_m, const Vec3& axis_B) {
  const int j = mj_name2id(model, mjOBJ_JOINT, joint.c_str());
  mju_copy(model->jnt_pos + 3 * j, anchor_B_m.data(), 3);
  mju_copy(model->jnt_axis + 3 * j, axis_B.data(), 3);
}

void place_joint(mjModel* model, const RigidBody& body) {
  if (body.joint == JointKind::kFree) return;
  if (body.joint != JointKind::kUniversal) return place_axis(model, body.name, body.p_BJ_m, column(body.R_BJ, 2));
  place_axis(model, body.name, body.p_BJ_m, column(body.R_BJ, 0));
  place_axis(model, body.name + "_2", body.p_BJ_m, column(body.R_BJ, 1));
}

// As hard as it gets: the largest impedance, and a time constant of two steps of 1 ms, below which MuJoCo warns of
// instability.
void place_loops(mjModel* model, const Mechanism& mechanism) {
  constexpr double kTimeConstant_s = 0.002;
  for (int e = 0; e < model->neq; ++e) {
    const LoopClosure& loop = mechanism.loops[static_cast<std::size_t>(e)];
    mju_copy(model->eq_data + mjNEQDATA * e, loop.p_PA_m.data(), 3);
    mju_copy(model->eq_data + mjNEQDATA * e + 3, loop.p_SB_m.data(), 3);
    model->eq_solref[mjNREF * e] = kTimeConstant_s;
    model->eq_solref[mjNREF * e + 1] = 1.0;  // critically damped
    model->eq_solimp[mjNIMP * e] = model->eq_solimp[mjNIMP * e + 1] = mjMAXIMP;
  }
}

int longest_chain(const Mechanism& mechanism) {
  std::vector<int> depths;
  for (const RigidBody& body : mechanism.bodies)
    depths.push_back(body.parent < 0 ? 1 : 1 + depths[static_cast<std::size_t>(body.parent)]);
  return *std::max_element(depths.begin(), depths.end());
}

}  // namespace

// Numbers go into mjModel directly: MuJoCo's reader diagonalizes inertias to about 1e-9 only, which would show as a
// false disagreement of accelerations.
mjModel* load_model(const Mechanism& mechanism) {
  mjModel* model = load_topology(mechanism);
  require(model->nbody == static_cast<int>(mechanism.bodies.size()) + 1, "one MuJoCo body for each of ours");
  for (const RigidBody& body : mechanism.bodies) {
    const int b = mj_name2id(model, mjOBJ_BODY, body.name.c_str());
    // Pose of B in its parent at angle zero: X_PA X_BJ^-1.
    const Mat3 R_PB = multiply(body.R_PA, transpose(body.R_BJ));
    const Vec3 p_PB = subtract(body.p_PA_m, multiply(R_PB, body.p_BJ_m));
    const Quaternion quat_PB = quaternion_of(R_PB);
    const PrincipalInertia principal = principal_inertia(body.inertia_B_kgm2);
    const Quaternion quat_BI = quaternion_of(principal.R_BI);
    model->body_mass[b] = body.mass_kg;
    mju_copy(model->body_pos + 3 * b, p_PB.data(), 3);
    mju_copy(model->body_quat + 4 * b, quat_PB.data(), 4);
    mju_copy(model->body_ipos + 3 * b, body.com_B_m.data(), 3);
    mju_copy(model->body_iquat + 4 * b, quat_BI.data(), 4);
    mju_copy(model->body_inertia + 3 * b, principal.moments_kgm2.data(), 3);
    place_joint(model, body);
  }
  mju_copy(model->opt.gravity, mechanism.gravity_W_mps2.data(), 3);
  model->opt.integrator = mjINT_EULER;
  // Nothing but the smooth dynamics and loops.
  model->opt.disableflags = mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION |
                            mjDSBL_SENSOR | mjDSBL_WARMSTART;
  // By itself it takes sparse Jacobians from 60 speeds on, which on one long chain takes twice the time.
  model->opt.jacobian = longest_chain(mechanism) > 30 ? mjJAC_DENSE : mjJAC_AUTO;
  if (mechanism.loops.empty()) model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY;
  mjData* data = mj_makeData(model);
  mj_setConst(model, data);  // subtree masses and the like follow from the numbers above
  mj_deleteData(data);
  place_loops(model, mechanism);
  return model;
}

}  // namespace kinloop::bench
