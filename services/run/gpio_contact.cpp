// Lines of GPIO chips, by version 2 of the kernel's character devices.
#include <fcntl.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>

#include "services/base/error_text.hpp"
#include "services/run/stop_contact.hpp"

namespace kinloop::run {
namespace {

std::uint64_t flags_of(const StopInputSpec& spec) {
  std::uint64_t flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
  if (spec.active == StopInputSpec::Active::kLow) flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  if (spec.bias == StopInputSpec::Bias::kPullUp) flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
  if (spec.bias == StopInputSpec::Bias::kPullDown) flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
  if (spec.bias == StopInputSpec::Bias::kDisabled) flags |= GPIO_V2_LINE_FLAG_BIAS_DISABLED;
  return flags;
}

class GpioContact final : public StopContact {
 public:
  using StopContact::StopContact;

 private:
  std::optional<bool> ask() const override {
    gpio_v2_line_values values{};
    values.mask = 1;
    if (::ioctl(descriptor(), GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return std::nullopt;
    return (values.bits & 1U) != 0;
  }
  std::size_t event_size() const noexcept override { return sizeof(gpio_v2_line_event); }
  Event event_of(std::span<const std::byte> bytes) const override {
    gpio_v2_line_event event{};
    std::memcpy(&event, bytes.data(), sizeof(event));
    if (event.offset != spec().line) return {};
    return {event.id == GPIO_V2_LINE_EVENT_RISING_EDGE, false};  // active levels count, whichever they are
  }
};

}  // namespace

std::unique_ptr<StopContact> gpio_contact(const StopInputSpec& spec, int descriptor) {
  return std::make_unique<GpioContact>(spec, descriptor);
}

Result<std::unique_ptr<StopContact>> open_gpio(const StopInputSpec& spec) {
  const int chip = ::open(spec.device.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (chip < 0) return Error{name_of_input(spec), "cannot be opened: " + host::error_text()};
  gpio_v2_line_request request{};
  request.num_lines = 1;
  request.offsets[0] = spec.line;
  request.config.flags = flags_of(spec);
  std::strncpy(request.consumer, "kinloop stop", sizeof(request.consumer) - 1);
  const bool is_given = ::ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) >= 0;
  const std::string why = is_given ? "" : host::error_text();
  ::close(chip);
  if (!is_given) return Error{name_of_input(spec), "the line is not given: " + why};
  ::fcntl(request.fd, F_SETFL, O_NONBLOCK);
  ::fcntl(request.fd, F_SETFD, FD_CLOEXEC);
  return gpio_contact(spec, request.fd);
}

}  // namespace kinloop::run
