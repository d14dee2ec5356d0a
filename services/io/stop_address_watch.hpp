// Owns StopAddressWatch: tells that somebody else has an address of the stop sockets, and that it is back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/io/io_parts.hpp"

namespace kinloop::io {

/// By the main thread; the stop thread is who tries those addresses again.
class StopAddressWatch {
 public:
  /// Both must outlive it.
  StopAddressWatch(IoParts& parts, log::Logger log) : parts_(parts), log_(log) {}

  /// Often; it does something a few times a second at most.
  void look(std::int64_t now_ns);

 private:
  IoParts& parts_;
  log::Logger log_;
  std::vector<std::string> down_;
  std::int64_t next_ns_ = 0;
};

}  // namespace kinloop::io
