// Owns Dimension: what kind of physical quantity a number is.
#pragma once

#include <string>

namespace kinloop {

/// Exponents of metre, kilogram, second and ampere, and a name for messages. Angles are pure numbers (rad = 1), so a
/// torque and an energy have equal dimensions; only the exponents are compared.
class Dimension {
 public:
  static constexpr int kMaxExponent = 12;

  /// Fits every quantity; for fields whose meaning depends on others.
  static constexpr Dimension any() {
    Dimension dimension(0, 0, 0, "any quantity");
    dimension.any_ = true;
    return dimension;
  }
  static constexpr Dimension none() { return {0, 0, 0, "a number without a unit"}; }
  static constexpr Dimension angle() { return {0, 0, 0, "an angle"}; }
  static constexpr Dimension length() { return {1, 0, 0, "a length"}; }
  static constexpr Dimension per_length() { return {-1, 0, 0, "a ratio per length"}; }
  static constexpr Dimension area() { return {2, 0, 0, "an area"}; }
  static constexpr Dimension volume() { return {3, 0, 0, "a volume"}; }
  static constexpr Dimension time() { return {0, 0, 1, "a time"}; }
  static constexpr Dimension frequency() { return {0, 0, -1, "a frequency"}; }
  static constexpr Dimension speed() { return {1, 0, -1, "a speed"}; }
  static constexpr Dimension acceleration() { return {1, 0, -2, "an acceleration"}; }
  static constexpr Dimension angular_speed() { return {0, 0, -1, "an angular speed"}; }
  static constexpr Dimension angular_acceleration() { return {0, 0, -2, "an angular acceleration"}; }
  static constexpr Dimension mass() { return {0, 1, 0, "a mass"}; }
  static constexpr Dimension density() { return {-3, 1, 0, "a density"}; }
  static constexpr Dimension inertia() { return {2, 1, 0, "a moment of inertia"}; }
  static constexpr Dimension force() { return {1, 1, -2, "a force"}; }
  static constexpr Dimension torque() { return {2, 1, -2, "a torque"}; }
  static constexpr Dimension energy() { return {2, 1, -2, "an energy"}; }
  static constexpr Dimension power() { return {2, 1, -3, "a power"}; }
  static constexpr Dimension pressure() { return {-1, 1, -2, "a pressure"}; }
  static constexpr Dimension stiffness() { return {0, 1, -2, "a stiffness"}; }
  static constexpr Dimension damping() { return {0, 1, -1, "a damping"}; }
  static constexpr Dimension angular_stiffness() { return {2, 1, -2, "an angular stiffness"}; }
  static constexpr Dimension angular_damping() { return {2, 1, -1, "an angular damping"}; }

  static constexpr Dimension flow() { return {3, 0, -1, "a flow"}; }
  static constexpr Dimension leakage() { return {4, -1, 1, "a flow per pressure"}; }
  static constexpr Dimension voltage() { return {2, 1, -3, -1, "a voltage"}; }
  static constexpr Dimension current() { return {0, 0, 0, 1, "a current"}; }
  static constexpr Dimension resistance() { return {2, 1, -3, -2, "a resistance"}; }
  static constexpr Dimension inductance() { return {2, 1, -2, -2, "an inductance"}; }
  static constexpr Dimension torque_constant() { return {2, 1, -2, -1, "a torque per current"}; }
  static constexpr Dimension back_emf_constant() { return {2, 1, -2, -1, "a voltage per angular speed"}; }
  static constexpr Dimension per_time() { return {0, 0, -1, "a number per time"}; }
  static constexpr Dimension jerk() { return {1, 0, -3, "an acceleration per time"}; }
  static constexpr Dimension angular_jerk() { return {0, 0, -3, "an angular acceleration per time"}; }
  static constexpr Dimension force_rate() { return {1, 1, -3, "a force per time"}; }
  static constexpr Dimension torque_rate() { return {2, 1, -3, "a torque per time"}; }
  static constexpr Dimension voltage_rate() { return {2, 1, -4, -1, "a voltage per time"}; }
  static constexpr Dimension current_rate() { return {0, 0, -1, 1, "a current per time"}; }
  static constexpr Dimension pressure_rate() { return {-1, 1, -3, "a pressure per time"}; }

  constexpr bool is_any() const noexcept { return any_; }
  constexpr bool is_none() const noexcept { return !any_ && length_ == 0 && mass_ == 0 && time_ == 0 && current_ == 0; }
  constexpr const char* name() const noexcept { return name_; }

  /// Whether a quantity of `other` may stand where this is expected.
  constexpr bool accepts(const Dimension& other) const noexcept { return any_ || *this == other; }

  /// No exponent is beyond kMaxExponent; arithmetic must be followed by this check.
  bool is_bounded() const noexcept;
  /// Every exponent is even, so there is a square root.
  bool has_square_root() const noexcept;

  Dimension times(const Dimension& other) const noexcept;
  Dimension over(const Dimension& other) const noexcept;
  /// Precondition: |exponent| <= kMaxExponent.
  Dimension to_the_power(int exponent) const noexcept;
  /// Precondition: has_square_root().
  Dimension square_root() const noexcept;

  /// What it is, for messages: "a length", or "a quantity in m/s^3" where it has no name of its own.
  std::string description() const;
  /// The SI unit: "kg*m^2/s^2"; "1" if there is none.
  std::string si_unit() const;

  friend constexpr bool operator==(const Dimension& a, const Dimension& b) noexcept {
    return a.any_ == b.any_ && a.length_ == b.length_ && a.mass_ == b.mass_ && a.time_ == b.time_ &&
           a.current_ == b.current_;
  }

 private:
  constexpr Dimension(int length, int mass, int time, const char* name) : Dimension(length, mass, time, 0, name) {}
  constexpr Dimension(int length, int mass, int time, int current, const char* name)
      : length_(length), mass_(mass), time_(time), current_(current), name_(name) {}

  int length_;
  int mass_;
  int time_;
  int current_;
  bool any_ = false;
  const char* name_;
};

}  // namespace kinloop
