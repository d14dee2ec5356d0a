// Owns the small types around Plant: how to connect, what to wait for, what comes back.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/client/keys.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace kinloop::client {

/// When a frame is answered "no lease": the lease ran out, or the io process came back and knows of none.
enum class LostLease {
  kTell,          // send() and step() say so
  kAcquireAgain,  // they acquire the same actuators again, and go on
};

/// What frames travel by, both ways, while there is a lease.
enum class Transport {
  kAutomatic,  // memory that is shared with the plant where that is on this host, has a lane and is this user's
  kSockets
};

struct Options {
  /// For an answer, asking again included.
  std::chrono::milliseconds timeout{5000};
  /// A request without an answer is sent again after so long, with the same number.
  std::chrono::milliseconds ask_again_after{1000};
  /// For what takes long: steps, a model that is rebuilt, what is computed beside the plant.
  std::chrono::milliseconds job_timeout{60000};
  Keys keys;
  /// Empty: default_runtime_folder().
  std::filesystem::path runtime_folder;
  /// For people, who see it beside the lease; empty: "<program>-<pid>".
  std::string holder;
  LostLease when_lease_is_lost = LostLease::kTell;
  Transport transport = Transport::kAutomatic;
  /// Frames that wait for recv(); beyond it new ones are lost, and seen as gaps of SensorFrame.sequence.
  int max_waiting_frames = 1000;
  /// Of ZeroMQ (zmq_ctx_new), for inproc addresses of a plant in this process: the plant's own. It must outlive the
  /// client. nullptr: the client makes one.
  void* context = nullptr;
  /// Looked at ten times a second while a request waits for its answer: true ends the wait, and cancels the request.
  std::function<bool()> gives_up;
};

/// Which of the frames that wait.
enum class Which {
  kNewest,  // older ones are passed over: for controllers
  kNext,    // each in its turn: for those who keep all
};

struct Lease {
  std::uint64_t id = 0;  // 0: none
  std::vector<std::string> actuators;
  double time_s = 0.0;
};

/// Since the connection was made.
struct Counters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_refused = 0;   // by the plant
  std::uint64_t frames_unsent = 0;    // there was no connection, or no room
  std::uint64_t frames_received = 0;  // handed out or passed over
  std::uint64_t frames_lost = 0;      // gaps between frames that were received at full rate
  std::uint64_t bad_messages = 0;     // no message of the schema
  std::uint64_t foreign_frames = 0;   // of another schema hash: describe() again
  std::uint64_t leases_lost = 0;
};

/// What a plant tells unasked.
using Event = std::variant<v1::Event, v1::Status, v1::Timing>;

struct FaultEffect {
  std::uint64_t step = 0;
  std::uint64_t until_step = 0;  // the first without it; 0: until it is cleared
};

/// A force (N) and a moment (Nm) on a body, in world axes, at a point in the body's frame (m). A time of 0: one step.
struct Push {
  std::string body;
  std::array<double, 3> force{};
  std::array<double, 3> moment{};
  std::array<double, 3> point{};
  double time_s = 0.0;
};

struct Trigger {
  std::string sensor;
  v1::Condition condition = v1::CONDITION_RISES;
  double level = 0.0;
  std::uint32_t steps_before = 0;
  std::uint32_t steps_after = 0;
  double patience_s = 60.0;
};

}  // namespace kinloop::client
