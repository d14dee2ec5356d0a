// Owns PanelServer: the page for people, and the tries to open it while somebody else has its address.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "services/io/io_parts.hpp"

namespace kinloop::io {

/// By the main thread.
class PanelServer {
 public:
  /// Both must outlive it.
  PanelServer(IoParts& parts, log::Logger log) : parts_(parts), log_(log) {}

  /// Errors: of the first io, whose address nobody else may have.
  std::vector<Error> open();
  /// That somebody else has; empty: the page is there, or not wanted.
  const std::string& taken_address() const noexcept { return taken_address_; }
  /// Often; it does something every few seconds at most.
  void try_again(std::int64_t now_ns);
  void close() { page_.reset(); }

 private:
  IoParts& parts_;
  log::Logger log_;
  std::unique_ptr<gateway::Gateway> page_;
  std::string taken_address_;
  std::int64_t next_ns_ = 0;
};

}  // namespace kinloop::io
