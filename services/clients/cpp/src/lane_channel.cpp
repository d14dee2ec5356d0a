// Copies commands into the client's memory and frames out of the plant's; nothing here is locked or waited for but by
// who asks for a frame.
#include "src/lane_channel.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime
#include <unistd.h>
#include <kinloop/client/lane_welcome.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace kinloop::client {
namespace {

constexpr std::string_view kUnixScheme = "unix://";
constexpr std::chrono::milliseconds kLongestSleep{50};  // then the connection is looked at
constexpr std::uint64_t kSuspiciousQueue = 4;           // commands that nobody took: does anybody live there?

std::int64_t lane_clock_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int connect_to_lane(const std::string& path) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  path.copy(address.sun_path, path.size());
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {  // NOLINT: as it is
    return connection;
  }
  ::close(connection);
  return -1;
}

/// The two descriptors that come with the Welcome, both this process's own; -1 where there are none.
lane::Descriptors receive_descriptors(int connection, Clock::time_point until) noexcept {
  lane::Descriptors descriptors = {-1, -1};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  pollfd wait{connection, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) != 1) return descriptors;
  lane::WelcomeMessage heard;
  const ssize_t count = ::recvmsg(connection, &heard.message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  for (cmsghdr* head = CMSG_FIRSTHDR(&heard.message); head != nullptr; head = CMSG_NXTHDR(&heard.message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    std::memcpy(descriptors.data(), CMSG_DATA(head),
                std::min(sizeof descriptors, static_cast<std::size_t>(head->cmsg_len) - CMSG_LEN(0)));
  }
  const bool is_given = count == static_cast<ssize_t>(sizeof heard.welcome) && heard.welcome.layout == lane::kLayout &&
                        heard.welcome.verdict == lane::Verdict::kGiven;
  if (is_given && descriptors[1] >= 0) return descriptors;
  for (int& descriptor : descriptors) {
    if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
  }
  return descriptors;
}

}  // namespace

