// Every word of the client is loaded once, and every index is taken within its bounds.
#include "services/io/lane.hpp"

#include <kinloop/v1/error.pb.h>
#include <sys/socket.h>
#include <unistd.h>
#include <kinloop/client/lane_welcome.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "rt/platform/platform.hpp"

namespace kinloop::io {
namespace {

namespace lane = client::lane;

/// With the first bytes of the connection.
bool send_descriptors(int connection, const lane::Descriptors& descriptors) {
  lane::WelcomeMessage said;
  said.welcome.verdict = lane::Verdict::kGiven;
  cmsghdr* const head = CMSG_FIRSTHDR(&said.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(head), descriptors.data(), sizeof descriptors);
  const ssize_t count = ::sendmsg(connection, &said.message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return count == static_cast<ssize_t>(sizeof said.welcome);
}

std::string next_lane_name() {
  static std::atomic<std::uint64_t> count{0};
  return "lane-" + std::to_string(count.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

Lane::Lane(int connection, rt::SharedMemory commands, rt::SharedMemory frames)
    : connection_(connection),
      name_(next_lane_name()),
      commands_(std::move(commands)),
      frames_(std::move(frames)),
      sensors_(own().sensors) {}

Lane::~Lane() { ::close(connection_); }

Result<std::unique_ptr<Lane>> Lane::open(int connection, const LaneTerms& terms) {
  auto commands = rt::SharedMemory::create("kinloop-lane-commands", sizeof(lane::CommandMemory));
  if (!commands) return commands.error();
  auto frames = rt::SharedMemory::create("kinloop-lane-frames", lane::frame_memory_size(terms.sensors));
  if (!frames) return frames.error();
  rt::construct_in<lane::CommandMemory>(*commands);
  commands->give_up_writing();
  lane::FrameMemory& own = rt::construct_in<lane::FrameMemory>(*frames);
  own.schema_hash = terms.schema_hash;
  own.lease = terms.lease;
  own.sensors = static_cast<std::uint32_t>(terms.sensors);
  const int for_client = frames->reading_descriptor();
  const bool sent = for_client >= 0 && frames->forbid_new_writers() &&
                    send_descriptors(connection, {commands->descriptor(), for_client});
  if (for_client >= 0) ::close(for_client);
  if (!sent) return Error{"lane", "its memory cannot be handed over"};
  return std::unique_ptr<Lane>(new Lane(connection, std::move(commands).value(), std::move(frames).value()));
}

Lane::Taken Lane::take(lane::Command& command) noexcept {
  const std::uint64_t tail = of_client().tail.load(std::memory_order_acquire);  // commands before it are in their slots
  if (tail == head_) return Taken::kNothing;
  Taken taken = Taken::kDamaged;
  if (tail - head_ > lane::kCommandSlots) {  // no client of ours can have left this: start over from where it stands
    head_ = tail;
  } else {
    if (lane::read_command(of_client(), head_, command)) taken = Taken::kCommand;
    ++head_;
  }
  own().head.store(head_, std::memory_order_release);  // the slot was read before the client may fill it again
  return taken;
}

bool Lane::has_command() const noexcept { return of_client().tail.load(std::memory_order_seq_cst) != head_; }

bool Lane::is_alive() noexcept {
  constexpr int kMaxReads = 16;
  std::array<char, 256> bytes{};
  for (int i = 0; i < kMaxReads; ++i) {
    const ssize_t count = ::recv(connection_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (static_cast<std::size_t>(count) < bytes.size()) return true;  // its end is told by the next look
  }
  return true;
}

void Lane::end() noexcept {
  own().is_over.store(1, std::memory_order_release);  // who sees it sees the answers to all that was taken
  signal(true);
}

void Lane::refuse(std::uint64_t sequence, const v1::Error& error) noexcept {
  lane::Slot slot = lane::answer_slot(own(), sensors_, answer_count_);
  std::array<std::uint64_t, lane::answer_word::kTextWords> words{};
  constexpr std::size_t kTextBytes = sizeof words;
  constexpr std::size_t kMaxField = 64;
  auto* const text = reinterpret_cast<char*>(words.data());  // NOLINT: bytes
  const std::string_view field = std::string_view(error.field()).substr(0, kMaxField);
  const std::string_view what = std::string_view(error.message()).substr(0, kTextBytes - kMaxField - 2);
  std::copy(what.begin(), what.end(), text);
  std::copy(field.begin(), field.end(), text + what.size() + 1);
  slot.begin(answer_count_);
  slot.put(lane::answer_word::kSequence, sequence);
  slot.put(lane::answer_word::kErrorCode, static_cast<std::uint64_t>(error.code()));
  for (std::size_t i = 0; i < words.size(); ++i) slot.put(lane::answer_word::kText + i, words[i]);
  slot.end(answer_count_);
  own().answers.store(++answer_count_, std::memory_order_release);  // the answer is in its slot
  signal(true);
}

void Lane::publish_answer(const rt::SensorFrame& frame, std::uint64_t number, std::uint64_t answered) noexcept {
  add(frame, number);
  lane::Slot slot = lane::answer_slot(own(), sensors_, answer_count_);
  slot.begin(answer_count_);
  slot.put(lane::answer_word::kSequence, answered);
  slot.put(lane::answer_word::kErrorCode, std::uint64_t{0});
  put(frame, number, lane::answer_word::kFrame, slot);
  slot.end(answer_count_);
  own().answers.store(++answer_count_, std::memory_order_release);  // the answer is in its slot
  signal(true);
}

void Lane::publish(const rt::SensorFrame& frame, std::uint64_t number) noexcept {
  add(frame, number);
  const std::uint32_t every = of_client().every.load(std::memory_order_relaxed);
  signal(every <= 1 || number % every == 0);
}

void Lane::add(const rt::SensorFrame& frame, std::uint64_t number) noexcept {
  lane::Slot slot = lane::frame_slot(own(), sensors_, frame_count_);
  slot.begin(frame_count_);
  put(frame, number, 0, slot);
  slot.end(frame_count_);
  own().frames.store(++frame_count_, std::memory_order_release);  // the frame is in its slot
}

void Lane::put(const rt::SensorFrame& frame, std::uint64_t number, std::size_t first, lane::Slot slot) noexcept {
  namespace word = lane::frame_word;
  const auto as_word = [](auto value) noexcept { return static_cast<std::uint64_t>(value); };
  slot.put(first + word::kSequence, number);
  slot.put(first + word::kStep, frame.step);
  slot.put(first + word::kTime, frame.time_s);
  slot.put(first + word::kDue, as_word(frame.due_ns));
  slot.put(first + word::kStart, as_word(frame.start_ns));
  slot.put(first + word::kCommandSequence, frame.command_sequence);
  slot.put(first + word::kCommandAge, as_word(frame.command_age_ticks));
  slot.put(first + word::kStateHash, frame.state_hash);
  slot.put(first + word::kFlags, as_word(frame.flags));
  slot.put(first + word::kLevel, as_word(frame.level));
  const std::size_t values = first + word::kHead;
  for (std::size_t i = 0; i < sensors_; ++i) slot.put(values + i, frame.value[i]);
  for (std::size_t i = 0; i < sensors_; i += sizeof(std::uint64_t)) {
    std::uint64_t qualities = 0;
    std::memcpy(&qualities, &frame.quality[i], std::min(sizeof qualities, sensors_ - i));
    slot.put(values + sensors_ + i / sizeof qualities, qualities);
  }
}

/// After the write that it tells of. Sequentially consistent, as is the sleeper's pair: either it sees the new count,
/// or this sees that it sleeps.
void Lane::signal(bool wakes) noexcept {
  own().signals.fetch_add(1, std::memory_order_seq_cst);
  if (wakes && of_client().sleeps.load(std::memory_order_seq_cst) != 0) rt::platform::wake(own().signals);
}

}  // namespace kinloop::io
