// Converts snapshots between the buffers in shared memory and the wire.
#pragma once

#include <kinloop/v1/describe.pb.h>
#include <kinloop/v1/state.pb.h>

#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.hpp"
#include "rt/loop/snapshot_buffer.hpp"
#include "services/io/live_parameters.hpp"

namespace kinloop::io {

/// Version 1 had no hash: files of it are read, plants take none.
inline constexpr std::uint32_t kSnapshotVersion = 2;

/// XXH3 of the message without its hash, as protobuf writes it: the fields by their numbers, unknown ones last.
std::uint64_t hash_of(v1::Snapshot snapshot);

v1::Snapshot snapshot_of(const v1::Description& plant, const rt::SnapshotBuffer& buffer, std::span<const double> block,
                         std::uint64_t step, const ParameterList& changed);

/// Of a file with at most 2 GB. One of the first version is given the hash that it lacks.
Result<v1::Snapshot> snapshot_in(std::string_view file);

/// What is wrong with a snapshot from outside, by name; nothing where it may be tried.
std::optional<std::string> objection_to(const v1::Snapshot& snapshot, const v1::Description& plant);

/// Of a snapshot without objections.
void put_into_buffer(const v1::Snapshot& snapshot, rt::SnapshotBuffer& buffer, std::span<double> block);
rt::CommandState policy_of(const v1::PolicyState& policy);
ParameterList parameters_of(const v1::Snapshot& snapshot);

}  // namespace kinloop::io