std::optional<LaneChannel::Mapping> LaneChannel::map(int descriptor, std::size_t size, int protection) noexcept {
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
  struct stat file {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || ::fstat(descriptor, &file) != 0) return std::nullopt;
  if (file.st_size != static_cast<off_t>(size)) return std::nullopt;
  void* const data = ::mmap(nullptr, size, protection, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (data == MAP_FAILED) return std::nullopt;
  return Mapping{data, size};
}

std::unique_ptr<LaneChannel> LaneChannel::open(const std::string& address, const Terms& terms,
                                               Clock::time_point until) {
  const auto sensors = static_cast<std::size_t>(terms.shape.sensors);
  if (!address.starts_with(kUnixScheme) || sensors > lane::kMaxSensors) return nullptr;
  const int connection = connect_to_lane(address.substr(kUnixScheme.size()));
  if (connection < 0) return nullptr;
  const lane::Hello hello{lane::kLayout, terms.shape.schema_hash, terms.lease};
  std::optional<Mapping> commands;
  std::optional<Mapping> frames;
  if (::send(connection, &hello, sizeof hello, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello)) {
    const lane::Descriptors files = receive_descriptors(connection, until);
    if (files[0] >= 0) commands = map(files[0], sizeof(lane::CommandMemory), PROT_READ | PROT_WRITE);
    if (files[1] >= 0) frames = map(files[1], lane::frame_memory_size(sensors), PROT_READ);
    for (const int descriptor : files) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  if (commands && frames) {
    std::unique_ptr<LaneChannel> opened(new LaneChannel(connection, *commands, *frames, terms.shape));
    const lane::FrameMemory& memory = opened->of_plant();
    const bool is_ours = memory.layout == lane::kLayout && memory.schema_hash == terms.shape.schema_hash &&
                         memory.lease == terms.lease && memory.sensors == sensors;
    return is_ours ? std::move(opened) : nullptr;
  }
  for (const auto& mapping : {commands, frames}) {
    if (mapping) ::munmap(mapping->data, mapping->size);
  }
  ::close(connection);
  return nullptr;
}

LaneChannel::LaneChannel(int connection, Mapping commands, Mapping frames, const FrameShape& shape) noexcept
    : connection_(connection), commands_(commands), frames_(frames), shape_(shape) {}

LaneChannel::~LaneChannel() {
  ::munmap(commands_.data, commands_.size);
  ::munmap(frames_.data, frames_.size);
  ::close(connection_);
}

/// Nobody sends anything there: whatever can be read is its end.
bool LaneChannel::is_connected() const noexcept {
  char byte = 0;
  return ::recv(connection_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && (errno == EAGAIN || errno == EINTR);
}

bool LaneChannel::is_over() noexcept {
  is_over_ = is_over_ || of_plant().is_over.load(std::memory_order_acquire) != 0 || !is_connected();
  return is_over_;
}

bool LaneChannel::send(std::uint64_t sequence, std::span<const double> values, std::uint64_t rearm) noexcept {
  if (is_over_ || values.size() > lane::kMaxValues) return false;
  const std::uint64_t waiting = tail_ - of_plant().head.load(std::memory_order_acquire);  // those before it were read
  if (waiting >= kSuspiciousQueue && is_over()) return false;
  if (waiting >= lane::kCommandSlots) return false;
  command_.sequence = sequence;
  command_.sent_ns = static_cast<std::uint64_t>(lane_clock_ns());
  command_.rearm = rearm;
  command_.count = values.size();
  std::copy(values.begin(), values.end(), command_.value.begin());
  lane::write_command(own(), tail_, command_);
  // Sequentially consistent, as is the pair of io: either that sees the command, or this that it sleeps.
  own().tail.store(++tail_, std::memory_order_seq_cst);
  if (of_plant().is_over.load(std::memory_order_acquire) != 0) is_over_ = true;  // all answers are there then
  if (!is_over_ && of_plant().sleeps.load(std::memory_order_seq_cst) != 0) {
    const char byte = 0;
    const ssize_t sent = ::send(connection_, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    is_over_ = sent < 0 && errno != EAGAIN && errno != EINTR;  // no room: bytes enough wait to wake it
  }
  return !is_over_ || has_taken_all();
}

void LaneChannel::wait(std::uint32_t seen, Clock::time_point until) noexcept {
  const auto left = std::min<Clock::duration>(until - Clock::now(), kLongestSleep);
  if (left <= Clock::duration::zero()) return;
  const auto left_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  const timespec timeout{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
  std::atomic<std::uint32_t>& signals = of_plant().signals;
  own().sleeps.store(1, std::memory_order_seq_cst);  // before the look: whoever counts after it sees the mark
  if (signals.load(std::memory_order_seq_cst) == seen) {
    ::syscall(SYS_futex, &signals, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  own().sleeps.store(0, std::memory_order_relaxed);
}

void LaneChannel::copy_frame(const lane::Slot& slot, std::size_t first, v1::SensorFrame& frame) const {
  namespace word = lane::frame_word;
  const auto sensors = static_cast<std::size_t>(shape_.sensors);
  frame.set_schema_hash(shape_.schema_hash);
  frame.set_sequence(slot.word(first + word::kSequence));
  frame.set_step(slot.word(first + word::kStep));
  frame.set_time_s(slot.number(first + word::kTime));
  frame.set_due_ns(static_cast<std::int64_t>(slot.word(first + word::kDue)));
  frame.set_start_ns(static_cast<std::int64_t>(slot.word(first + word::kStart)));
  frame.set_command_sequence(slot.word(first + word::kCommandSequence));
  frame.set_command_age_ticks(slot.word(first + word::kCommandAge));
  frame.set_state_hash(slot.word(first + word::kStateHash));
  frame.set_flags(static_cast<std::uint32_t>(slot.word(first + word::kFlags)));
  frame.set_level(static_cast<std::uint32_t>(slot.word(first + word::kLevel)));
  const std::size_t values = first + word::kHead;
  frame.mutable_value()->Resize(shape_.sensors, 0.0);
  for (std::size_t i = 0; i < sensors; ++i) frame.set_value(static_cast<int>(i), slot.number(values + i));
  std::array<std::uint64_t, lane::kMaxSensors / sizeof(std::uint64_t)> qualities{};
  for (std::size_t i = 0; i < (sensors + 7) / 8; ++i) qualities.at(i) = slot.word(values + sensors + i);
  frame.mutable_quality()->assign(reinterpret_cast<const char*>(qualities.data()), sensors);  // NOLINT: bytes
}

bool LaneChannel::copy_answer(std::uint64_t n, Counters& counters) {
  namespace word = lane::answer_word;
  const lane::Slot slot = lane::answer_slot(of_plant(), static_cast<std::size_t>(shape_.sensors), n);
  if (!slot.holds(n)) return false;
  answer_.sequence = slot.word(word::kSequence);
  const std::uint64_t code = slot.word(word::kErrorCode);
  answer_.has_error = code != 0;
  answer_.has_frame = code == 0;
  if (answer_.has_frame) {
    copy_frame(slot, word::kFrame, answer_.frame);
  } else {
    std::array<std::uint64_t, word::kTextWords> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = slot.word(word::kText + i);
    words.back() = 0;
    const auto* const text = reinterpret_cast<const char*>(words.data());  // NOLINT: bytes
    const std::string_view message(text);
    answer_.error.set_code(v1::ErrorCode_IsValid(static_cast<int>(code)) ? static_cast<v1::ErrorCode>(code)
                                                                         : v1::ERROR_CODE_INTERNAL);
    answer_.error.set_message(std::string(message));
    const bool has_field = message.size() + 1 < sizeof words;
    answer_.error.set_field(has_field ? std::string(text + message.size() + 1) : std::string());
  }
  if (!slot.holds(n)) return false;
  if (answer_.has_error) ++counters.frames_refused;
  return true;
}

const FrameAnswer* LaneChannel::newest_answer(Counters& counters) {
  const std::uint64_t count = of_plant().answers.load(std::memory_order_acquire);  // those before it are in their slots
  if (count == next_answer_) return nullptr;
  if (count - next_answer_ > lane::kAnswerSlots) next_answer_ = count - lane::kAnswerSlots;  // the others are gone
  const FrameAnswer* newest = nullptr;
  for (; next_answer_ != count; ++next_answer_) newest = copy_answer(next_answer_, counters) ? &answer_ : newest;
  return newest;
}

FrameAnswer* LaneChannel::await(std::uint64_t sequence, Clock::time_point until, Counters& counters) {
  while (true) {
    const std::uint32_t seen = of_plant().signals.load(std::memory_order_acquire);
    const std::uint64_t count = of_plant().answers.load(std::memory_order_acquire);  // those before it are there
    if (count - next_answer_ > lane::kAnswerSlots) next_answer_ = count - lane::kAnswerSlots;
    while (next_answer_ != count) {
      if (copy_answer(next_answer_++, counters) && answer_.sequence == sequence) return &answer_;
    }
    if (Clock::now() >= until) return nullptr;
    const auto before = Clock::now();
    wait(seen, until);
    if (Clock::now() - before >= kLongestSleep && is_over()) return nullptr;
    if (of_plant().is_over.load(std::memory_order_acquire) != 0 &&
        of_plant().answers.load(std::memory_order_acquire) == next_answer_) {
      is_over_ = true;
      return nullptr;
    }
  }
}

void LaneChannel::set_every(std::uint64_t every) noexcept {
  every_ = std::max<std::uint64_t>(every, 1);
  own().every.store(static_cast<std::uint32_t>(every_), std::memory_order_relaxed);  // of no effect on anything else
  last_sequence_ = 0;
}

void LaneChannel::subscribe() noexcept {
  if (std::exchange(is_subscribed_, true)) return;
  next_frame_ = of_plant().frames.load(std::memory_order_acquire);
}

/// Counts what is passed over.
bool LaneChannel::take_frame(Which which, Counters& counters) {
  const std::uint64_t count = of_plant().frames.load(std::memory_order_acquire);  // those before it are in their slots
  // Half of them stay away from those that are being written over.
  constexpr std::uint64_t kMaxBehind = lane::kFrameSlots / 2;
  if (count - next_frame_ > lane::kFrameSlots) next_frame_ = count - kMaxBehind;
  if (which == Which::kNewest && every_ == 1 && count - next_frame_ > 1) {
    counters.frames_received += count - next_frame_ - 1;
    last_sequence_ += last_sequence_ == 0 ? 0 : count - next_frame_ - 1;
    next_frame_ = count - 1;
  }
  bool has_frame = false;
  while (next_frame_ != count) {
    const std::uint64_t n = next_frame_++;
    const lane::Slot slot = lane::frame_slot(of_plant(), static_cast<std::size_t>(shape_.sensors), n);
    if (!slot.holds(n)) continue;
    const std::uint64_t sequence = slot.word(lane::frame_word::kSequence);
    if (every_ != 1 && sequence % every_ != 0) continue;
    copy_frame(slot, 0, frame_);
    if (!slot.holds(n)) continue;
    ++counters.frames_received;
    if (last_sequence_ != 0 && sequence > last_sequence_ + every_) {
      counters.frames_lost += (sequence - last_sequence_) / every_ - 1;
    }
    last_sequence_ = sequence;
    has_frame = true;
    if (which == Which::kNext) break;
  }
  return has_frame;
}

const v1::SensorFrame* LaneChannel::receive(Clock::time_point until, Which which, Counters& counters) {
  subscribe();
  while (true) {
    const std::uint32_t seen = of_plant().signals.load(std::memory_order_acquire);
    if (take_frame(which, counters)) return &frame_;
    const auto before = Clock::now();
    if (before >= until || is_over_) return nullptr;
    wait(seen, until);
    if (of_plant().is_over.load(std::memory_order_acquire) != 0) is_over_ = true;
    if (Clock::now() - before >= kLongestSleep && is_over()) return nullptr;
  }
}

}  // namespace kinloop::client
