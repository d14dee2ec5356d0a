// Feeds any bytes to the path of commands: decoder, arbiter, mailbox or queue, policy. No value beyond the limits and
// none that is not finite may come out of it.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/require.hpp"
#include "rt/policies/command_policy.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/wire/frame_codec.hpp"
#include "tests/support/private_memory.hpp"

namespace {

using namespace kinloop;

constexpr std::uint64_t kSchema = 77;
constexpr std::size_t kActuators = 3;
constexpr double kLimit = 10.0;

std::vector<rt::CommandSettings> settings() {
  rt::CommandSettings one;
  one.lower = -kLimit;
  one.upper = kLimit;
  one.max_age_ticks = 5;
  return std::vector<rt::CommandSettings>(kActuators, one);
}

/// One arbiter with two leases, and the policy on the other side.
struct Way {
  explicit Way(rt::Mode mode) : mode(mode), arbiter(kSchema, kActuators, mode, *memory) {
    constexpr std::array<std::size_t, 2> kOfOne = {2, 0};
    constexpr std::array<std::size_t, 1> kOfTwo = {1};
    leases = {arbiter.acquire(kOfOne, "one", 1.0, 0)->id, arbiter.acquire(kOfTwo, "two", 1.0, 0)->id};
  }

  void tick() {
    std::array<double, kActuators> values{};
    const rt::Command* fresh = nullptr;
    rt::Command released;
    if (mode == rt::Mode::kLockstep) {
      if (memory->releases.pop(released)) fresh = &released;
    } else if (const auto taken = memory->command.take(); taken.is_new) {
      fresh = taken.value;
    }
    policy.resolve(fresh, values);
    for (const double value : values) require(std::abs(value) <= kLimit, "what is in force keeps the limits");
  }

  rt::Mode mode;
  std::unique_ptr<rt::PrivateMemory> memory = std::make_unique<rt::PrivateMemory>();
  io::CommandArbiter arbiter;
  rt::CommandPolicy policy{settings()};
  std::array<std::uint64_t, 2> leases{};
};

}  // namespace

/// The first byte chooses: the mode, and which fields are made true so that the rest is looked at.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Way by_clock(rt::Mode::kRealTime);
  static Way in_lockstep(rt::Mode::kLockstep);
  static std::uint64_t sequence = 0;
  if (size == 0) return 0;
  const unsigned choice = data[0];
  Way& way = (choice & 1U) != 0 ? by_clock : in_lockstep;
  v1::ActuatorFrame frame;
  const bool is_frame = wire::decode({reinterpret_cast<const char*>(data + 1), size - 1}, frame);
  if (is_frame) {
    if ((choice & 2U) == 0) frame.set_schema_hash(kSchema);
    if ((choice & 4U) == 0) frame.set_lease(way.leases[(choice >> 3U) & 1U]);
    if ((choice & 16U) == 0) frame.set_sequence(++sequence);
    const io::ArbiterCounters before = way.arbiter.counters();
    const bool is_refused = way.arbiter.take(frame, 0).has_value();
    const io::ArbiterCounters after = way.arbiter.counters();
    require(after.taken + after.refused() == before.taken + before.refused() + 1, "every frame is counted once");
    require(is_refused == (after.refused() > before.refused()), "a refusal is said and counted");
    if (frame.sequence() > sequence && !is_refused) {  // nothing counts up from the largest number
      way.arbiter.release(frame.lease());
      way.~Way();
      new (&way) Way(&way == &by_clock ? rt::Mode::kRealTime : rt::Mode::kLockstep);
    }
  }
  if ((choice & 32U) != 0) way.tick();
  return 0;
}
