// Owns the files of a run directory that the supervisor writes: the configuration in force, facts of the host and where
// the memory is from the start, how times were kept at the end.
#pragma once

#include <optional>

#include "rt/loop/memory_files.hpp"
#include "services/base/write_file.hpp"
#include "services/rig/rig_spec.hpp"
#include "services/run/run_directory.hpp"
#include "services/timing/certificate.hpp"

namespace kinloop::run {

/// Both: nothing if it worked.
std::optional<WriteFailure> write_run_files(const RunDirectory& directory, const RigSpec& spec,
                                            const timing::CertificateFacts& facts, const rt::MemoryFiles& memory);
std::optional<WriteFailure> write_timing_file(const RunDirectory& directory, const timing::CertificateFacts& facts,
                                              const timing::TimingSummary& summary, int exit_code);

}  // namespace kinloop::run
