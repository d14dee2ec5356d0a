// One quota a kind of work; who has taken a share is watched until it is gone.
#include "services/io/connection_quotas.hpp"

#include "core/base/require.hpp"

namespace kinloop::io {

using Request = v1::ControlRequest;

const QuotaBounds* ConnectionQuotas::bounds_of(security::Verb verb) {
  switch (verb) {
    case Request::kCapture:
      return &kCaptures;
    case Request::kLinearize:
    case Request::kLinearizeTrajectory:
    case Request::kRollout:
    case Request::kTrim:
      return &kJobs;
    case Request::kSnapshot:
      return &kSnapshots;
    case Request::kRestore:
      return &kTrials;
    default:
      return nullptr;
  }
}

Quota& ConnectionQuotas::quota_of(security::Verb verb) {
  const QuotaBounds* bounds = bounds_of(verb);
  require(bounds != nullptr, "the verb has a quota");
  if (bounds == &kCaptures) return captures_;
  if (bounds == &kJobs) return jobs_;
  return bounds == &kSnapshots ? snapshots_ : trials_;
}

Quota::Share ConnectionQuotas::take(security::Verb verb, const std::string& sender, const net::Connection& connection,
                                    security::Role role) {
  Quota::Share share = quota_of(verb).take(sender, role);
  if (share != nullptr && connection.is_known()) watched_[sender] = connection;
  return share;
}

std::vector<std::string> ConnectionQuotas::take_departed() {
  std::vector<std::string> departed;
  std::erase_if(watched_, [&](const auto& one) {
    if (one.second.is_open()) return false;
    departed.push_back(one.first);
    return true;
  });
  return departed;
}

}  // namespace kinloop::io
