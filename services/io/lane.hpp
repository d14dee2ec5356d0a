// Owns Lane: the two memory files of one client of this host, io's side. What the client writes is not believed.
#pragma once

#include <kinloop/client/lane.hpp>

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.hpp"
#include "rt/ipc/shared_memory.hpp"
#include "rt/messages/frame.hpp"

namespace kinloop::v1 {
class Error;
}

namespace kinloop::io {

struct LaneTerms {
  std::uint64_t schema_hash = 0;
  std::uint64_t lease = 0;
  std::size_t sensors = 0;
};

class Lane {
 public:
  /// `connection` does not block and is the lane's from then on, but for an error. The client is sent both files.
  static Result<std::unique_ptr<Lane>> open(int connection, const LaneTerms& terms);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  std::uint64_t lease() const noexcept { return own().lease; }
  int connection() const noexcept { return connection_; }
  /// Among all lanes of this process, ever.
  const std::string& name() const noexcept { return name_; }

  // By the main thread.

  enum class Taken { kNothing, kDamaged, kCommand };
  /// The next command, a copy.
  Taken take(client::lane::Command& command) noexcept;
  bool has_command() const noexcept;
  /// From now on the client wakes io when it commands; has_command() tells of what came before.
  void begin_sleep() noexcept { own().sleeps.store(1, std::memory_order_seq_cst); }
  void end_sleep() noexcept { own().sleeps.store(0, std::memory_order_relaxed); }
  /// Takes the bytes that woke io; false where the client is gone.
  bool is_alive() noexcept;
  /// The client is told that nothing more is taken from here.
  void end() noexcept;

  void refuse(std::uint64_t sequence, const v1::Error& error) noexcept;

  // By the thread of the frames, which in lockstep is the main one. `number` counts the frames that left the plant.

  void publish(const rt::SensorFrame& frame, std::uint64_t number) noexcept;
  /// The same, where it answers a command as well; the client is woken once.
  void publish_answer(const rt::SensorFrame& frame, std::uint64_t number, std::uint64_t answered) noexcept;

 private:
  Lane(int connection, rt::SharedMemory commands, rt::SharedMemory frames);

  /// Mapped for reading alone.
  client::lane::CommandMemory& of_client() const noexcept {
    return *static_cast<client::lane::CommandMemory*>(commands_.data());
  }
  client::lane::FrameMemory& own() const noexcept { return *static_cast<client::lane::FrameMemory*>(frames_.data()); }
  void add(const rt::SensorFrame& frame, std::uint64_t number) noexcept;
  void put(const rt::SensorFrame& frame, std::uint64_t number, std::size_t first, client::lane::Slot slot) noexcept;
  void signal(bool wakes) noexcept;

  int connection_;
  std::string name_;
  rt::SharedMemory commands_, frames_;
  std::size_t sensors_;
  std::uint64_t head_ = 0, frame_count_ = 0, answer_count_ = 0;  // as in the memory, which is read by nobody here
};

}  // namespace kinloop::io
