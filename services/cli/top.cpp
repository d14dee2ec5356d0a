// Listens to the plant, draws four times a second, answers keys.
#include "services/cli/top.hpp"

#include <kinloop/client/plant.hpp>

#include <CLI/CLI.hpp>
#include <ostream>

#include "services/cli/ctl_session.hpp"
#include "services/cli/top_screen.hpp"
#include "services/cli/top_view.hpp"
#include "services/console/exit_code.hpp"

namespace kinloop::cli {
namespace {

using Clock = std::chrono::steady_clock;
using client::Plant;
using std::chrono::milliseconds;

constexpr milliseconds kRedraw{250};
constexpr milliseconds kLook{50};
constexpr milliseconds kFirstFrame{500};
constexpr milliseconds kPatience{300};  // of a question in between, while the picture stands still
constexpr double kFrameRate_hz = 20.0;
constexpr std::size_t kMaxEvents = 200;
constexpr int kAllRows = 10000;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// What top knows, kept up to date.
class Observer {
 public:
  explicit Observer(Plant& plant) : plant_(plant) { view_.description = plant.description(); }

  const TopView& view() const noexcept { return view_; }

  /// Asks for what is told only now and then.
  std::optional<client::Error> ask() {
    v1::ControlRequest status;
    status.mutable_status();
    v1::ControlRequest timing;
    timing.mutable_timing();
    const auto now = plant_.request(status, patience_);
    if (!now) return now.error();
    take(now->status());
    const auto times = plant_.request(timing, patience_);
    if (!times) return times.error();
    view_.timing = times->timing();
    patience_ = kPatience;
    return std::nullopt;
  }

  void listen() {
    while (const auto told = plant_.recv_event(milliseconds(0))) {
      if (const auto* status = std::get_if<v1::Status>(&*told)) take(*status);
      if (const auto* timing = std::get_if<v1::Timing>(&*told)) view_.timing = *timing;
      if (const auto* event = std::get_if<v1::Event>(&*told)) view_.events.push_back(*event);
      heard_ = Clock::now();
    }
    while (view_.events.size() > kMaxEvents) view_.events.pop_front();
    take_frame(milliseconds(0));
    view_.silent_s = seconds_between(heard_, Clock::now());
    const bool asks = view_.silent_s > 1.0 && seconds_between(asked_, Clock::now()) > 1.0;
    if (!asks) return;
    asked_ = Clock::now();
    (void)ask();  // silence is what the head shows
  }

  void take_frame(milliseconds timeout) {
    if (const v1::SensorFrame* frame = plant_.recv(timeout)) view_.frame = *frame;
  }

  void pause_or_resume() {
    const bool is_paused = view_.status.state() == v1::PLANT_STATE_PAUSED;
    const auto effect = is_paused ? plant_.resume() : plant_.pause();
    const std::string step = effect ? " at step " + std::to_string(effect->step) : "";
    view_.message = effect ? (is_paused ? "goes on" : "paused") + step : effect.error().message;
    if (effect) (void)ask();
  }

 private:
  void take(const v1::Status& status) {
    const Clock::time_point now = Clock::now();
    heard_ = now;
    view_.status = status;
    constexpr double kLeastSpan_s = 0.5;
    const double span_s = seconds_between(counted_at_, now);
    if (counted_step_ && span_s < kLeastSpan_s) return;
    if (counted_step_ && status.step() >= *counted_step_) {
      view_.steps_per_s = static_cast<double>(status.step() - *counted_step_) / span_s;
    }
    counted_step_ = status.step();
    counted_at_ = now;
  }

  Plant& plant_;
  TopView view_;
  milliseconds patience_{0};  // the first question has that of the options
  Clock::time_point heard_ = Clock::now();
  Clock::time_point asked_ = Clock::now();
  Clock::time_point counted_at_ = Clock::now();
  std::optional<std::uint64_t> counted_step_;
};

int watch_on_screen(Observer& observer, const std::function<bool()>& stops, const console::Console& console) {
  Screen screen(console.out);
  const Colours colours = console.out_colours ? Colours::kOn : Colours::kOff;
  Clock::time_point due = Clock::now();
  while (!stops()) {
    observer.listen();
    if (Clock::now() >= due) {
      screen.draw(render_top(observer.view(), Screen::size(), colours));
      due = Clock::now() + kRedraw;
    }
    const std::optional<char> key = Screen::wait_for_key(kLook);
    if (key == 'q' || key == 'Q') break;
    if (key == 'p' || key == 'P') observer.pause_or_resume();
  }
  return console::kDone;
}

int run_top(const CtlOptions& options, const console::Console& console) {
  return with_plant(options, console, [&](Plant& plant, const std::function<bool()>& stops) -> int {
    Observer observer(plant);
    if (const auto error = observer.ask()) return fail(options, *error, console);
    (void)plant.subscribe(kFrameRate_hz);  // refused, it would see all frames: only a matter of load
    (void)plant.recv_event(milliseconds(0));
    if (Screen::is_possible()) return watch_on_screen(observer, stops, console);
    observer.take_frame(kFirstFrame);
    observer.listen();
    console.out << render_top(observer.view(), {80, kAllRows}, Colours::kOff);
    return console::kDone;
  });
}

}  // namespace

void add_top(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("top", "a running plant at a glance: timing, signals, leases, faults, events");
  auto options = std::make_shared<CtlOptions>();
  verb->add_option("PLANT", options->plant,
                   "a rig's name, <rig>-<pid>, or the address of a control socket (default: the only one here)");
  add_connection_options(*verb, *options);
  verb->footer(
      "keys: q quit, p pause or resume. Where the output is no terminal, one picture is printed.\n"
      "\n"
      "examples:\n"
      "  kinloop top\n"
      "  kinloop top four_bar\n"
      "  kinloop top tcp://rig7:5600 | head -3");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_top(*options, console); }; });
}

}  // namespace kinloop::cli
