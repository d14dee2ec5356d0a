// Makes keys by libzmq, and files that were not there before.
#include "services/security/keys.hpp"

#include <fcntl.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <cerrno>

#include "services/base/error_text.hpp"
#include "services/base/write_file.hpp"

namespace kinloop::security {
namespace {

namespace fs = std::filesystem;

/// Not write_file(): that replaces what is there. A file that could not be written whole is taken away again.
std::optional<Error> write_new_file(const fs::path& path, std::string_view bytes, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor < 0 && errno == EEXIST) {
    return Error{path.string(), "is there already, and keys are never overwritten: move it away or take another name"};
  }
  if (descriptor < 0) return Error{path.string(), "cannot be made: " + host::error_text()};
  // The mask of the user may take rights that are wanted, so they are set.
  bool is_good = ::fchmod(descriptor, mode) == 0 && write_all(descriptor, bytes) && ::fsync(descriptor) == 0;
  std::string why = is_good ? "" : host::error_text();
  if (::close(descriptor) != 0 && is_good) {
    is_good = false;
    why = host::error_text();
  }
  if (is_good) return std::nullopt;
  ::unlink(path.c_str());
  return Error{path.string(), "cannot be written: " + why};
}

}  // namespace

Result<KeyPair> make_key_pair(const std::string& name) {
  std::array<char, kKeyLength + 1> public_key{};
  std::array<char, kKeyLength + 1> secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
    return Error{"libzmq", "makes no keys: it was built without CURVE"};
  }
  KeyPair pair{name, public_key.data(), SecretKey({secret_key.data(), kKeyLength})};
  ::explicit_bzero(secret_key.data(), secret_key.size());
  return pair;
}

Result<KeyFiles> write_key_files(const fs::path& folder, const KeyPair& pair, std::optional<Role> role) {
  constexpr mode_t kOwnerOnly = 0600;
  constexpr mode_t kReadByAll = 0644;
  const KeyFiles files{folder / (pair.name + ".secret"), folder / (pair.name + ".public")};
  std::string secret_text = key_pair_text(pair);
  const std::optional<Error> secret_error = write_new_file(files.secret_file, secret_text, kOwnerOnly);
  ::explicit_bzero(secret_text.data(), secret_text.size());
  if (secret_error) return *secret_error;
  const std::string public_text = public_key_text({pair.name, role, pair.public_key});
  if (const auto error = write_new_file(files.public_file, public_text, kReadByAll)) {
    ::unlink(files.secret_file.c_str());  // just made here, and of no use alone
    return *error;
  }
  return files;
}

}  // namespace kinloop::security
