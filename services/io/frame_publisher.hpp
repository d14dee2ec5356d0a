// Owns the socket "sensors": every frame once for each rate that somebody listens at.
#pragma once

#include <kinloop/v1/frames.pb.h>

#include <string>
#include <vector>
#include <zmq.hpp>

#include "rt/messages/pose_sample.hpp"
#include "services/net/connection.hpp"
#include "services/security/roles.hpp"
#include "services/wire/frame_codec.hpp"
#include "services/wire/frame_topic.hpp"

namespace kinloop::io {

class FramePublisher {
 public:
  /// What one connection, and all together, can have asked for; the last are for those who command.
  static constexpr std::size_t kMaxOfOne = 16;
  static constexpr std::size_t kMaxSubscriptions = 1024;
  static constexpr std::size_t kReserved = 256;
  static constexpr std::uint32_t kMaxEvery = 1'000'000;

  /// `socket` is an XPUB, and this thread's alone.
  FramePublisher(zmq::socket_t& socket, std::uint64_t schema_hash) : socket_(socket), encoder_(schema_hash) {
    socket_.set(zmq::sockopt::xpub_manual, 1);
  }

  /// Who came and who went. Often.
  void take_subscriptions();
  /// Without allocation of ours; a subscriber that is too slow loses frames, nobody waits for it.
  void publish(const rt::SensorFrame& frame);
  /// Topic "motion", where somebody listens to it; likewise.
  void publish(const rt::PoseSample& motion);
  bool is_motion_wanted() const noexcept { return motion_wanted_; }
  std::size_t topic_count() const noexcept { return topics_.size(); }
  /// The last one: to everybody, whatever their rate.
  void publish_to_all(const rt::SensorFrame& frame);

 private:
  struct Topic {
    std::uint32_t every = 1;
    std::string name;
  };
  void send(std::string_view topic, wire::Bytes bytes);
  struct Subscription {
    std::string text;
    net::Connection of;
    security::Role role = security::Role::kObserver;
  };
  static bool is_same(const Subscription& a, const Subscription& b) { return a.of == b.of && a.text == b.text; }
  static bool is_always_taken(std::string_view text);
  void add(Subscription subscription);
  void remove(const Subscription& subscription);
  bool forget_departed();
  bool has_room(const Subscription& wanted) const;
  void list_topics();

  zmq::socket_t& socket_;
  wire::FrameEncoder encoder_;
  std::vector<Subscription> subscriptions_;
  std::vector<Topic> topics_;
  std::uint64_t count_ = 0;
  bool motion_wanted_ = false;
  v1::Motion motion_;
  std::vector<char> buffer_;
};

}  // namespace kinloop::io
