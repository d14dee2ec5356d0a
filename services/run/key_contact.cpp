// Keys of input devices, by the kernel's evdev interface.
#include <fcntl.h>
#include <linux/input.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "services/base/error_text.hpp"
#include "services/rig/evdev_keys.hpp"
#include "services/run/stop_contact.hpp"

namespace kinloop::run {
namespace {

using KeyBits = std::array<unsigned char, KEY_MAX / 8 + 1>;

bool has_bit(const KeyBits& bits, std::uint16_t key) { return (bits.at(key / 8U) >> (key % 8U) & 1U) != 0; }

class KeyContact final : public StopContact {
 public:
  using StopContact::StopContact;

 private:
  std::optional<bool> ask() const override {
    KeyBits bits{};
    if (::ioctl(descriptor(), EVIOCGKEY(sizeof(bits)), bits.data()) < 0) return std::nullopt;
    return has_bit(bits, spec().key);
  }
  std::size_t event_size() const noexcept override { return sizeof(input_event); }
  Event event_of(std::span<const std::byte> bytes) const override {
    input_event event{};
    std::memcpy(&event, bytes.data(), sizeof(event));
    if (event.type == EV_SYN && event.code == SYN_DROPPED) return {std::nullopt, true};
    if (event.type != EV_KEY || event.code != spec().key) return {};
    return {event.value != 0, false};  // 1: pressed, 2: still pressed
  }
};

}  // namespace

std::unique_ptr<StopContact> key_contact(const StopInputSpec& spec, int descriptor) {
  return std::make_unique<KeyContact>(spec, descriptor);
}

Result<std::unique_ptr<StopContact>> open_key(const StopInputSpec& spec) {
  const int descriptor = ::open(spec.device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return Error{name_of_input(spec), "cannot be opened: " + host::error_text()};
  KeyBits bits{};
  if (::ioctl(descriptor, EVIOCGBIT(EV_KEY, sizeof(bits)), bits.data()) >= 0 && !has_bit(bits, spec.key)) {
    ::close(descriptor);
    return Error{name_of_input(spec), "the device has no such key"};
  }
  return key_contact(spec, descriptor);
}

}  // namespace kinloop::run
