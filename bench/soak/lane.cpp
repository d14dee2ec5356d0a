// The loop of every run, fed by a source that draws its commands.
#include "bench/soak/lane.hpp"

#include <cmath>

#include "core/base/require.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/math/counter_noise.hpp"
#include "rt/loop/loop.hpp"
#include "rt/messages/state_hash.hpp"
#include "rt/timing/clock.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::bench {
namespace {

constexpr std::uint64_t kSendEvery = 5;      // steps
constexpr std::uint64_t kHold = 400;         // steps with one command
constexpr std::uint64_t kSilentOf = 8;       // one of so many commands is silence, which makes actuators safe
constexpr std::uint64_t kLookEvery = 1'000;  // for numbers
constexpr double kWithoutLimits = 10.0;

std::unique_ptr<Plant> made(const LoadedRig& rig) {
  auto plant = Plant::make(rig.model.model, rig.spec.plant);
  require(plant.has_value(), "the rig's plant can be made");
  return std::move(plant).value();
}

}  // namespace

/// Commands by the number of the step alone, judged by the rig's own policies.
class Lane::Drawn final : public rt::InputSource {
 public:
  Drawn(Lane& lane, std::uint64_t seed) : lane_(lane), seed_(seed), policy_(lane.rig_.spec.commands) {
    command_.count = static_cast<std::uint32_t>(policy_.states().size());
    command_.epoch = 1;
  }

  bool next(const rt::Command* /*released_by*/, int level, StepInput& input) noexcept override {
    const std::uint64_t step = lane_.steps_.load(std::memory_order_relaxed);
    if (step % kLookEvery == 0) look(step);
    const Philox bits = noise_bits({seed_, 0, 1}, step / kHold);
    const bool sends = step % kSendEvery == 0 && bits[3] % kSilentOf != 0;
    if (sends) draw(step / kHold);
    policy_.resolve(sends ? &command_ : nullptr, std::span(input.command).first(command_.count));
    input.level = level;
    input.frozen = policy_.freezes() ? 1 : 0;
    input.count = command_.count;
    input.stopped = policy_.stopped();
    lane_.made_safe_ = static_cast<std::uint64_t>(policy_.counters().made_safe);
    lane_.steps_.store(step + 1, std::memory_order_relaxed);
    return true;
  }

 private:
  void draw(std::uint64_t number) noexcept {
    ++command_.sequence;
    command_.rearm = ~std::uint64_t{0};
    for (std::size_t i = 0; i < command_.count; ++i) {
      const rt::CommandSettings& settings = lane_.rig_.spec.commands[i];
      const double lower = std::isfinite(settings.lower) ? settings.lower : -kWithoutLimits;
      const double upper = std::isfinite(settings.upper) ? settings.upper : kWithoutLimits;
      const Philox bits = noise_bits({seed_, static_cast<std::uint32_t>(i), 2}, number);
      command_.give(i, lower + (upper - lower) * (bits[0] / 4294967296.0));
    }
  }
  void look(std::uint64_t step) noexcept {
    lane_.is_finite_ = lane_.is_finite_ && lane_.state_.block().allFinite();
    if (step % kCheckpointSteps != 0) return;
    const std::lock_guard hold(lane_.lock_);
    lane_.hashes_.push_back(rt::state_hash(lane_.state_));
  }

  Lane& lane_;
  std::uint64_t seed_;
  rt::CommandPolicy policy_;
  rt::Command command_;
};

Lane::Lane(const LoadedRig& rig, std::uint64_t seed, std::uint64_t steps)
    : rig_(rig), plant_(made(rig)), state_(plant_->initial_state()) {
  hashes_.reserve(steps / kCheckpointSteps + 2);
  rt::LoopSettings settings = run::loop_settings(rig.spec, {});
  settings.mode = rt::Mode::kFree;
  settings.max_steps = steps;
  settings.journal = rt::Journal::kNone;
  settings.life_timeout_ns = 0;
  thread_ = std::thread([this, seed, settings] {
    const SteppingMode floating_point;
    Drawn input(*this, seed);
    rt::MonotonicClock clock;
    rt::Loop loop(settings, *plant_, state_, input, clock, *memory_);
    end_ = loop.run();
    is_finite_ = is_finite_ && state_.block().allFinite();
  });
}

Lane::~Lane() {
  end();
  join();
}

std::vector<std::uint64_t> Lane::hashes() const {
  const std::lock_guard hold(lock_);
  return hashes_;
}

std::string Lane::trouble() const {
  if (!is_finite_) return "the state holds what is no number";
  if (end_ == rt::LoopEnd::kFault) return "a step failed";
  const double tolerance = rig_.spec.plant.levels.front().loops.tolerance;
  if (plant_->loops(0).largest_error > tolerance) return "loops came open further than their tolerance";
  return {};
}

}  // namespace kinloop::bench
