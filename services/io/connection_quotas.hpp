// Owns ConnectionQuotas: what a connection may have under way on the socket "control", and who of those has left.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/io/capture.hpp"
#include "services/io/job_thread.hpp"
#include "services/io/quota.hpp"
#include "services/net/connection.hpp"
#include "services/security/roles.hpp"

namespace kinloop::io {

/// By the main thread.
class ConnectionQuotas {
 public:
  /// Whether this verb has a quota.
  static bool has_quota(security::Verb verb) { return bounds_of(verb) != nullptr; }
  /// A share for a request of this verb, which has a quota; null: this connection, or its role, has no more.
  Quota::Share take(security::Verb verb, const std::string& sender, const net::Connection& connection,
                    security::Role role);
  /// Those that had something under way and have left since; each once. Now and then.
  std::vector<std::string> take_departed();

 private:
  static constexpr QuotaBounds kCaptures{4, Capture::kMaxWaiting - 4, Capture::kMaxWaiting};
  static constexpr QuotaBounds kJobs{2, JobThread::kMaxWaiting - 2, JobThread::kMaxWaiting};
  static constexpr QuotaBounds kSnapshots{16, 64, 128};  // they take turns at one buffer
  static constexpr QuotaBounds kTrials{4, 0, JobThread::kMaxWaiting};

  static const QuotaBounds* bounds_of(security::Verb verb);
  Quota& quota_of(security::Verb verb);

  Quota captures_{kCaptures}, jobs_{kJobs}, snapshots_{kSnapshots}, trials_{kTrials};
  std::map<std::string, net::Connection> watched_;
};

}  // namespace kinloop::io
