// Owns the leases of actuators: who may command which, for how long.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop::io {

struct Lease {
  std::uint64_t id = 0;
  std::string holder;                  // as it calls itself
  std::vector<std::size_t> actuators;  // in the order in which its frames give values
  double time_s = 0.0;                 // without a frame or renewal
  std::int64_t until_ns = 0;
  std::uint64_t last_sequence = 0;  // of its frames
};

class LeaseTable {
 public:
  static constexpr double kUsual_s = 1.0;
  static constexpr double kShortest_s = 0.01;
  static constexpr double kLongest_s = 60.0;
  static constexpr std::size_t kLongestName = 64;

  explicit LeaseTable(std::size_t actuators) : holders_(actuators, 0) {}

  /// Why not: one of the actuators is somebody else's, who is named.
  struct Taken {
    std::size_t actuator = 0;
    std::string holder;
  };
  /// Numbers are in range and each is named once. Numbers of leases cannot be guessed.
  Result<Lease, Taken> acquire(std::span<const std::size_t> actuators, const std::string& holder, double time_s,
                               std::int64_t now_ns);
  /// Whether nobody holds any of them.
  bool are_free(std::span<const std::size_t> actuators) const noexcept;
  bool is_held(std::uint64_t id, std::int64_t now_ns) const noexcept;
  /// A frame or a renewal of a lease that is not over. nullptr: there is none of that number. No allocation.
  Lease* renew(std::uint64_t id, std::int64_t now_ns) noexcept;
  bool release(std::uint64_t id) noexcept;
  /// Takes out those that are over.
  std::vector<Lease> expire(std::int64_t now_ns);

  std::span<const Lease> all() const noexcept { return leases_; }

 private:
  Lease* find(std::uint64_t id) noexcept;

  std::vector<std::uint64_t> holders_;  // the lease of each actuator; 0: none
  std::vector<Lease> leases_;
};

}  // namespace kinloop::io
