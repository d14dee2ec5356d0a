// What keys and lines have in common: events of a fixed size, and a state that can be asked for.
#include "services/run/stop_contact.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "services/rig/evdev_keys.hpp"

namespace kinloop::run {

std::string name_of_input(const StopInputSpec& spec) {
  const bool is_key = spec.kind == StopInputSpec::Kind::kKey;
  return spec.device + ", " + (is_key ? evdev_key_name(spec.key) : "line " + std::to_string(spec.line));
}

StopContact::~StopContact() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

StopContact::State StopContact::read() {
  constexpr int kMaxReads = 64;  // a device that never ends is read again soon
  bool came = false;
  for (int i = 0; i < kMaxReads; ++i) {
    std::array<char, 2048> bytes{};
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count == 0) return State::kLost;
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) break;
      return State::kLost;
    }
    rest_.append(bytes.data(), static_cast<std::size_t>(count));
    while (rest_.size() >= event_size()) {
      const Event event = event_of(std::as_bytes(std::span(rest_)).first(event_size()));
      rest_.erase(0, event_size());
      if (event.active) active_ = event.active;
      came = came || event.lost || (event.active && stops(*event.active));
    }
  }
  if (const std::optional<bool> asked = ask()) active_ = asked;
  const bool is_known = active_.has_value();
  const bool must_be_known = spec_.contact == StopInputSpec::Contact::kNormallyClosed;
  const bool stops_now = is_known ? stops(*active_) : must_be_known;
  return came || stops_now ? State::kStops : State::kWell;
}

Result<std::unique_ptr<StopContact>> open_contact(const StopInputSpec& spec) {
  return spec.kind == StopInputSpec::Kind::kKey ? open_key(spec) : open_gpio(spec);
}

}  // namespace kinloop::run
