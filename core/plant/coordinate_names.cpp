// Implements the look-up; the errors tell joints without a coordinate from names that do not exist.
#include "core/plant/coordinate_names.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/joints/joint.hpp"

namespace kinloop {
namespace {

enum class Numbers { kCoordinates, kSpeeds };

int count_of(const Model& model, int k, Numbers what) {
  const JointKind& kind = joint_kind(model.body(k).joint);
  return what == Numbers::kCoordinates ? kind.nq : kind.nv;
}

int first_of(const Model& model, int k, Numbers what) {
  return what == Numbers::kCoordinates ? model.body(k).q : model.body(k).v;
}

std::string several(int count, Numbers what) {
  return std::to_string(count) + (what == Numbers::kCoordinates ? " coordinates" : " speeds");
}

/// The number behind the last dot; -1 if there is none.
int number_behind(std::string_view name, std::size_t dot) {
  const std::string_view digits = name.substr(dot + 1);
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && digits[0] != '-';
  return is_number ? number : -1;
}

/// What is wrong with naming joint k in this way.
std::string misnamed(const Model& model, int k, Numbers what, std::string_view prefix) {
  const int count = count_of(model, k, what);
  const std::string& joint = model.joint_name(k);
  if (count == 0) return "joint " + in_quotes(joint) + " is fixed: it has no coordinate";
  const std::string full = std::string(prefix) + joint;
  if (count == 1) return "joint " + in_quotes(joint) + " has one coordinate: write " + in_quotes(full);
  const std::string last = in_quotes(full + "." + std::to_string(count - 1));
  return "joint " + in_quotes(joint) + " has " + several(count, what) + ": write " + in_quotes(full + ".0") +
         (count == 2 ? " or " : " up to ") + last;
}

std::string unknown(const Model& model, std::string_view name) {
  const auto& loops = model.loops();
  if (std::any_of(loops.begin(), loops.end(), [&](const LoopJoint& loop) { return loop.name == name; })) {
    return "joint " + in_quotes(name) + " closes a loop: it has no coordinate of its own";
  }
  std::vector<std::string_view> joints;
  for (int k = 1; k < model.body_count(); ++k) joints.push_back(model.joint_name(k));
  return "no joint is named " + in_quotes(name) + did_you_mean(name, joints);
}

Result<int> find(const Model& model, std::string_view name, std::string_view prefix, Numbers what) {
  const auto error = [&](std::string text) {
    return Error{std::string(name), std::move(text), ErrorKind::kUnknownName};
  };
  if (const int k = model.find_joint(name); k >= 0) {
    if (count_of(model, k, what) == 1) return first_of(model, k, what);
    return error(misnamed(model, k, what, prefix));
  }
  const std::size_t dot = name.rfind('.');
  const int k = dot == std::string_view::npos ? -1 : model.find_joint(name.substr(0, dot));
  if (k < 0) return error(unknown(model, name));
  const int count = count_of(model, k, what);
  const int number = number_behind(name, dot);
  if (count > 1 && number >= 0 && number < count) return first_of(model, k, what) + number;
  return error(misnamed(model, k, what, prefix));
}

}  // namespace

Result<int> find_speed(const Model& model, std::string_view name, std::string_view prefix) {
  return find(model, name, prefix, Numbers::kSpeeds);
}

Result<int> find_coordinate(const Model& model, std::string_view name, std::string_view prefix) {
  return find(model, name, prefix, Numbers::kCoordinates);
}

}  // namespace kinloop
