// Leases, captures, status, trouble.
#include "services/io/housekeeping.hpp"

#include <utility>

#include "core/base/nearest_name.hpp"

namespace kinloop::io {

void Housekeeping::keep(std::int64_t now_ns) {
  constexpr std::int64_t kBetween_ns = 5'000'000;
  next_ns_ = now_ns + kBetween_ns;
  end_leases(now_ns);
  parts_.capture.expire(now_ns);
  parts_.events.publish(now_ns, refused_());
  tell_record_trouble();
  tell_adapter_trouble(now_ns);
}

void Housekeeping::end_leases(std::int64_t now_ns) {
  for (const Lease& lease : parts_.commands.expire(now_ns)) {
    parts_.events.tell("lease_expired", 0, static_cast<std::int64_t>(lease.actuators.size()), lease.holder);
    log_.debug("a lease of " + in_quotes(lease.holder) + " expired");
  }
}

void Housekeeping::tell_record_trouble() {
  const RecordReport report = parts_.recorder.report();
  if (report.trouble == std::exchange(told_trouble_, report.trouble) || report.trouble.empty()) return;
  parts_.events.tell("record_trouble", 0, report.dropped, report.trouble);
  log_.warning("the record " + report.file + " is not complete: " + report.trouble);
}

void Housekeeping::tell_adapter_trouble(std::int64_t now_ns) {
  parts_.adapters.tell_trouble(now_ns, [this](std::int64_t messages, const std::string& trouble) {
    parts_.events.tell("adapter_trouble", 0, messages, trouble);
    if (!trouble.empty()) log_.warning("an adapter refused " + std::to_string(messages) + " messages: " + trouble);
  });
}

}  // namespace kinloop::io
