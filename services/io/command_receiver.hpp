// Owns CommandReceiver: the socket "actuators". Commands in; refusals, and in lockstep the frames that answer, out.
#pragma once

#include <cstdint>
#include <optional>

#include "rt/messages/frame.hpp"
#include "rt/policies/mode.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/io/lockstep_answers.hpp"
#include "services/io/rate_limit.hpp"
#include "services/io/recorder.hpp"
#include "services/io/router.hpp"
#include "services/wire/frame_codec.hpp"

namespace kinloop::io {

/// How often one sender of commands is heard, whatever it sends them by.
RateLimit command_limit(double frame_rate_hz);

/// By the main thread.
class CommandReceiver {
 public:
  /// `schema_hash` and `frame_rate_hz` as the plant describes itself. All must outlive it.
  CommandReceiver(zmq::socket_t& socket, std::uint64_t schema_hash, double frame_rate_hz, rt::Mode mode,
                  CommandArbiter& arbiter, Recorder& recorder);

  const Router& router() const noexcept { return router_; }

  enum class Taken { kNothing, kRefused, kCommand };
  /// The next message, if there is one. Without an error: no allocation of ours once it has grown.
  Taken take(std::int64_t now_ns);

  /// Lockstep: a command waits for the frame of its step.
  bool is_waiting() const noexcept { return answers_.is_waiting(); }
  /// Lockstep: sends the frame to whom it answers, if anybody; `number` counts the frames that left the plant.
  void answer(const rt::SensorFrame& frame, std::uint64_t number);

  /// Messages that were dropped here; those that the arbiter refused are counted by it.
  std::int64_t refused() const noexcept { return over_limit_ + malformed_ + forbidden_ + router_.misshapen(); }

 private:
  std::optional<v1::Error> objection(std::int64_t now_ns);

  Router router_;
  rt::Mode mode_;
  CommandArbiter& arbiter_;
  Recorder& recorder_;
  RateLimit limit_;
  wire::FrameEncoder encoder_;
  LockstepAnswers answers_;
  v1::ActuatorFrame command_;
  std::int64_t over_limit_ = 0, malformed_ = 0, forbidden_ = 0;
};

}  // namespace kinloop::io
