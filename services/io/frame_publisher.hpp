// Owns the socket "sensors": every frame once for each rate that somebody listens at.
#pragma once

#include <kinloop/v1/frames.pb.h>

#include <set>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "rt/messages/pose_sample.hpp"
#include "services/wire/frame_codec.hpp"
#include "services/wire/frame_topic.hpp"

namespace kinloop::io {

class FramePublisher {
 public:
  /// The rates at which different subscribers can listen at the same time.
  static constexpr std::size_t kMaxTopics = 1024;
  static constexpr std::uint32_t kMaxEvery = 1'000'000;

  /// `socket` is an XPUB, and this thread's alone.
  FramePublisher(zmq::socket_t& socket, std::uint64_t schema_hash) : socket_(socket), encoder_(schema_hash) {}

  /// Who came and who went. Often.
  void take_subscriptions();
  /// Without allocation of ours; a subscriber that is too slow loses frames, nobody waits for it.
  void publish(const rt::SensorFrame& frame);
  /// Topic "motion", where somebody listens to it; likewise.
  void publish(const rt::PoseSample& motion);
  bool is_motion_wanted() const noexcept { return motion_wanted_; }
  /// The last one: to everybody, whatever their rate.
  void publish_to_all(const rt::SensorFrame& frame);

 private:
  struct Topic {
    std::uint32_t every = 1;
    std::string name;
  };
  void send(std::string_view topic, wire::Bytes bytes);
  void follow(std::string_view subscription, bool is_wanted);
  void add_topic(std::uint32_t every);
  void remove_topic(std::uint32_t every);

  zmq::socket_t& socket_;
  wire::FrameEncoder encoder_;
  std::vector<Topic> topics_;
  std::set<std::string, std::less<>> beginnings_;  // of topics that somebody asked for: all frames
  std::uint64_t count_ = 0;
  bool motion_wanted_ = false;
  v1::Motion motion_;
  std::vector<char> buffer_;
};

}  // namespace kinloop::io
