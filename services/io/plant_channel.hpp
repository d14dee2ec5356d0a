// Owns PlantChannel: requests to the plant through shared memory, matched to their replies.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rt/loop/plant_memory.hpp"
#include "services/io/build_note.hpp"
#include "services/io/rearm_guard.hpp"

namespace kinloop::io {

/// A state that a rebuilt plant is to begin with.
struct BroughtState {
  std::uint64_t number = 0;       // what the journal calls it
  std::uint64_t id = 0;           // of the request, as for PlantChannel::ask()
  std::function<void()> prepare;  // fills the buffer
};

class PlantChannel {
 public:
  /// What became of a request; nullptr: there was no answer in time.
  using Answer = std::function<void(const rt::Reply*)>;
  /// The same for parameters; the text says what is wrong with them.
  using BuildAnswer = std::function<void(const rt::Reply*, const std::string& refusal)>;
  using Prepare = std::function<void()>;

  static constexpr double kPatience_s = 5.0;
  static constexpr std::size_t kMaxWaiting = 1024;

  explicit PlantChannel(rt::PlantMemory& memory)
      : memory_(memory), last_id_(std::uint64_t{memory.epoch.load(std::memory_order_relaxed)} << 40U) {}

  /// Too many wait: no more of those that can be refused are to come.
  bool is_full() const noexcept { return waiting_.size() >= kMaxWaiting; }
  /// An id of 0 is replaced. What makes safe or ends goes before all that waits. `prepare` is called right before the
  /// request leaves: it may fill the buffer for states; who asks for a state finds it in the buffer while its answer is
  /// called, not later. A stop is answered once its receipt is in the plant's memory: stop_tick() tells from there.
  void ask(rt::Request request, std::int64_t now_ns, Answer answer, double patience_s = kPatience_s,
           Prepare prepare = {});
  /// False where the text is too long. Without a state the plant goes on from where it is.
  bool build(const std::string& text, std::uint64_t number, std::int64_t now_ns, BuildAnswer answer,
             BroughtState state = {});

  bool is_waiting() const noexcept {
    return !waiting_.empty() || !asked_.empty() || !latching_.empty() || !waiting_builds_.empty() || !builds_.empty();
  }
  /// What was said about plants that are about to come into force, since the last call.
  std::vector<BuildNote> take_notes() { return std::exchange(notes_, {}); }
  /// The iteration of the plant's loop that latched the last stop of ours.
  std::uint64_t stop_tick() const noexcept;
  RearmGuard& rearms() noexcept { return rearms_; }
  /// Calls the answers that came or are overdue. Often.
  void poll(std::int64_t now_ns);

 private:
  struct Pending {
    rt::Request request;
    Answer answer;
    Prepare prepare;
    std::int64_t until_ns = 0;
    std::int64_t full_until_ns = 0;  // it is asked again where there was no room
    std::uint64_t stop_count = 0;    // of a stop: what its receipt will have at least
  };
  struct PendingBuild {
    rt::BuildRequest request;
    BuildAnswer answer;
    Prepare prepare;
    std::int64_t until_ns = 0;
  };

  static bool uses_buffer(const rt::Request& request) noexcept;
  bool buffer_is_used() const noexcept;
  void send_waiting();
  void send_builds();
  void take_replies(std::int64_t now_ns);
  bool is_latched(std::uint64_t stop_count) const noexcept;
  void answer_latched(std::int64_t now_ns);
  void take_refusals();
  void give_up(std::int64_t now_ns);

  rt::PlantMemory& memory_;
  RearmGuard rearms_{memory_.stops};
  std::uint64_t last_id_;                                // late answers to an earlier io are not taken for ours
  std::deque<Pending> waiting_;                          // for room, or for the buffer
  std::map<std::uint64_t, Pending> asked_;               // by id
  std::vector<std::pair<Pending, rt::Reply>> latching_;  // stops that are done and whose receipt is being written
  std::deque<PendingBuild> waiting_builds_;              // for the buffer
  std::map<std::uint64_t, PendingBuild> builds_;
  std::vector<BuildNote> notes_;
};

}  // namespace kinloop::io
