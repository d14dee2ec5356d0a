// Owns the table of units that files may use.
#include "services/files/units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>

namespace kinloop {
namespace {

struct UnitRow {
  std::string_view symbol;
  double si_factor;
  Dimension dimension;
};

constexpr double kPi = std::numbers::pi;
constexpr double kPoundMass_kg = 0.45359237;       // international avoirdupois pound, exact
constexpr double kStandardGravity_m_s2 = 9.80665;  // exact, only to define the pound force
constexpr double kInch_m = 0.0254;                 // exact

constexpr std::array kUnits = std::to_array<UnitRow>({
    {"m", 1.0, Dimension::length()},
    {"um", 1e-6, Dimension::length()},
    {"mm", 1e-3, Dimension::length()},
    {"cm", 1e-2, Dimension::length()},
    {"dm", 1e-1, Dimension::length()},
    {"km", 1e3, Dimension::length()},
    {"in", kInch_m, Dimension::length()},
    {"ft", 12.0 * kInch_m, Dimension::length()},
    {"rad", 1.0, Dimension::angle()},
    {"mrad", 1e-3, Dimension::angle()},
    {"deg", kPi / 180.0, Dimension::angle()},
    {"rev", 2.0 * kPi, Dimension::angle()},
    {"s", 1.0, Dimension::time()},
    {"ms", 1e-3, Dimension::time()},
    {"us", 1e-6, Dimension::time()},
    {"min", 60.0, Dimension::time()},
    {"h", 3600.0, Dimension::time()},
    {"Hz", 1.0, Dimension::frequency()},
    {"kHz", 1e3, Dimension::frequency()},
    {"rpm", 2.0 * kPi / 60.0, Dimension::angular_speed()},
    {"kg", 1.0, Dimension::mass()},
    {"g", 1e-3, Dimension::mass()},
    {"t", 1e3, Dimension::mass()},
    {"lb", kPoundMass_kg, Dimension::mass()},
    {"N", 1.0, Dimension::force()},
    {"mN", 1e-3, Dimension::force()},
    {"kN", 1e3, Dimension::force()},
    {"MN", 1e6, Dimension::force()},
    {"lbf", kPoundMass_kg* kStandardGravity_m_s2, Dimension::force()},
    {"Nm", 1.0, Dimension::torque()},
    {"mNm", 1e-3, Dimension::torque()},
    {"kNm", 1e3, Dimension::torque()},
    {"J", 1.0, Dimension::energy()},
    {"kJ", 1e3, Dimension::energy()},
    {"W", 1.0, Dimension::power()},
    {"kW", 1e3, Dimension::power()},
    {"Pa", 1.0, Dimension::pressure()},
    {"kPa", 1e3, Dimension::pressure()},
    {"MPa", 1e6, Dimension::pressure()},
    {"GPa", 1e9, Dimension::pressure()},
    {"bar", 1e5, Dimension::pressure()},
    {"L", 1e-3, Dimension::volume()},
    {"V", 1.0, Dimension::voltage()},
    {"mV", 1e-3, Dimension::voltage()},
    {"kV", 1e3, Dimension::voltage()},
    {"A", 1.0, Dimension::current()},
    {"mA", 1e-3, Dimension::current()},
    {"ohm", 1.0, Dimension::resistance()},
    {"mohm", 1e-3, Dimension::resistance()},
    {"H", 1.0, Dimension::inductance()},
    {"mH", 1e-3, Dimension::inductance()},
    {"uH", 1e-6, Dimension::inductance()},
});

constexpr std::array<std::string_view, kUnits.size()> kSymbols = [] {
  std::array<std::string_view, kUnits.size()> symbols;
  for (std::size_t i = 0; i < kUnits.size(); ++i) symbols[i] = kUnits[i].symbol;
  return symbols;
}();

}  // namespace

std::optional<Unit> find_unit(std::string_view symbol) noexcept {
  const auto row =
      std::find_if(kUnits.begin(), kUnits.end(), [symbol](const UnitRow& unit) { return unit.symbol == symbol; });
  if (row == kUnits.end()) return std::nullopt;
  return Unit{row->si_factor, row->dimension};
}

std::span<const std::string_view> unit_symbols() noexcept { return kSymbols; }

}  // namespace kinloop
