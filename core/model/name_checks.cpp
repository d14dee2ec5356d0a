// Implements the checks: each says the path of the field that holds the name.
#include "core/model/name_checks.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/field_path.hpp"
#include "core/base/nearest_name.hpp"

namespace kinloop {
namespace {

/// The names that references may mean; unless all of them are known, nothing can be said of a reference.
class KnownNames {
 public:
  KnownNames(const char* kind, std::vector<Error>& errors) : kind_(kind), errors_(errors) {}

  void add(std::string_view name) {
    if (!name.empty() && names_.insert(name).second) order_.push_back(name);
    is_complete_ = is_complete_ && !name.empty();
  }

  void check(const std::string& where, const std::string& name) {
    if (!is_complete_ || name.empty() || names_.contains(name)) return;
    std::string what = "no " + std::string(kind_) + " is named " + in_quotes(name);
    if (hints_ < kMaxHints) what += did_you_mean(name, order_);
    ++hints_;
    errors_.push_back({where, std::move(what)});
  }

 private:
  static constexpr int kMaxHints = 50;  // bounds the time a file full of wrong names can take

  const char* kind_;
  std::vector<Error>& errors_;
  std::set<std::string_view> names_;
  std::vector<std::string_view> order_;
  bool is_complete_ = true;
  int hints_ = 0;
};

/// Names of which each may stand once.
class UniqueNames {
 public:
  UniqueNames(const char* kind, std::vector<Error>& errors) : kind_(kind), errors_(errors) {}

  template <class Spec>
  void add(const std::vector<Spec>& specs, const char* list) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::string& name = specs[i].name;
      if (name.empty() || names_.insert(name).second) continue;
      errors_.push_back(
          {item_path(list, i) + ".name", "another " + std::string(kind_) + " is named " + in_quotes(name)});
    }
  }

 private:
  const char* kind_;
  std::vector<Error>& errors_;
  std::set<std::string_view> names_;
};

void check_unique(const ModelSpec& spec, std::vector<Error>& errors) {
  UniqueNames("body", errors).add(spec.bodies, "bodies");
  UniqueNames joints("joint", errors);
  joints.add(spec.joints, "joints");
  joints.add(spec.loops, "loops");
  UniqueNames("spring", errors).add(spec.springs, "springs");
  UniqueNames("bushing", errors).add(spec.bushings, "bushings");
  UniqueNames("rope", errors).add(spec.ropes, "ropes");
  UniqueNames("plane", errors).add(spec.planes, "planes");
  UniqueNames("contact", errors).add(spec.contacts, "contacts");
  UniqueNames("coupling", errors).add(spec.couplings, "couplings");
  UniqueNames("frame", errors).add(spec.frames, "frames");
}

/// Calls see(path, name) for all that sits on one body.
template <class See>
void for_each_single(const ModelSpec& spec, See see) {
  for (std::size_t i = 0; i < spec.frames.size(); ++i) see(item_path("frames", i) + ".body", spec.frames[i].body);
  for (std::size_t i = 0; i < spec.planes.size(); ++i) see(item_path("planes", i) + ".body", spec.planes[i].body);
  for (std::size_t i = 0; i < spec.contacts.size(); ++i) see(item_path("contacts", i) + ".body", spec.contacts[i].body);
}

/// Calls see(entry, key of a, a, key of b, b) for all that connects two bodies.
template <class See>
void for_each_pair(const ModelSpec& spec, See see) {
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    see(item_path("joints", i), ".predecessor", spec.joints[i].predecessor, ".successor", spec.joints[i].successor);
  }
  for (std::size_t i = 0; i < spec.loops.size(); ++i) {
    see(item_path("loops", i), ".predecessor", spec.loops[i].predecessor, ".successor", spec.loops[i].successor);
  }
  for (std::size_t i = 0; i < spec.springs.size(); ++i) {
    see(item_path("springs", i), ".body_a", spec.springs[i].body_a, ".body_b", spec.springs[i].body_b);
  }
  for (std::size_t i = 0; i < spec.bushings.size(); ++i) {
    see(item_path("bushings", i), ".body_a", spec.bushings[i].body_a, ".body_b", spec.bushings[i].body_b);
  }
  for (std::size_t i = 0; i < spec.ropes.size(); ++i) {
    see(item_path("ropes", i), ".body_a", spec.ropes[i].body_a, ".body_b", spec.ropes[i].body_b);
  }
}

