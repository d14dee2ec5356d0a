// Owns UnpackedRecord: a record of a run and, beside it, the files of its rig.
#pragma once

#include <filesystem>

#include "core/base/result.hpp"
#include "services/base/scratch_folder.hpp"
#include "services/record/record_reader.hpp"

namespace kinloop::run {

struct UnpackedRecord {
  record::RecordReader reader;
  ScratchFolder folder;  // gone with this

  std::filesystem::path rig() const { return folder.path() / "rig.yaml"; }
};

/// Refuses what holds no rig.
Result<UnpackedRecord> unpack_record(const std::filesystem::path& file);

}  // namespace kinloop::run
