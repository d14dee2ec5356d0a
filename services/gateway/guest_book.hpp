// Owns GuestBook: who is connected to the web server, how many from each address, and who must go for a newcomer.
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

class Guest {
 public:
  virtual ~Guest() = default;
  /// Ends the connection, soon.
  virtual void leave() = 0;
};

/// In the server's one thread.
class GuestBook {
 public:
  struct Bounds {
    std::size_t of_address = 64;
    std::size_t of_all = 256;
  };

  explicit GuestBook(const Bounds& bounds) : self_(std::make_shared<Self>()) { self_->bounds = bounds; }

  /// The place of one connection, until it is dropped.
  class Place;
  /// Null where there is none: all others do something.
  std::shared_ptr<Place> admit(const std::string& address, const std::weak_ptr<Guest>& guest);

  std::size_t count() const noexcept { return self_->count; }

 private:
  struct Idle {
    std::string address;
    std::weak_ptr<Guest> guest;
    Place* place = nullptr;
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

class GuestBook::Place {
 public:
  Place(std::shared_ptr<Self> book, std::string address, std::weak_ptr<Guest> guest);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// Whether it waits for a request.
  void set_idle(bool is_idle);

 private:
  friend class GuestBook;
  void give_back();

  std::shared_ptr<Self> book_;
  std::string address_;
  std::weak_ptr<Guest> guest_;
  bool is_idle_ = false, is_counted_ = true;
};

}  // namespace kinloop::gateway
