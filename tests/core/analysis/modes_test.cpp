// Tests that modes of a step are those of the motion it samples.
#include "core/analysis/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kinloop {
namespace {

TEST(Modes, AnOscillatorHasItsFrequencyAndDamping) {
  const double dt_s = 0.01, omega = 7.0, damping = 0.2;
  const std::complex<double> s(-damping * omega, omega * std::sqrt(1.0 - damping * damping));
  const std::complex<double> z = std::exp(s * dt_s);
  const MatrixX A = (MatrixX(2, 2) << z.real(), z.imag(), -z.imag(), z.real()).finished();

  const std::vector<Mode> found = modes(A, dt_s);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, ModeKind::kSwings);
  EXPECT_NEAR(found[0].frequency_Hz, s.imag() / (2.0 * std::numbers::pi), 1e-10);
  EXPECT_NEAR(found[0].damping, damping, 1e-10);
  EXPECT_NEAR(found[0].time_constant_s, 1.0 / (damping * omega), 1e-10);
}

TEST(Modes, KindsAreTold) {
  MatrixX A = MatrixX::Zero(7, 7);
  A.diagonal() << std::exp(0.01 / 0.5), std::exp(-0.01 / 0.1), 1.0, 1.0, 0.0, 0.0, 0.0;
  A(2, 3) = 0.01;           // a free mass: place and speed
  A(4, 5) = A(5, 6) = 1.0;  // a delay

  const std::vector<Mode> found = modes(A, 0.01);

  ASSERT_EQ(found.size(), 7U);
  EXPECT_EQ(found[0].kind, ModeKind::kGrows);
  EXPECT_NEAR(found[0].time_constant_s, -0.5, 1e-9);
  EXPECT_EQ(found[1].kind, ModeKind::kStays);
  EXPECT_EQ(found[2].kind, ModeKind::kStays);
  EXPECT_EQ(found[3].kind, ModeKind::kDecays);
  EXPECT_NEAR(found[3].time_constant_s, 0.1, 1e-9);
  EXPECT_EQ(found[6].kind, ModeKind::kGone);
}

// A unit of a state is a choice: positions in m beside pressures in Pa make entries of 1e9 and more.
TEST(Modes, UnitsOfStatesDoNotMatter) {
  const double dt_s = 0.001;
  const std::complex<double> z = std::exp(std::complex<double>(-0.3, 40.0) * dt_s);
  MatrixX A = MatrixX::Zero(6, 6);
  A.topLeftCorner<2, 2>() << z.real(), z.imag(), -z.imag(), z.real();
  A.diagonal().tail<4>() << 1.0, 1.0, 0.9996, 0.98;
  A(2, 3) = dt_s;
  A(3, 0) = A(4, 1) = A(0, 5) = A(5, 4) = 1e-4;
  const VectorX units = (VectorX(6) << 1.0, 2e9, 1.0, 1e-3, 3e11, 7e-5).finished();

  const std::vector<Mode> plain = modes(A, dt_s);
  const std::vector<Mode> scaled = modes(units.asDiagonal() * A * units.cwiseInverse().asDiagonal(), dt_s);

  constexpr double kRootOfRounding = 1e-7;  // of the two equal ones
  ASSERT_EQ(scaled.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(scaled[i].kind, plain[i].kind);
    EXPECT_LT(std::abs(scaled[i].eigenvalue - plain[i].eigenvalue), kRootOfRounding);
  }
}

TEST(Modes, NothingHasNoModes) { EXPECT_TRUE(modes(MatrixX(0, 0), 0.01).empty()); }

}  // namespace
}  // namespace kinloop
