// Tests the noise: known answers of its generator, the moments of its distributions, and that it has no memory.
#include "core/math/counter_noise.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kinloop {
namespace {

TEST(CounterNoise, GivesTheKnownAnswersOfPhilox) {
  constexpr std::uint32_t kAll = 0xFFFFFFFF;

  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Philox{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox({kAll, kAll, kAll, kAll}, {kAll, kAll}), (Philox{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
            (Philox{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

constexpr int kSamples = 200000;

TEST(CounterNoise, IsNormal) {
  double sum = 0.0, squares = 0.0, cubes = 0.0, fourths = 0.0;
  int within_one = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double x = normal_noise({42, 3, 0}, static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    fourths += x * x * x * x;
    within_one += std::abs(x) < 1.0 ? 1 : 0;
  }

  const double error = 5.0 / std::sqrt(kSamples);  // five deviations of a mean
  EXPECT_NEAR(sum / kSamples, 0.0, error);
  EXPECT_NEAR(squares / kSamples, 1.0, error * std::sqrt(2.0));
  EXPECT_NEAR(cubes / kSamples, 0.0, error * std::sqrt(15.0));
  EXPECT_NEAR(fourths / kSamples, 3.0, error * std::sqrt(96.0));
  EXPECT_NEAR(static_cast<double>(within_one) / kSamples, 0.682689, error);
}

TEST(CounterNoise, IsUniformAndInside) {
  std::vector<int> bins(20);
  for (int i = 0; i < kSamples; ++i) {
    const double x = uniform_noise({7, 0, 1}, static_cast<std::uint64_t>(i));
    ASSERT_GT(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++bins[static_cast<std::size_t>(20.0 * x)];
  }

  for (const int count : bins) EXPECT_NEAR(count, kSamples / 20, 5.0 * std::sqrt(kSamples / 20.0));
  EXPECT_GT(uniform_of(0, 0), 0.0);
  EXPECT_LT(uniform_of(0xFFFFFFFF, 0xFFFFFFFF), 1.0);
}

TEST(CounterNoise, DiffersBySeedSignalPurposeAndStepWithoutCorrelation) {
  const NoiseSource a{1, 0, 0};
  for (const NoiseSource& b : {NoiseSource{2, 0, 0}, NoiseSource{1, 1, 0}, NoiseSource{1, 0, 1}}) {
    double product = 0.0, next = 0.0;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      product += normal_noise(a, i) * normal_noise(b, i);
      next += normal_noise(b, i) * normal_noise(b, i + 1);
    }
    EXPECT_NEAR(product / kSamples, 0.0, 5.0 / std::sqrt(kSamples));
    EXPECT_NEAR(next / kSamples, 0.0, 5.0 / std::sqrt(kSamples));
  }
}

TEST(CounterNoise, HasNoMemory) {
  const NoiseSource source{9, 9, 9};
  const double later = normal_noise(source, UINT64_C(1) << 40U);

  for (std::uint64_t i = 0; i < 100; ++i) normal_noise(source, i);

  EXPECT_EQ(normal_noise(source, UINT64_C(1) << 40U), later);
}

}  // namespace
}  // namespace kinloop
