// Owns Gateway: the page, its WebSocket, JSON and metrics over HTTP, in a thread of its own beside io. It reaches the
// plant through the sockets of io, as any client does.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "rt/policies/liveness.hpp"
#include "services/gateway/panel_address.hpp"
#include "services/log/log.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::gateway {

struct GatewayOptions {
  PanelAddress address;
  std::filesystem::path tokens;     // a file; empty: nobody is asked for one, on loopback only
  std::filesystem::path directory;  // of the run: rig.yaml, and where snapshots are kept
};

class Gateway {
 public:
  /// Bound and serving. `description` tells where the sockets of the plant are. `earlier` are the endpoints of a
  /// gateway before this one, whose port is wanted again. Its thread shows life in `beat`. Log and beat outlive it.
  static Result<std::unique_ptr<Gateway>> open(const GatewayOptions& options, const v1::Description& description,
                                               const std::vector<v1::Endpoint>& earlier, log::Logger log,
                                               rt::Beat& beat);
  virtual ~Gateway() = default;

  /// "http://127.0.0.1:8080".
  virtual std::string url() const = 0;
};

/// How endpoints are called that are pages.
inline constexpr const char* kPanelEndpoint = "panel";

}  // namespace kinloop::gateway
