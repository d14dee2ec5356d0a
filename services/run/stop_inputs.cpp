// Waits for events, and looks at every contact now and then all the same: an edge that got lost is found by its level.
#include "services/run/stop_inputs.hpp"

#include <poll.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "rt/timing/clock.hpp"

namespace kinloop::run {
namespace {

using State = StopContact::State;

// At least: a device that never falls silent must not have a processor for itself, since this thread goes before
// others.
constexpr std::chrono::microseconds kBetweenLooks{500};
constexpr int kQuiet_ms = 20;     // between looks while all is well
constexpr int kStopping_ms = 2;   // while a contact is open: so long a re-arming lasts at most
constexpr int kRoundsAway = 100;  // between attempts to open a device again

}  // namespace

Result<std::unique_ptr<StopInputs>> StopInputs::open(const std::vector<StopInputSpec>& specs,
                                                     const rt::ThreadWishes& wishes, rt::PlantMemory& memory,
                                                     log::Logger log) {
  std::vector<Input> inputs;
  for (const StopInputSpec& spec : specs) {
    auto contact = open_contact(spec);
    if (!contact) return contact.error();
    inputs.push_back({spec, std::move(contact).value()});
  }
  std::unique_ptr<StopInputs> made(new StopInputs(std::move(inputs), memory, log));
  for (Input& input : made->inputs_) made->look_at(input);  // what is open is a stop before the first step
  made->thread_ = std::thread([self = made.get(), wishes] { self->serve(wishes); });
  return made;
}

StopInputs::StopInputs(std::vector<Input> inputs, rt::PlantMemory& memory, log::Logger log)
    : inputs_(std::move(inputs)), memory_(memory), log_(log) {}

StopInputs::~StopInputs() {
  ends_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void StopInputs::serve(const rt::ThreadWishes& wishes) {
  ::pthread_setname_np(::pthread_self(), "stop-inputs");  // for ps and top
  const rt::ThreadSetup setup(wishes);                    // as far as the host permits
  while (!ends_.load(std::memory_order_relaxed)) {
    beat_.show(rt::MonotonicClock().now_ns());
    wait();
    for (Input& input : inputs_) look_at(input);
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

WatchedThread StopInputs::thread() const {
  return {"the thread that reads stop inputs", &beat_, kStopDeadline_ns, WatchedThread::Process::kOwn,
          [this] { rt::ask_stop(memory_.stops, rt::StopWriter::kSupervisor, memory_.heartbeat.iterations); }};
}

void StopInputs::wait() const {
  std::vector<pollfd> polled;
  bool is_quiet = true;
  for (const Input& input : inputs_) {
    is_quiet = is_quiet && input.state == State::kWell;
    if (input.contact) polled.push_back({input.contact->descriptor(), POLLIN, 0});
  }
  // A device that hangs up would be ready without end: it is lost by then.
  (void)::poll(polled.data(), polled.size(), is_quiet ? kQuiet_ms : kStopping_ms);
}

void StopInputs::look_at(Input& input) {
  if (!input.contact) find_again(input);
  const State state = input.contact ? input.contact->read() : State::kLost;
  // Again and again while it lasts: who re-arms a plant whose button is pressed has re-armed nothing.
  if (state != State::kWell) {
    rt::ask_stop(memory_.stops, rt::StopWriter::kLocal, memory_.heartbeat.iterations);
  }
  if (state == State::kLost && input.contact) {
    input.contact.reset();
    input.rounds_away = 0;
  }
  if (state != input.state) {
    const std::string name = name_of_input(input.spec);
    if (state == State::kStops) log_.warning("emergency stop, by " + name);
    if (state == State::kLost) log_.error("emergency stop, since " + name + " cannot be read any more");
    if (state == State::kWell) log_.info(name + " is well again; the plant can be re-armed");
  }
  input.state = state;
}

void StopInputs::find_again(Input& input) {
  if (++input.rounds_away % kRoundsAway != 0) return;
  auto contact = open_contact(input.spec);
  if (contact) input.contact = std::move(contact).value();
}

}  // namespace kinloop::run
