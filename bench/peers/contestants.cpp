// Owns the search for peers: modules, loaded if present.
#include "bench/peers/contestants.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace kinloop::bench {

std::vector<Contestant> find_peers() {
  std::vector<Contestant> found;
  // Modules, because DART's library and our code instantiate the same Eigen templates for different alignments: linked
  // together, one copy would serve both and crash. RTLD_LOCAL keeps each to itself. Found through the RUNPATH, and
  // never closed, since what they built lives until the end.
  for (const char* file : {"peer_mujoco.so", "peer_dart.so", "peer_simbody.so"}) {
    void* module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void* symbol = module == nullptr ? nullptr : dlsym(module, kPeerEntryPoint);
    if (symbol == nullptr) {
      std::fprintf(stderr, "left out: %s\n", dlerror());
      continue;
    }
    const std::unique_ptr<Contestant> contestant(reinterpret_cast<PeerEntryPoint*>(symbol)());
    found.push_back(*contestant);
  }
  return found;
}

}  // namespace kinloop::bench
