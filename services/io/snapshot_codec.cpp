// Field by field; who the state belongs to is checked here, whether it makes sense by the plant itself.
#include "services/io/snapshot_codec.hpp"

#include <algorithm>

#include "services/wire/change_codec.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {
namespace {

constexpr std::uint32_t kFirstVersion = 1;

}  // namespace

std::uint64_t hash_of(v1::Snapshot snapshot) {
  snapshot.clear_hash();
  return wire::hash_of(snapshot.SerializeAsString());
}

v1::Snapshot snapshot_of(const v1::Description& plant, const rt::SnapshotBuffer& buffer, std::span<const double> block,
                         std::uint64_t step, const ParameterList& changed) {
  v1::Snapshot snapshot;
  snapshot.set_version(kSnapshotVersion);
  snapshot.set_rig(plant.rig());
  snapshot.set_plant_hash(plant.plant_hash());
  snapshot.set_step(step);
  snapshot.set_time_s(block.empty() ? 0.0 : block[0]);
  snapshot.set_state_hash(buffer.state_hash);
  snapshot.mutable_block()->Assign(block.begin(), block.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(buffer.actuators, kMaxActuators); ++i) {
    v1::PolicyState& policy = *snapshot.add_policies();
    policy.set_value(buffer.policies[i].value);
    policy.set_age_ticks(buffer.policies[i].age_ticks);
    policy.set_commanded(buffer.policies[i].commanded);
    policy.set_safe(buffer.policies[i].safe);
    policy.set_stopped(buffer.policies[i].stopped);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(buffer.changes, kMaxChanges); ++i) {
    wire::to_wire(buffer.change[i], *snapshot.add_waiting());
  }
  to_wire(changed, *snapshot.mutable_parameters());
  snapshot.set_hash(hash_of(snapshot));
  return snapshot;
}

Result<v1::Snapshot> snapshot_in(std::string_view file) {
  v1::Snapshot snapshot;
  if (!snapshot.ParseFromArray(file.data(), static_cast<int>(file.size())) || snapshot.version() == 0) {
    return Error{"", "is no snapshot: kinloop ctl snapshot writes one"};
  }
  if (snapshot.version() == kFirstVersion && snapshot.hash() == 0) {
    snapshot.set_version(kSnapshotVersion);
    snapshot.set_hash(hash_of(snapshot));
  }
  return snapshot;
}

std::optional<std::string> objection_to(const v1::Snapshot& snapshot, const v1::Description& plant) {
  if (snapshot.version() == kFirstVersion) {
    return "it is of version 1, without a hash over all of it: kinloop ctl restore reads files of that version";
  }
  if (snapshot.version() != kSnapshotVersion) {
    return "this plant takes version " + std::to_string(kSnapshotVersion) + " of snapshots, not version " +
           std::to_string(snapshot.version());
  }
  if (snapshot.hash() != hash_of(snapshot)) return "it is damaged: its hash is not that of what it holds";
  if (snapshot.plant_hash() != plant.plant_hash()) {
    return "it is a snapshot of '" + snapshot.rig() + "', or of another version of that rig, not of '" + plant.rig() +
           "' as it runs here";
  }
  const auto wrong_count = [](const char* field, int count, std::size_t wanted) {
    return std::string("it is damaged: ") + field + " has " + std::to_string(count) + " entries instead of " +
           std::to_string(wanted);
  };
  if (static_cast<std::uint32_t>(snapshot.block_size()) != plant.state_size()) {
    return wrong_count("block", snapshot.block_size(), plant.state_size());
  }
  if (snapshot.policies_size() != plant.actuators_size()) {
    return wrong_count("policies", snapshot.policies_size(), static_cast<std::size_t>(plant.actuators_size()));
  }
  if (snapshot.waiting_size() > static_cast<int>(kMaxChanges)) {
    return wrong_count("waiting", snapshot.waiting_size(), kMaxChanges);
  }
  return std::nullopt;
}

void put_into_buffer(const v1::Snapshot& snapshot, rt::SnapshotBuffer& buffer, std::span<double> block) {
  buffer.state_hash = snapshot.state_hash();
  buffer.actuators = static_cast<std::uint32_t>(snapshot.policies_size());
  for (int i = 0; i < snapshot.policies_size(); ++i) {
    const v1::PolicyState& policy = snapshot.policies(i);
    buffer.policies[static_cast<std::size_t>(i)] = policy_of(policy);
  }
  buffer.changes = static_cast<std::uint32_t>(snapshot.waiting_size());
  for (int i = 0; i < snapshot.waiting_size(); ++i) {
    buffer.change[static_cast<std::size_t>(i)] = wire::change_of(snapshot.waiting(i));
  }
  std::copy(snapshot.block().begin(), snapshot.block().end(), block.begin());
}

rt::CommandState policy_of(const v1::PolicyState& policy) {
  return {policy.value(), policy.age_ticks(), policy.commanded(), policy.safe(), policy.stopped()};
}

ParameterList parameters_of(const v1::Snapshot& snapshot) {
  ParameterList list;
  for (const v1::ParameterValue& value : snapshot.parameters()) list.push_back({value.name(), value.value()});
  return list;
}

}  // namespace kinloop::io
