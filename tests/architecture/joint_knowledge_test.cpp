// Tests that a new joint type is one file and one entry: who names a type outside the table of joints has a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "core/joints/joint.hpp"
#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

using Names = std::set<std::string>;

struct Reason {
  const char* why;
  Names types;
};

// Faster code of their own, beside that for all types.
constexpr const char* kKernel = "a kernel for joints that most mechanisms are made of";
// A value before a file says more.
constexpr const char* kDefault = "a default";
// Which of our types a word of somebody else's format stands for, and what that format has no word for.
constexpr const char* kForeign = "another format's words";
// Joints that are none: those that do not move at all, and those that do not join.
constexpr const char* kNoJoint = "what does not move is merged, what moves freely is no joint in a picture";
// What JointParameters hold, which files give under a key of its own.
constexpr const char* kParameter = "a parameter that one type alone has";

const std::map<std::string, Reason>& allowed() {
  static const std::map<std::string, Reason> files = {
      {"core/batch/lane_mechanism.hpp", {kKernel, {"kPrismatic", "kRevolute", "kUniversal"}}},
      {"core/derivatives/inverse_inertia.cpp", {kKernel, {"kRevolute"}}},
      {"core/dynamics/hybrid/hybrid_sweeps.cpp", {kKernel, {"kRevolute"}}},
      {"core/dynamics/tree/rfda.cpp", {kKernel, {"kRevolute"}}},
      {"core/kinematics/forward_kinematics.cpp", {kKernel, {"kPrismatic", "kRevolute", "kUniversal"}}},
      {"core/model/model.hpp", {kDefault, {"kFixed"}}},
      {"core/model/model_spec.hpp", {kDefault, {"kFixed"}}},
      {"core/model/spec_checks.cpp", {kParameter, {"kCam"}}},
      {"services/files/closed_loops_file.cpp", {kForeign, {"kFixed", "kSpherical", "kUniversal"}}},
      {"services/files/model_joints.cpp", {kParameter, {"kCam", "kScrew"}}},
      {"services/files/vector_model.cpp", {kDefault, {"kFixed"}}},
      {"services/import/assemble.cpp", {kNoJoint, {"kFixed"}}},
      {"services/import/closed_loops.hpp", {kDefault, {"kFixed", "kSpherical"}}},
      {"services/import/joint_pose.cpp", {kParameter, {"kCam"}}},
      {"services/import/lock_inert.cpp", {kNoJoint, {"kCam", "kFixed"}}},
      {"services/import/merge_fixed.cpp", {kNoJoint, {"kCam", "kFixed"}}},
      {"services/import/sdf_graph.cpp",
       {kForeign, {"kFixed", "kPrismatic", "kRevolute", "kScrew", "kSpherical", "kUniversal"}}},
      {"services/import/spanning_tree.cpp", {kNoJoint, {"kFixed", "kFree"}}},
      {"services/import/urdf_graph.cpp", {kForeign, {"kFixed", "kFree", "kPlanar", "kPrismatic", "kRevolute"}}},
      {"services/import/urdf_loops.cpp",
       {kForeign, {"kCylindrical", "kFixed", "kPlanar", "kPrismatic", "kRevolute", "kSpherical", "kUniversal"}}},
      {"services/plot/skeleton.cpp", {kNoJoint, {"kCam", "kFree"}}},
      {"services/plot/skeleton.hpp", {kDefault, {"kFixed"}}},
  };
  return files;
}

/// Per file below the folder: what the expression's group finds in it.
std::map<std::string, Names> found_in(const std::string& folder, const std::regex& what) {
  std::map<std::string, Names> found;
  for (const char* ending : {".cpp", ".hpp"}) {
    for (const std::filesystem::path& file : tree_files(folder, ending)) {
      const std::string text = text_of_file(file);
      Names names;
      for (std::sregex_iterator at(text.begin(), text.end(), what), end; at != end; ++at) names.insert((*at)[2]);
      if (!names.empty()) found[file.lexically_relative(KINLOOP_SOURCE_DIR).generic_string()] = names;
    }
  }
  return found;
}

TEST(JointKnowledge, StandsInTheTableOfJoints) {
  const std::regex type(R"((^|[^:\w])JointType::(k\w+))");  // not sdf::JointType
  std::map<std::string, Names> found;
  for (const char* folder : {"core", "rt", "services"}) found.merge(found_in(folder, type));
  std::erase_if(found, [](const auto& file) { return file.first.starts_with("core/joints/"); });

  for (const auto& [file, types] : found) {
    ASSERT_TRUE(allowed().contains(file)) << file << " tells joint types apart: take what it asks from JointKind";
    EXPECT_EQ(types, allowed().at(file).types) << file << ": " << allowed().at(file).why;
  }
  for (const auto& [file, reason] : allowed()) EXPECT_TRUE(found.contains(file)) << file << " needs no exception";
}

/// "pin_slot" is kPinSlot.
std::string constant_of(std::string_view name) {
  std::string constant = "k";
  bool is_first = true;
  for (const char c : name) {
    if (c != '_') constant += is_first ? static_cast<char>(c - 'a' + 'A') : c;
    is_first = c == '_';
  }
  return constant;
}

TEST(JointKnowledge, OfATypeIsOneFileAndOneEntry) {
  for (const JointKind& kind : joint_kinds()) {
    const std::string name(kind.name);
    const std::regex own("(\\b)(" + constant_of(name) + ")\\b");
    Names files;
    for (const auto& [file, names] : found_in("core/joints", own)) files.insert(file);

    // Its file, its entry, and the two lists that declare both.
    const Names expected = {"core/joints/" + name + ".cpp", "core/joints/table.cpp", "core/joints/joint_type.hpp",
                            "core/joints/types.hpp"};
    EXPECT_EQ(files, expected) << name;
  }
}

}  // namespace
}  // namespace kinloop::architecture
