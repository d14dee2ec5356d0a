// Owns the making of CURVE key pairs and of their two files.
#pragma once

#include <filesystem>

#include "services/security/key_file.hpp"

namespace kinloop::security {

/// Fails where libzmq was built without CURVE.
Result<KeyPair> make_key_pair(const std::string& name);

struct KeyFiles {
  std::filesystem::path secret_file;
  std::filesystem::path public_file;
};

/// Writes NAME.secret (rights 0600) and NAME.public (0644) into a folder that is there. What is there already is never
/// overwritten: either both files are new, or none.
Result<KeyFiles> write_key_files(const std::filesystem::path& folder, const KeyPair& pair, std::optional<Role> role);

}  // namespace kinloop::security
