// Owns StopContact: one button or safety chain at the host, opened, read without waiting, and judged.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.hpp"
#include "services/rig/stop_input_spec.hpp"

namespace kinloop::run {

/// "/dev/input/event3, KEY_ESC"
std::string name_of_input(const StopInputSpec& spec);

class StopContact {
 public:
  enum class State { kWell, kStops, kLost };

  /// Takes the descriptor, which does not block.
  StopContact(const StopInputSpec& spec, int descriptor) : spec_(spec), descriptor_(descriptor) {}
  StopContact(const StopContact&) = delete;
  StopContact& operator=(const StopContact&) = delete;
  virtual ~StopContact();

  int descriptor() const noexcept { return descriptor_; }
  /// Takes all that came. A stop that came and went in between is one, and so is what cannot be read any more. Who does
  /// not know how a contact stands that should be closed takes it for open.
  State read();

 protected:
  struct Event {
    std::optional<bool> active;  // nothing: it is about something else
    bool lost = false;           // some that came before it are missing
  };
  const StopInputSpec& spec() const noexcept { return spec_; }

 private:
  /// Whether it is pressed or active, as the device tells when it is asked; nothing: it does not tell.
  virtual std::optional<bool> ask() const = 0;
  virtual std::size_t event_size() const noexcept = 0;
  virtual Event event_of(std::span<const std::byte> bytes) const = 0;

  bool stops(bool active) const noexcept { return active == (spec_.contact == StopInputSpec::Contact::kNormallyOpen); }

  StopInputSpec spec_;
  int descriptor_;
  std::string rest_;            // of an event that came in parts
  std::optional<bool> active_;  // as far as it is known
};

/// Opens the device; an error where it is not there, is not permitted, or has no such key or line.
Result<std::unique_ptr<StopContact>> open_contact(const StopInputSpec& spec);
/// Around a descriptor from which events come that the kernel would send for such an input.
std::unique_ptr<StopContact> key_contact(const StopInputSpec& spec, int descriptor);
std::unique_ptr<StopContact> gpio_contact(const StopInputSpec& spec, int descriptor);

Result<std::unique_ptr<StopContact>> open_key(const StopInputSpec& spec);
Result<std::unique_ptr<StopContact>> open_gpio(const StopInputSpec& spec);

}  // namespace kinloop::run
