// Feeds any bytes to what a page may send; what is accepted has a verb whose role is known.
#include <kinloop/v1/panel.pb.h>

#include <cstddef>
#include <cstdint>

#include "services/gateway/snapshot_store.hpp"
#include "services/security/roles.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kinloop::v1::PageRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) return 0;
  if (request.has_control()) {
    (void)kinloop::security::permits(kinloop::security::Role::kObserver, request.control().verb_case());
  }
  if (request.has_snapshot()) (void)kinloop::gateway::SnapshotStore::is_name(request.snapshot().name());
  return 0;
}
