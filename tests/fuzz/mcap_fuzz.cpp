// Feeds any bytes to the reader of records: it must end, with what it read in order and its place within the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/require.hpp"
#include "services/record/record_reader.hpp"

namespace {

using namespace kinloop::record;  // NOLINT: this file is about nothing else

/// How many items there are; each takes bytes of its own.
std::size_t items_of(const std::string& path, std::size_t size) {
  kinloop::Result<McapReader> reader = McapReader::open(path);
  if (!reader) return 0;
  for (std::size_t items = 0;; ++items) {
    const auto item = reader->next();
    if (!item || *item == McapItem::kEnd) {
      kinloop::require(!reader->cut_off() || *reader->cut_off() <= size, "a cut lies within the file");
      return items;
    }
    if (*item != McapItem::kMessage) continue;
    kinloop::require(reader->message().channel != nullptr, "a message has a channel");
    kinloop::require(reader->message().offset + reader->message().data.size() <= size, "a message lies in the file");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  const bool is_ready = ::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  kinloop::require(is_ready, "memory takes the file");

  const std::size_t items = items_of(path, size);
  kinloop::require(items <= size / kMcapRecordHead, "every item takes bytes of its own");
  auto record = RecordReader::open(path);
  if (!record) return 0;
  for (std::size_t messages = 0;; ++messages) {
    const auto item = record->next();
    if (!item || *item == nullptr) break;
    kinloop::require(messages < items, "a record holds no more messages than its file");
  }
  return 0;
}
