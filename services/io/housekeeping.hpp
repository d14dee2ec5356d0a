// Owns Housekeeping: what the main thread of io does now and then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "services/io/io_parts.hpp"
#include "services/log/log.hpp"

namespace kinloop::io {

class Housekeeping {
 public:
  /// `refused` counts the messages that were, for whatever reason. All must outlive it.
  Housekeeping(IoParts& parts, log::Logger log, std::function<std::int64_t()> refused)
      : parts_(parts), log_(log), refused_(std::move(refused)) {}

  bool is_due(std::int64_t now_ns) const noexcept { return now_ns >= next_ns_; }
  /// Ends what is over, publishes status and timing when they are due, tells of trouble.
  void keep(std::int64_t now_ns);
  /// Once for each kind: who looks at neither status nor record shall know as well.
  void tell_record_trouble();

 private:
  void end_leases(std::int64_t now_ns);
  void tell_adapter_trouble(std::int64_t now_ns);

  IoParts& parts_;
  log::Logger log_;
  std::function<std::int64_t()> refused_;
  std::string told_trouble_;  // of the record
  std::int64_t next_ns_ = 0;
};

}  // namespace kinloop::io
