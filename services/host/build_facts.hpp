// Owns what the build knows of itself: version, commit, compiler, libraries.
#pragma once

#include <string>

namespace kinloop::host {

struct BuildFacts {
  std::string version;       // "0.1.0"
  std::string commit;        // short; "unknown" where the build saw none
  std::string compiler;      // "GNU 12.2.0"
  std::string type;          // "Release"
  std::string architecture;  // as in -march=
  std::string sanitizers;    // as in -fsanitize=, or "none"
  std::string libraries;     // "Eigen 3.4.0,libfyaml 0.7.12"
};

const BuildFacts& build_facts();

}  // namespace kinloop::host
