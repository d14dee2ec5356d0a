// Loads the rig with new parameters, warms the plant up, offers it to the loop, frees the old one.
#include "services/run/plant_builder.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "core/base/field_path.hpp"
#include "core/base/stepping_mode.hpp"
#include "rt/loop/thread_setup.hpp"
#include "rt/loop/warm_up.hpp"
#include "rt/timing/clock.hpp"
#include "services/io/build_note.hpp"
#include "services/io/live_parameters.hpp"

namespace kinloop::run {
namespace {

constexpr std::int64_t kIdleWait_ns = 50'000'000;

}  // namespace

PlantBuilder::PlantBuilder(std::filesystem::path rig_file, int plant_core, rt::PlantMemory& memory,
                           rt::PlantExchange& exchange)
    : rig_file_(std::move(rig_file)), plant_core_(plant_core), memory_(memory), exchange_(exchange), thread_([this] {
        run();
      }) {}

PlantBuilder::~PlantBuilder() {
  stops_.store(true, std::memory_order_relaxed);
  thread_.join();  // it looks often enough
}

void PlantBuilder::run() {
  ::pthread_setname_np(::pthread_self(), "builder");  // for ps and top
  rt::stay_off_core(plant_core_);
  rt::MonotonicClock clock;
  while (!stops_.load(std::memory_order_relaxed)) {
    memory_.builder_beat.show(clock.now_ns());
    const std::uint32_t seen = memory_.to_builder.seen();
    rt::BuildRequest request;
    if (memory_.builds.pop(request)) {
      build(request);
    } else {
      memory_.to_builder.wait(seen, kIdleWait_ns);
    }
  }
  memory_.builder_beat.end();
}

void PlantBuilder::build(const rt::BuildRequest& request) {
  auto made = make(request);
  if (!made) return refuse(request.id, made.error().what);
  tell_of(*made.value()->plant);
  if (exchange_for(std::move(made).value())) memory_.parameters.write(request);
}

Result<std::unique_ptr<PlantBuilder::Built>> PlantBuilder::make(const rt::BuildRequest& request) const {
  const auto end = std::find(request.text.begin(), request.text.end(), '\0');
  const std::string_view text(request.text.data(), static_cast<std::size_t>(end - request.text.begin()));
  auto rig = load_rig(rig_file_, io::from_lines(text));
  if (!rig) return Error{"", rig.error().front().where + ": " + rig.error().front().what};
  auto built = std::make_unique<Built>(std::move(rig).value());
  auto plant = Plant::make(built->rig.model.model, built->rig.spec.plant);
  if (!plant) return Error{"", plant.error().where + ": " + plant.error().what};
  built->plant = std::move(plant).value();
  const SteppingMode floating_point;  // as in a replay
  built->first = std::make_unique<State>(built->plant->initial_state());
  if (built->first->block().size() != static_cast<Eigen::Index>(memory_.state_size())) {
    return Error{"", "with these the plant has another number of coordinates: it must be restarted"};
  }
  rt::warm_up(*built->plant, *built->first);
  built->offer = {built->plant.get(), built->first.get(), request.id, request.number, request.state};
  return built;
}

/// Until the loop has taken it, or ends. False where the loop goes on with the plant that it has.
bool PlantBuilder::exchange_for(std::unique_ptr<Built> next) {
  exchange_.offer(next->offer);  // a loop that waits for commands looks for it once a period at least
  const Plant* unused = nullptr;
  while ((unused = exchange_.collect()) == nullptr) {
    if (stops_.load(std::memory_order_relaxed) && exchange_.withdraw()) return false;
    memory_.builder_beat.show(rt::MonotonicClock().now_ns());  // a paused loop may let it wait
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  if (unused == next->plant.get()) return false;
  current_ = std::move(next);  // the one before is taken apart here
  return true;
}

/// Before the plant is in force: what will cause trouble, and what `auto` takes, of each level.
void PlantBuilder::tell_of(const Plant& plant) {
  std::string warnings;
  for (const Error& warning : plant.warnings()) {
    warnings += (warnings.empty() ? "" : "; ") + warning.where + ": " + warning.what;
  }
  if (!warnings.empty()) refuse(io::kBuildWarning, "other parameters: " + warnings);
  std::string choices;  // in one remark: there is little room
  for (std::size_t i = 0; i < plant.spec().levels.size(); ++i) {
    const IntegratorChoice& choice = plant.integrator(static_cast<int>(i));
    if (choice.reason.empty()) continue;
    choices += (choices.empty() ? "" : "; ") + (i == 0 ? "" : item_path("degraded_solvers", i - 1) + ": ") +
               "auto takes " + choice.name + ": " + choice.reason;
  }
  if (!choices.empty()) refuse(io::kBuildRemark, choices);
}

void PlantBuilder::refuse(std::uint64_t id, const std::string& why) {
  rt::BuildRefusal refusal;
  refusal.id = id;
  std::copy_n(why.begin(), std::min(why.size(), refusal.text.size() - 1), refusal.text.begin());
  memory_.build_refusals.push(refusal);
  memory_.to_client.notify();
}

}  // namespace kinloop::run
