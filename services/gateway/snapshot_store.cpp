// One file a snapshot; its name is that of the snapshot in hexadecimal, so that any name will do.
#include "services/gateway/snapshot_store.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "services/base/control_characters.hpp"
#include "services/base/text_file.hpp"
#include "services/base/write_file.hpp"

namespace kinloop::gateway {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
constexpr const char* kEnding = ".snapshot";

std::string hexadecimal(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : text) {
    digits += kDigits[static_cast<unsigned char>(c) >> 4U];
    digits += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return digits;
}

/// Empty where they are no such digits.
std::string text_of(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != digits.data() + i + 2) return {};
    text += static_cast<char>(byte);
  }
  return text;
}

}  // namespace

SnapshotStore::SnapshotStore(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    if (entry.path().extension() != kEnding || all_.size() >= kMax) continue;
    const std::string name = text_of(entry.path().stem().string());
    const auto bytes = read_text_file(entry.path(), kMaxBytes);
    v1::Snapshot snapshot;
    if (is_name(name) && bytes && snapshot.ParseFromString(*bytes)) all_[name] = std::move(snapshot);
  }
}

bool SnapshotStore::is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && !has_control_characters(name);
}

std::filesystem::path SnapshotStore::file_of(const std::string& name) const {
  return folder_ / (hexadecimal(name) + kEnding);
}

std::optional<Error> SnapshotStore::put(const std::string& name, const v1::Snapshot& snapshot) {
  if (all_.size() >= kMax && !all_.contains(name)) {
    return Error{"name", "there are " + std::to_string(kMax) + " snapshots already: forget one first"};
  }
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (const auto failure = write_file(file_of(name), snapshot.SerializeAsString())) return failure->error;
  all_[name] = snapshot;
  return std::nullopt;
}

const v1::Snapshot* SnapshotStore::find(const std::string& name) const {
  const auto found = all_.find(name);
  return found != all_.end() ? &found->second : nullptr;
}

bool SnapshotStore::forget(const std::string& name) {
  std::error_code gone;
  std::filesystem::remove(file_of(name), gone);
  return all_.erase(name) > 0;
}

v1::SnapshotList SnapshotStore::list() const {
  v1::SnapshotList list;
  for (const auto& [name, snapshot] : all_) {
    v1::NamedSnapshot& one = *list.add_snapshots();
    one.set_name(name);
    one.set_step(snapshot.step());
    one.set_time_s(snapshot.time_s());
  }
  return list;
}

}  // namespace kinloop::gateway