void check_bodies_named(const ModelSpec& spec, std::vector<Error>& errors) {
  KnownNames bodies("body", errors);
  if (spec.bodies.empty()) bodies.add("");
  for (const BodySpec& body : spec.bodies) bodies.add(body.name);
  bodies.add(kGround);
  for_each_pair(spec, [&](const std::string& where, const char* key_a, const std::string& a, const char* key_b,
                          const std::string& b) {
    bodies.check(where + key_a, a);
    bodies.check(where + key_b, b);
    if (a.empty() || a != b) return;
    const bool is_joint = where.starts_with("joints") || where.starts_with("loops");
    errors.push_back({where, (is_joint ? "joins body " : "connects body ") + in_quotes(a) + " with itself"});
  });
  for_each_single(spec, [&](const std::string& where, const std::string& name) { bodies.check(where, name); });
}

void check_planes_named(const ModelSpec& spec, std::vector<Error>& errors) {
  KnownNames planes("plane", errors);
  std::set<std::pair<std::string_view, std::string_view>> sides;  // plane and its body
  for (const PlaneSpec& plane : spec.planes) {
    planes.add(plane.name);
    sides.emplace(plane.name, plane.body);
  }
  for (std::size_t i = 0; i < spec.contacts.size(); ++i) {
    const ContactSpec& contact = spec.contacts[i];
    for (std::size_t j = 0; j < contact.planes.size(); ++j) {
      const std::string where = item_path(item_path("contacts", i) + ".planes", j);
      planes.check(where, contact.planes[j]);
      if (contact.body.empty() || !sides.contains({contact.planes[j], contact.body})) continue;
      errors.push_back({where, "plane " + in_quotes(contact.planes[j]) + " is on the same body"});
    }
    if (spec.planes.empty()) errors.push_back({item_path("contacts", i), "there is no plane that it could touch"});
  }
}

void check_joints_named(const ModelSpec& spec, std::vector<Error>& errors) {
  KnownNames joints("joint", errors);
  for (const JointSpec& joint : spec.joints) joints.add(joint.name);
  for (std::size_t i = 0; i < spec.couplings.size(); ++i) {
    const CouplingSpec& coupling = spec.couplings[i];
    const std::string where = item_path("couplings", i);
    joints.check(where + ".joint", coupling.joint);
    joints.check(where + ".of", coupling.of);
    if (!coupling.of.empty() && coupling.joint == coupling.of) {
      errors.push_back({where, "couples joint " + in_quotes(coupling.of) + " with itself"});
    }
  }
  for (std::size_t i = 0; i < spec.ropes.size(); ++i) {
    joints.check(item_path("ropes", i) + ".winch", spec.ropes[i].winch);
  }
}

}  // namespace

void check_given(const ModelSpec& spec, std::vector<Error>& errors) {
  const auto check = [&](const std::string& where, const std::string& name) {
    if (name.empty()) errors.push_back({where, "must not be empty"});
  };
  if (spec.bodies.empty()) errors.push_back({"bodies", "a model needs at least one body"});
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) check(item_path("bodies", i) + ".name", spec.bodies[i].name);
  for (std::size_t i = 0; i < spec.joints.size(); ++i) check(item_path("joints", i) + ".name", spec.joints[i].name);
  for (std::size_t i = 0; i < spec.loops.size(); ++i) check(item_path("loops", i) + ".name", spec.loops[i].name);
  for_each_pair(spec, [&](const std::string& where, const char* key_a, const std::string& a, const char* key_b,
                          const std::string& b) {
    check(where + key_a, a);
    check(where + key_b, b);
  });
  for (std::size_t i = 0; i < spec.couplings.size(); ++i) {
    check(item_path("couplings", i) + ".joint", spec.couplings[i].joint);
    check(item_path("couplings", i) + ".of", spec.couplings[i].of);
  }
  for_each_single(spec, check);
}

void check_names(const ModelSpec& spec, std::vector<Error>& errors) {
  check_unique(spec, errors);
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    if (spec.bodies[i].name != kGround) continue;
    errors.push_back({item_path("bodies", i) + ".name", "'ground' is the name of the body that does not move"});
  }
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    if (spec.joints[i].successor != kGround) continue;
    errors.push_back({item_path("joints", i) + ".successor", "the ground is nobody's successor in a tree"});
  }
  check_bodies_named(spec, errors);
  check_joints_named(spec, errors);
  check_planes_named(spec, errors);
}

}  // namespace kinloop
