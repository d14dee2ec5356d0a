// Opens the record, then writes its attachments to a folder of their own.
#include "services/run/unpacked_record.hpp"

#include <utility>

namespace kinloop::run {

Result<UnpackedRecord> unpack_record(const std::filesystem::path& file) {
  auto reader = record::RecordReader::open(file);
  if (!reader) return reader.error();
  auto folder = ScratchFolder::make();
  if (!folder) return folder.error();
  UnpackedRecord unpacked{std::move(reader).value(), std::move(folder).value()};
  const auto files = record::unpack_attachments(unpacked.reader, unpacked.folder.path());
  if (!files) return files.error();
  if (!std::filesystem::exists(unpacked.rig())) {
    return Error{file.string(), "has no rig in it: it was cut off, or is no record of a run"};
  }
  return unpacked;
}

}  // namespace kinloop::run
