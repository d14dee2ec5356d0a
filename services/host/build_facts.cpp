// What services/CMakeLists.txt told this file: it alone is compiled again for every commit, so it includes little.
#include "services/host/build_facts.hpp"

namespace kinloop::host {

const BuildFacts& build_facts() {
  const auto or_default = [](const char* text, const char* fallback) { return *text == '\0' ? fallback : text; };
  static const BuildFacts kFacts{KINLOOP_VERSION,
                                 or_default(KINLOOP_COMMIT, "unknown"),
                                 KINLOOP_COMPILER,
                                 KINLOOP_BUILD_TYPE,
                                 or_default(KINLOOP_ARCH_FLAGS, "compiler's default"),
                                 or_default(KINLOOP_SANITIZERS, "none"),
                                 KINLOOP_LIBRARIES};
  return kFacts;
}

}  // namespace kinloop::host
