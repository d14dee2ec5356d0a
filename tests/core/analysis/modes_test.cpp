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

TEST(Modes, NothingHasNoModes) { EXPECT_TRUE(modes(MatrixX(0, 0), 0.01).empty()); }

}  // namespace
}  // namespace kinloop
