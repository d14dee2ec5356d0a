// Owns the list of contestants that this build could find.
#include "bench/peers/peer.hpp"

namespace kinloop::bench {

std::vector<Contestant> contestants() {
  std::vector<Contestant> found;
#ifdef KINLOOP_BENCH_HAS_KINLOOP
  found.push_back(kinloop_contestant());
#endif
#ifdef KINLOOP_BENCH_HAS_MUJOCO
  found.push_back(mujoco_contestant());
#endif
#ifdef KINLOOP_BENCH_HAS_DART
  found.push_back(dart_contestant());
#endif
#ifdef KINLOOP_BENCH_HAS_SIMBODY
  found.push_back(simbody_contestant());
#endif
  return found;
}

}  // namespace kinloop::bench
