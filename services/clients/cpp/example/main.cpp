// A PI controller that keeps the crank of the rig four_bar at a speed: kinloop run configs/rigs/four_bar.yaml beside
// it.
#include <kinloop/client/plant.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace std::chrono_literals;
using kinloop::client::LostLease;
using kinloop::client::Options;
using kinloop::client::Plant;

constexpr double kWanted_rad_s = 6.0;
constexpr double kGain_V_s = 0.5;        // V for 1 rad/s
constexpr double kIntegralGain_V = 2.0;  // V/s for 1 rad/s
constexpr double kFirstGuess_V = 14.4;   // what the motor's back EMF takes at that speed
constexpr double kMax_V = 48.0;

class Controller {
 public:
  double voltage(double speed_rad_s, double dt_s) {
    const double error = kWanted_rad_s - speed_rad_s;
    integral_V_ = std::clamp(integral_V_ + kIntegralGain_V * error * dt_s, -kMax_V, kMax_V);
    return std::clamp(kGain_V_s * error + integral_V_, -kMax_V, kMax_V);
  }

 private:
  double integral_V_ = kFirstGuess_V;
};

int fail(const kinloop::client::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return EXIT_FAILURE;
}

/// Ends when no frame came for a second.
int control(Plant& plant, int speed) {
  Controller controller;
  double last_s = -1.0;
  while (const auto* frame = plant.recv(1s)) {
    const double dt_s = last_s < 0.0 ? 0.0 : frame->time_s() - last_s;
    last_s = frame->time_s();
    // After a stall, or while io was restarted, the motor was made safe; this controller knows how to go on.
    const bool was_made_safe = (frame->flags() & kinloop::v1::FRAME_FLAG_STALE) != 0;
    const std::uint64_t rearm = was_made_safe ? 1 : 0;
    const auto sent = plant.send({controller.voltage(frame->value(speed), dt_s)}, rearm);
    if (!sent) std::fprintf(stderr, "%s\n", sent.error().message.c_str());
    if (frame->step() % 1000 == 0) std::printf("%.1f s: %.3f rad/s\n", frame->time_s(), frame->value(speed));
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.holder = "speed_controller";
  options.when_lease_is_lost = LostLease::kAcquireAgain;  // the plant's io process may be restarted
  auto plant = Plant::connect(argc > 1 ? argv[1] : "four_bar", options);
  if (!plant) return fail(plant.error());
  const auto speed = plant->find_sensor("crank_speed");
  if (!speed) {
    std::fprintf(stderr, "this plant has no sensor crank_speed\n");
    return EXIT_FAILURE;
  }
  if (const auto lease = plant->acquire({"motor"}); !lease) return fail(lease.error());
  return control(*plant, *speed);
}
