// Connecting, and what the plant is.
#include <unistd.h>
#include <kinloop/client/discovery.hpp>
#include <kinloop/client/plant.hpp>

#include <cerrno>

#include "src/plant_parts.hpp"

namespace kinloop::client {
namespace {

std::string default_holder() { return std::string(program_invocation_short_name) + "-" + std::to_string(getpid()); }

}  // namespace

Plant::Plant(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}
Plant::Plant(Plant&&) noexcept = default;
Plant& Plant::operator=(Plant&&) noexcept = default;
Plant::~Plant() = default;

Result<Plant> Plant::connect(const std::string& plant, Options options) {
  Result<Keys> keys = checked_keys(std::move(options.keys));
  if (!keys) return keys.error();
  options.keys = std::move(*keys);
  if (options.runtime_folder.empty()) options.runtime_folder = default_runtime_folder();
  if (options.holder.empty()) options.holder = default_holder();
  const Result<std::string> address = find_control_address(plant, options.runtime_folder);
  if (!address) return address.error();

  auto context = std::make_unique<Context>(options.context);
  Result<ControlChannel> control = ControlChannel::open(*context, *address, options);
  if (!control) return control.error();
  Plant connected(std::make_unique<Parts>(std::move(context), std::move(*control), std::move(options)));
  if (const Result<Effect> described = connected.describe(); !described) return described.error();
  connected.parts_->stop_channel();  // so that a connection stands when it is needed
  return connected;
}

const v1::Description& Plant::description() const noexcept { return parts_->description; }
const Lease& Plant::lease() const noexcept { return parts_->lease; }
bool Plant::uses_shared_memory() const noexcept {
  if (lease().id != 0) return parts_->lane != nullptr && !parts_->lane->has_ended();
  return !parts_->lane_address().empty();
}
const Counters& Plant::counters() const noexcept { return parts_->counters; }

Result<Effect> Plant::describe() {
  v1::ControlRequest asked;
  asked.mutable_describe();
  Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  if (!reply->has_description()) return Error{ErrorKind::kBadReply, "the plant does not say what it is"};
  parts_->description = std::move(*reply->mutable_description());
  if (parts_->actuators) parts_->actuators->set_shape(parts_->shape());
  if (parts_->sensors) parts_->sensors->set_shape(parts_->shape());
  return Effect{reply->step(), reply->repeated_answer()};
}

std::optional<int> Plant::find_actuator(std::string_view name) const noexcept {
  for (int i = 0; i < description().actuators_size(); ++i) {
    if (description().actuators(i).name() == name) return i;
  }
  return std::nullopt;
}

std::optional<int> Plant::find_sensor(std::string_view name) const noexcept {
  for (int i = 0; i < description().sensors_size(); ++i) {
    if (description().sensors(i).name() == name) return i;
  }
  return std::nullopt;
}

}  // namespace kinloop::client
