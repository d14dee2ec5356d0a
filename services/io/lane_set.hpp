// Owns LaneSet: the lanes of all clients of this host, and the socket at which they are given: to processes of this
// user alone, one for each lease.
//
// io has this seat, and not the supervisor: leases, rates, records and frames are here, so that a command of a lane
// passes what all others pass; and what a client holds of io's memory is of no worth to anybody once io is gone.
#pragma once

#include <poll.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rt/messages/frame.hpp"
#include "rt/policies/mode.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/io/lane.hpp"
#include "services/io/lockstep_answers.hpp"
#include "services/io/rate_limit.hpp"
#include "services/io/recorder.hpp"

namespace kinloop::v1 {
class Description;
}

namespace kinloop::io {

class LaneSet {
 public:
  static constexpr std::size_t kMaxLanes = 32;
  static constexpr std::size_t kMaxStrangers = 16;  // who has not said yet what it wants

  /// Something that happened to a lane, and to whose.
  using Tell = std::function<void(std::string_view kind, const std::string& text)>;
  struct Parts {
    const v1::Description& description;
    rt::Mode mode;
    CommandArbiter& arbiter;
    Recorder& recorder;
    Tell tell;
  };

  /// Listens in this folder; without a socket, and without lanes, where that cannot be. All must outlive it.
  LaneSet(const std::filesystem::path& folder, Parts parts);
  ~LaneSet();
  LaneSet(const LaneSet&) = delete;
  LaneSet& operator=(const LaneSet&) = delete;

  /// Where clients ask for a lane; empty: nowhere.
  const std::string& address() const noexcept { return address_; }

  // By the main thread.

  /// Before it sleeps: adds what it waits for to `waits`. True where a command came already.
  bool begin_sleep(std::vector<pollfd>& waits);
  /// After that: strangers are heard, and who left is noticed. `waits` as begin_sleep() left it.
  void end_sleep(std::span<const pollfd> waits, std::int64_t now_ns);
  /// Hands on the commands that are there, a bounded number; `after_command` follows each that passed.
  void take_commands(std::int64_t now_ns, const std::function<void()>& after_command);
  /// Ends the lanes of leases that are over. Now and then.
  void end_overdue(std::int64_t now_ns);
  /// Lockstep: a command waits for the frame of its step.
  bool is_waiting() const noexcept { return answers_.is_waiting(); }
  std::size_t count() const noexcept { return lanes_.size(); }
  /// Commands that were dropped here; those that the arbiter refused are counted by it.
  std::int64_t refused() const noexcept { return over_limit_ + damaged_ + turned_away_; }

  /// By the thread of the frames; in lockstep, where a frame answers a command, by the main thread.
  void publish(const rt::SensorFrame& frame, std::uint64_t number);

 private:
  struct Stranger {
    int connection = -1;
    std::int64_t until_ns = 0;
    std::size_t said = 0;
    client::lane::Hello hello;
  };
  struct Member {
    std::unique_ptr<Lane> lane;
    std::string holder;  // of the lease
    int damaged = 0;
    bool is_left = false;  // its client is gone; what it had commanded counts
    std::string over{};    // why; empty: it goes on
  };

  void accept_some(std::int64_t now_ns);
  bool listen_to(Stranger& stranger, std::int64_t now_ns);
  client::lane::Verdict admit(const Stranger& stranger, std::int64_t now_ns);
  client::lane::Verdict judge(const client::lane::Hello& hello, std::int64_t now_ns);
  void take_commands_of(Member& member, std::int64_t now_ns, const std::function<void()>& after_command);
  void hand_on(Member& member, std::int64_t now_ns, const std::function<void()>& after_command);
  void remove_ended();

  Parts parts_;
  std::string address_;
  std::filesystem::path path_;
  int listener_ = -1;
  std::vector<Stranger> strangers_;
  std::mutex mutex_;  // who adds or removes lanes, and who is not the main thread
  std::vector<Member> lanes_;
  std::size_t polled_ = 0;  // lanes, at the last begin_sleep()
  RateLimit limit_;
  LockstepAnswers answers_;
  client::lane::Command command_;
  v1::ActuatorFrame frame_;
  std::int64_t over_limit_ = 0, damaged_ = 0, turned_away_ = 0;
};

}  // namespace kinloop::io
