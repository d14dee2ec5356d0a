// Owns Quota: how much of one kind each connection may hold at a time, with room that is kept for those who command.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "services/security/role.hpp"

namespace kinloop::io {

struct QuotaBounds {
  std::size_t of_one = 0;        // connection
  std::size_t of_observers = 0;  // together
  std::size_t of_all = 0;
};

/// Given back by whichever thread drops the last copy of what was taken.
class Quota {
 public:
  using Share = std::shared_ptr<const void>;

  explicit Quota(const QuotaBounds& bounds) : bounds_(bounds) {}

  /// Null where there is no more for this one.
  Share take(const std::string& sender, security::Role role) {
    const bool is_observer = role == security::Role::kObserver;
    {
      const std::lock_guard guard(counts_->mutex);
      const auto found = counts_->of.find(sender);
      if (found != counts_->of.end() && found->second >= bounds_.of_one) return nullptr;
      if (counts_->of_all >= bounds_.of_all) return nullptr;
      if (is_observer && counts_->of_observers >= bounds_.of_observers) return nullptr;
      ++counts_->of[sender];
      ++counts_->of_all;
      counts_->of_observers += is_observer ? 1 : 0;
    }
    return {counts_.get(), [counts = counts_, sender, is_observer](const void*) {
              const std::lock_guard guard(counts->mutex);
              if (--counts->of[sender] == 0) counts->of.erase(sender);
              --counts->of_all;
              counts->of_observers -= is_observer ? 1 : 0;
            }};
  }

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, std::size_t> of;
    std::size_t of_observers = 0, of_all = 0;
  };

  QuotaBounds bounds_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace kinloop::io
