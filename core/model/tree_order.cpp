// Implements the order: rounds of placing joints whose predecessor is placed.
#include "core/model/tree_order.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "core/base/at.hpp"
#include "core/base/field_path.hpp"

namespace kinloop {
namespace {

constexpr int kNeverPlaced = -1;

/// The first joint in the file that leads to each body.
using InboardJoints = std::map<std::string_view, std::size_t>;

InboardJoints inboard_joints(const ModelSpec& spec) {
  InboardJoints inboard;
  for (std::size_t i = 0; i < spec.joints.size(); ++i) inboard.emplace(spec.joints[i].successor, i);
  return inboard;
}

/// Whoever reads the list of joints again and again, each time placing those whose predecessor is placed, places
/// joint i in round rounds[i]: that of its parent, or the next if the parent stands behind it in the file.
std::vector<int> rounds_from_ground(const ModelSpec& spec, const InboardJoints& inboard) {
  constexpr int kUnknown = -2;
  std::vector<int> rounds(spec.joints.size(), kUnknown);
  std::vector<std::size_t> walk;  // from a joint towards the ground, as far as nothing is known
  for (std::size_t start = 0; start < rounds.size(); ++start) {
    walk.clear();
    int round = 0;
    for (std::size_t i = start;;) {
      if (rounds[i] != kUnknown) {
        round = rounds[i];
        if (round >= 0 && !walk.empty() && walk.back() < i) ++round;
        break;
      }
      rounds[i] = kNeverPlaced;  // stays so if the walk comes back to it
      walk.push_back(i);
      if (spec.joints[i].predecessor == kGround) break;
      i = inboard.at(spec.joints[i].predecessor);
    }
    for (std::size_t w = walk.size(); w-- > 0;) {
      rounds[walk[w]] = round;
      if (round >= 0 && w > 0 && walk[w - 1] < walk[w]) ++round;
    }
  }
  return rounds;
}

}  // namespace

void check_tree(const ModelSpec& spec, std::vector<Error>& errors) {
  const std::size_t errors_before = errors.size();
  const InboardJoints inboard = inboard_joints(spec);
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const JointSpec& joint = spec.joints[i];
    const std::size_t first = inboard.at(joint.successor);
    if (first == i) continue;
    errors.push_back(
        {item_path("joints", i) + ".successor", "body '" + joint.successor + "' already has the inboard joint '" +
                                                    spec.joints[first].name + "'; move one of them to loops"});
  }
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    if (inboard.contains(spec.bodies[i].name)) continue;
    errors.push_back({item_path("bodies", i),
                      "body '" + spec.bodies[i].name + "' is the successor of no joint; add one, e.g. of type free"});
  }
  if (errors.size() > errors_before) return;  // a cycle cannot be told from what is missing

  const std::vector<int> rounds = rounds_from_ground(spec, inboard);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (rounds[i] != kNeverPlaced) continue;
    errors.push_back({item_path("joints", i) + ".predecessor",
                      "cycle among parents: body '" + spec.joints[i].successor + "' is not reached from the ground"});
  }
}

std::vector<int> tree_order(const ModelSpec& spec) {
  const std::vector<int> rounds = rounds_from_ground(spec, inboard_joints(spec));
  std::vector<int> order;
  for (std::size_t i = 0; i < rounds.size(); ++i) order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rounds[at(a)] < rounds[at(b)]; });
  return order;
}

}  // namespace kinloop
