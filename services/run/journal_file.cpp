// Bytes in and out; the hosts we run on are little-endian.
#include "services/run/journal_file.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace kinloop::run {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> kMagic = {'K', 'L', 'J', 'O', 'U', 'R', 'N', '1'};

template <class T>
void put(std::ofstream& file, const T& value) {
  file.write(reinterpret_cast<const char*>(&value), sizeof value);  // NOLINT: bytes of a number
}

template <class T>
bool take(std::ifstream& file, T& value) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));  // NOLINT: bytes of a number
}

bool take_entry(std::ifstream& file, std::size_t actuators, rt::JournalEntry& entry) {
  entry = {};
  entry.input.count = static_cast<std::uint32_t>(actuators);
  bool whole = take(file, entry.frame.step) && take(file, entry.frame.state_hash) && take(file, entry.input.level) &&
               take(file, entry.input.frozen);
  for (std::size_t i = 0; i < actuators; ++i) whole = whole && take(file, entry.input.command[i]);
  return whole;
}

}  // namespace

Result<JournalWriter> JournalWriter::create(const std::filesystem::path& path, std::size_t actuators) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return Error{path.string(), std::strerror(errno)};
  file.write(kMagic.data(), kMagic.size());
  put(file, static_cast<std::uint32_t>(actuators));
  put(file, std::uint32_t{0});
  return JournalWriter(std::move(file), actuators);
}

void JournalWriter::write(const rt::JournalEntry& entry) {
  put(file_, entry.frame.step);
  put(file_, entry.frame.state_hash);
  put(file_, entry.input.level);
  put(file_, entry.input.frozen);
  for (std::size_t i = 0; i < actuators_; ++i) put(file_, entry.input.command[i]);
}

bool JournalWriter::flush() { return static_cast<bool>(file_.flush()); }

Result<std::vector<rt::JournalEntry>> read_journal(const std::filesystem::path& path, std::size_t actuators) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{path.string(), std::strerror(errno)};
  std::array<char, kMagic.size()> magic{};
  std::uint32_t count = 0;
  std::uint32_t zero = 0;
  if (!file.read(magic.data(), magic.size()) || magic != kMagic || !take(file, count) || !take(file, zero)) {
    return Error{path.string(), "is no journal of a run"};
  }
  if (count != actuators) {
    return Error{path.string(),
                 "is of a rig with " + std::to_string(count) + " actuators, not " + std::to_string(actuators)};
  }
  std::vector<rt::JournalEntry> entries;
  for (rt::JournalEntry entry; take_entry(file, actuators, entry);) entries.push_back(entry);
  return entries;
}

}  // namespace kinloop::run
