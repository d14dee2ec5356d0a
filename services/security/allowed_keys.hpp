// Owns the folder of *.public files whose owners may connect to a plant.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.hpp"
#include "services/security/role.hpp"

namespace kinloop::security {

/// Who may connect, as the folder said when it was read.
struct AllowedKeys {
  std::unordered_map<std::string, Caller> by_key;  // public key in Z85
  /// A file with an error allows nobody, nor do two files that share a key or a name; the others count.
  std::vector<Error> errors;
};

AllowedKeys read_allowed_keys(const std::filesystem::path& folder);

/// The folder while a plant runs: read again whenever a file in it has changed, come or gone.
class KeyFolder {
 public:
  /// The time by the clock that stamps files.
  using Now = std::time_t (*)();

  /// At the start every error counts, so that nobody is shut out unawares.
  static Result<KeyFolder, std::vector<Error>> open(const std::filesystem::path& folder, Now now = &wall_clock_s);

  /// Nothing, or what the folder had to complain of when it was read again just now. A few system calls per file.
  std::vector<Error> refresh();

  /// As of the last refresh; nullptr for a key that is not allowed.
  const Caller* find(std::string_view public_key) const;
  std::size_t size() const noexcept { return keys_.by_key.size(); }

 private:
  KeyFolder(std::filesystem::path folder, Now now) : folder_(std::move(folder)), now_(now) {}
  static std::time_t wall_clock_s() { return std::time(nullptr); }
  void read();

  std::filesystem::path folder_;
  Now now_;
  std::string stamp_;  // of the files that were read; empty: to be read again whatever it says
  AllowedKeys keys_;
};

}  // namespace kinloop::security
