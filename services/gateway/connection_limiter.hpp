// Owns ConnectionLimiter: how many connections the web server has, per address and in all, and who makes room.
//
// A newcomer may be somebody who wants to stop the machine: connections that only wait make room for it, the one first
// that has waited longest. So silent connections keep nobody out.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace kinloop::gateway {

class LimitedConnection {
 public:
  virtual ~LimitedConnection() = default;
  /// Ends the connection, soon.
  virtual void leave() = 0;
};

/// In the server's one thread.
class ConnectionLimiter {
 public:
  struct Bounds {
    std::size_t of_address = 64;
    std::size_t of_all = 256;
  };

  explicit ConnectionLimiter(const Bounds& bounds) : self_(std::make_shared<Self>()) { self_->bounds = bounds; }

  /// What one connection holds, until it is dropped.
  class Slot;
  /// Null where there is none: all others do something.
  std::shared_ptr<Slot> admit(const std::string& address, const std::weak_ptr<LimitedConnection>& connection);

  std::size_t count() const noexcept { return self_->count; }

 private:
  struct Idle {
    std::string address;
    std::weak_ptr<LimitedConnection> connection;
    Slot* slot = nullptr;
  };
  struct Self {
    Bounds bounds;
    std::size_t count = 0;
    std::map<std::string, std::size_t> of;
    std::list<Idle> idle;  // those that wait for a request, longest first
  };
  bool make_room(const std::string* address);

  std::shared_ptr<Self> self_;
};

class ConnectionLimiter::Slot {
 public:
  Slot(std::shared_ptr<Self> limiter, std::string address, std::weak_ptr<LimitedConnection> connection);
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  /// Whether it waits for a request.
  void set_idle(bool is_idle);

 private:
  friend class ConnectionLimiter;
  void give_back();

  std::shared_ptr<Self> shared_;
  std::string address_;
  std::weak_ptr<LimitedConnection> connection_;
  bool is_idle_ = false, is_counted_ = true;
};

}  // namespace kinloop::gateway
