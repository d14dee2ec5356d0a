// Reads all files, then looks for what they share.
#include "services/security/allowed_keys.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "services/security/guarded_file.hpp"
#include "services/security/key_file.hpp"

namespace kinloop::security {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxKeys = 1000;

struct FoundKey {
  std::string file;
  PublicKey key;
};

/// In alphabetical order; nothing where the folder cannot be read.
std::optional<std::vector<fs::path>> key_files(const fs::path& folder) {
  struct Close {
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, Close> stream(::opendir(folder.c_str()));
  if (!stream) return std::nullopt;
  std::vector<fs::path> files;
  while (const dirent* entry = ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
    const std::string_view name = entry->d_name;
    if (!name.starts_with('.') && name.ends_with(".public")) files.push_back(folder / name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Whatever changes when a file is written, replaced or given other rights.
struct Stamp {
  std::string text;
  std::time_t newest_s = 0;
};

void add(const fs::path& path, Stamp& stamp) {
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  stamp.text += path.string() + '\0';
  if (!is_there) return;
  for (const auto number :
       {static_cast<long long>(status.st_ino), static_cast<long long>(status.st_size),
        static_cast<long long>(status.st_mode), static_cast<long long>(status.st_mtim.tv_sec),
        static_cast<long long>(status.st_mtim.tv_nsec), static_cast<long long>(status.st_ctim.tv_sec),
        static_cast<long long>(status.st_ctim.tv_nsec)}) {
    stamp.text += std::to_string(number) + ' ';
  }
  stamp.newest_s = std::max({stamp.newest_s, status.st_mtim.tv_sec, status.st_ctim.tv_sec});
}

Stamp stamp_of(const fs::path& folder) {
  Stamp stamp;
  add(folder, stamp);
  for (const fs::path& file : key_files(folder).value_or(std::vector<fs::path>{})) add(file, stamp);
  return stamp;
}

std::string place(const std::string& file, std::size_t line, std::string_view field) {
  return file + ":" + std::to_string(line) + ": " + std::string(field);
}

std::vector<FoundKey> read_files(const std::vector<fs::path>& files, std::vector<Error>& errors) {
  std::vector<FoundKey> found;
  for (const fs::path& file : files) {
    auto key = read_public_key(file);
    if (!key) {
      errors.insert(errors.end(), key.error().begin(), key.error().end());
    } else if (!key->role) {
      errors.push_back(
          {place(file.string(), key->role_line, "role"), "is that of a plant; this folder is for keys of clients"});
    } else {
      found.push_back({file.string(), std::move(key).value()});
    }
  }
  return found;
}

struct Shared {
  std::string_view field;
  std::string PublicKey::*value;
  std::size_t PublicKey::*line;
};
constexpr std::array<Shared, 2> kUnique{
    {{"name", &PublicKey::name, &PublicKey::name_line}, {"public_key", &PublicKey::key, &PublicKey::key_line}}};

/// Marks those that share a name or a key with another, and complains of them.
std::vector<bool> find_shared(const std::vector<FoundKey>& found, std::vector<Error>& errors) {
  std::vector<bool> is_shared(found.size(), false);
  for (const Shared& unique : kUnique) {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [entry, is_new] = first.try_emplace(found[i].key.*unique.value, i);
      if (is_new) continue;
      is_shared[i] = is_shared[entry->second] = true;
      errors.push_back({place(found[i].file, found[i].key.*unique.line, unique.field),
                        "is that of " + found[entry->second].file + " too: neither counts until one is gone"});
    }
  }
  return is_shared;
}

}  // namespace

AllowedKeys read_allowed_keys(const fs::path& folder) {
  AllowedKeys allowed;
  if (const std::optional<Error> error = check_guarded_folder(folder)) {
    allowed.errors.push_back(*error);
    return allowed;
  }
  const std::optional<std::vector<fs::path>> files = key_files(folder);
  if (!files) {
    allowed.errors.push_back({folder.string(), "cannot be listed"});
    return allowed;
  }
  if (files->size() > kMaxKeys) {
    allowed.errors.push_back({folder.string(), "holds more than " + std::to_string(kMaxKeys) + " keys"});
    return allowed;
  }
  const std::vector<FoundKey> found = read_files(*files, allowed.errors);
  const std::vector<bool> is_shared = find_shared(found, allowed.errors);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_shared[i]) allowed.by_key.emplace(found[i].key.key, Caller{*found[i].key.role, found[i].key.name});
  }
  return allowed;
}

Result<KeyFolder, std::vector<Error>> KeyFolder::open(const fs::path& folder, Now now) {
  KeyFolder opened(folder, now);
  opened.read();
  if (!opened.keys_.errors.empty()) return opened.keys_.errors;
  return opened;
}

void KeyFolder::read() {
  // The stamp first: what changes while the files are read makes the next stamp another one.
  const Stamp stamp = stamp_of(folder_);
  keys_ = read_allowed_keys(folder_);
  // File times are coarse. A file that is this young could change again and keep its time.
  constexpr std::time_t kSettled_s = 2;
  const bool is_settled = stamp.newest_s + kSettled_s <= now_();
  stamp_ = is_settled ? stamp.text : std::string{};
}

std::vector<Error> KeyFolder::refresh() {
  if (!stamp_.empty() && stamp_of(folder_).text == stamp_) return {};
  const std::vector<Error> old = std::move(keys_.errors);
  read();
  return keys_.errors == old ? std::vector<Error>{} : keys_.errors;
}

const Caller* KeyFolder::find(std::string_view public_key) const {
  const auto entry = keys_.by_key.find(std::string(public_key));
  return entry == keys_.by_key.end() ? nullptr : &entry->second;
}

}  // namespace kinloop::security
