// Who may have a lane; then its commands pass what those of the sockets pass.
#include "services/io/lane_set.hpp"

#include <kinloop/v1/describe.pb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "services/io/command_receiver.hpp"
#include "services/net/stop_socket.hpp"

namespace kinloop::io {
namespace {

namespace lane = client::lane;

constexpr int kMaxAcceptedAtOnce = 8;
constexpr std::int64_t kStrangerTime_ns = 1'000'000'000;  // to say what it wants
constexpr int kMaxDamaged = 64;  // commands of one lane, after which it is taken away: no client of ours has one

bool is_own_user(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

void turn_away(int connection, lane::Verdict verdict) {
  lane::Welcome welcome;
  welcome.verdict = verdict;
  (void)::send(connection, &welcome, sizeof welcome, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

LaneSet::LaneSet(const std::filesystem::path& folder, Parts parts)
    : parts_(std::move(parts)), limit_(command_limit(parts_.description.frame_rate_hz())) {
  if (folder.empty() || parts_.description.actuators_size() > static_cast<int>(lane::kMaxValues)) return;
  path_ = folder / lane::kEndpoint;
  std::error_code was_none;
  std::filesystem::remove(path_, was_none);  // of an io before this one
  listener_ = net::listen_unix(path_);
  if (listener_ >= 0) address_ = "unix://" + path_.string();
}

LaneSet::~LaneSet() {
  for (const Member& member : lanes_) member.lane->end();
  for (const Stranger& stranger : strangers_) ::close(stranger.connection);
  if (listener_ < 0) return;
  ::close(listener_);
  std::error_code is_gone;
  std::filesystem::remove(path_, is_gone);
}

bool LaneSet::begin_sleep(std::vector<pollfd>& waits) {
  polled_ = lanes_.size();
  if (listener_ < 0) return false;
  waits.push_back({listener_, POLLIN, 0});
  for (const Stranger& stranger : strangers_) waits.push_back({stranger.connection, POLLIN, 0});
  bool has_command = false;
  for (const Member& member : lanes_) {
    waits.push_back({member.lane->connection(), POLLIN, 0});
    member.lane->begin_sleep();
    has_command = member.lane->has_command() || has_command;
  }
  return has_command;
}

void LaneSet::end_sleep(std::span<const pollfd> waits, std::int64_t now_ns) {
  if (listener_ < 0 || waits.size() != 1 + strangers_.size() + polled_) return;
  const auto of_lanes = waits.last(polled_);
  for (std::size_t i = 0; i < polled_; ++i) {
    lanes_[i].lane->end_sleep();
    if (of_lanes[i].revents != 0) lanes_[i].is_left = !lanes_[i].lane->is_alive();
  }
  for (std::size_t i = strangers_.size(); i-- > 0;) {
    const bool goes_on = strangers_[i].until_ns > now_ns && listen_to(strangers_[i], now_ns);
    if (!goes_on) strangers_.erase(strangers_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (waits.front().revents != 0) accept_some(now_ns);
}

void LaneSet::accept_some(std::int64_t now_ns) {
  for (int i = 0; i < kMaxAcceptedAtOnce; ++i) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    if (!is_own_user(connection) || strangers_.size() >= kMaxStrangers) {
      ++turned_away_;
      ::close(connection);
      continue;
    }
    Stranger stranger;
    stranger.connection = connection;
    stranger.until_ns = now_ns + kStrangerTime_ns;
    if (listen_to(stranger, now_ns)) strangers_.push_back(stranger);
  }
}

/// Whether it has to say more; else its connection is a lane's, or closed.
bool LaneSet::listen_to(Stranger& stranger, std::int64_t now_ns) {
  char* const at = reinterpret_cast<char*>(&stranger.hello) + stranger.said;  // NOLINT: bytes
  const ssize_t count = ::recv(stranger.connection, at, sizeof stranger.hello - stranger.said, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count > 0) stranger.said += static_cast<std::size_t>(count);
  if (count > 0 && stranger.said < sizeof stranger.hello) return true;
  if (count > 0) {
    const lane::Verdict verdict = admit(stranger, now_ns);
    if (verdict == lane::Verdict::kGiven) return false;
    turn_away(stranger.connection, verdict);
  }
  ++turned_away_;
  ::close(stranger.connection);
  return false;
}

lane::Verdict LaneSet::admit(const Stranger& stranger, std::int64_t now_ns) {
  const lane::Verdict verdict = judge(stranger.hello, now_ns);
  if (verdict != lane::Verdict::kGiven) return verdict;
  const LaneTerms terms = {parts_.description.schema_hash(), stranger.hello.lease,
                           static_cast<std::size_t>(parts_.description.sensors_size())};
  Member member;
  auto opened = Lane::open(stranger.connection, terms);
  if (!opened) return lane::Verdict::kNoMemory;
  member.lane = std::move(opened).value();
  for (const Lease& lease : parts_.arbiter.leases()) {
    if (lease.id == terms.lease) member.holder = lease.holder;
  }
  parts_.tell("lane_opened", member.holder);
  const std::lock_guard guard(mutex_);
  lanes_.push_back(std::move(member));
  return verdict;
}

lane::Verdict LaneSet::judge(const lane::Hello& hello, std::int64_t now_ns) {
  if (hello.layout != lane::kLayout) return lane::Verdict::kOtherLayout;
  if (hello.schema_hash != parts_.description.schema_hash() || !parts_.arbiter.is_held(hello.lease, now_ns)) {
    return lane::Verdict::kNoLease;
  }
  const bool has_lane = std::any_of(lanes_.begin(), lanes_.end(),
                                    [&](const Member& member) { return member.lane->lease() == hello.lease; });
  return has_lane || lanes_.size() >= kMaxLanes ? lane::Verdict::kTaken : lane::Verdict::kGiven;
}

void LaneSet::take_commands(std::int64_t now_ns, const std::function<void()>& after_command) {
  bool has_ended = false;
  for (Member& member : lanes_) {
    take_commands_of(member, now_ns, after_command);
    if (member.is_left && member.over.empty()) member.over = "its client is gone";
    has_ended = has_ended || !member.over.empty();
  }
  if (has_ended) remove_ended();
}

void LaneSet::take_commands_of(Member& member, std::int64_t now_ns, const std::function<void()>& after_command) {
  for (std::size_t i = 0; i < lane::kCommandSlots && member.over.empty(); ++i) {
    switch (member.lane->take(command_)) {
      case Lane::Taken::kNothing:
        return;
      case Lane::Taken::kDamaged:
        ++damaged_;
        if (++member.damaged >= kMaxDamaged) member.over = "what it holds are no commands";
        break;
      case Lane::Taken::kCommand:
        if (limit_.judge(member.lane->name(), sizeof(lane::CommandSlot), now_ns) != RateLimit::Verdict::kHeard) {
          ++over_limit_;
        } else {
          hand_on(member, now_ns, after_command);
        }
    }
  }
}

/// As CommandReceiver does with a message of a socket.
void LaneSet::hand_on(Member& member, std::int64_t now_ns, const std::function<void()>& after_command) {
  frame_.set_schema_hash(parts_.description.schema_hash());
  frame_.set_lease(member.lane->lease());
  frame_.set_sequence(command_.sequence);
  frame_.set_sent_ns(static_cast<std::int64_t>(command_.sent_ns));
  frame_.set_rearm(command_.rearm);
  frame_.mutable_value()->Resize(static_cast<int>(command_.count), 0.0);
  std::copy_n(command_.value.begin(), command_.count, frame_.mutable_value()->begin());
  if (const auto error = parts_.arbiter.take(frame_, now_ns)) {
    member.lane->refuse(command_.sequence, *error);
    if (error->code() == v1::ERROR_CODE_NO_LEASE) member.over = "its lease is over";
    return;
  }
  parts_.recorder.add_command(frame_, now_ns);
  if (parts_.mode == rt::Mode::kLockstep) {
    answers_.expect(parts_.arbiter.releases(), command_.sequence, member.lane->name(), false);
  }
  after_command();
}

void LaneSet::end_overdue(std::int64_t now_ns) {
  bool has_ended = false;
  for (Member& member : lanes_) {
    if (parts_.arbiter.is_held(member.lane->lease(), now_ns)) continue;
    member.over = "its lease is over";
    has_ended = true;
  }
  if (has_ended) remove_ended();
}

void LaneSet::remove_ended() {
  const auto first_over = [this] {
    return std::find_if(lanes_.begin(), lanes_.end(), [](const Member& member) { return !member.over.empty(); });
  };
  for (auto found = first_over(); found != lanes_.end(); found = first_over()) {
    Member ended = std::move(*found);
    {
      const std::lock_guard guard(mutex_);
      lanes_.erase(found);
    }
    ended.lane->end();
    parts_.tell("lane_closed", (ended.holder.empty() ? "somebody" : ended.holder) + ": " + ended.over);
  }
}

void LaneSet::publish(const rt::SensorFrame& frame, std::uint64_t number) {
  const bool is_lockstep = parts_.mode == rt::Mode::kLockstep;
  const LockstepAnswers::Waiting* const answered = is_lockstep ? answers_.take(frame.release) : nullptr;
  const std::lock_guard guard(mutex_);
  for (const Member& member : lanes_) {
    if (answered != nullptr && member.lane->name() == answered->sender) {
      member.lane->publish_answer(frame, number, answered->sequence);
    } else {
      member.lane->publish(frame, number);
    }
  }
}

}  // namespace kinloop::io
