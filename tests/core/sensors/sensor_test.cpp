// Tests sensors against what each of their faults is by definition.
#include "core/sensors/sensor.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/allocation_count.hpp"

namespace kinloop {
namespace {

constexpr double kDt_s = 1e-3;

/// Readings of a signal given by its steps.
template <class TrueValue>
std::vector<Reading> readings(const SensorSettings& settings, int steps, TrueValue true_value) {
  const Sensor sensor(settings, kDt_s);
  std::vector<double> state(static_cast<std::size_t>(sensor.state_size()));
  sensor.start(true_value(0), state.data());
  std::vector<Reading> result;
  for (int i = 0; i < steps; ++i) {
    result.push_back(sensor.read(static_cast<std::uint64_t>(i), true_value(i), state.data()));
  }
  return result;
}

double slope(int step) { return 2.0 + 3.0 * step; }

TEST(Sensor, ReadsTheTrueValueByDefault) {
  const auto read = readings({}, 50, slope);

  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(read[static_cast<std::size_t>(i)].value, slope(i));
    EXPECT_FALSE(read[static_cast<std::size_t>(i)].lost);
  }
}

TEST(Sensor, DelaysByWholeStepsAndBetweenThem) {
  for (const double steps : {0.0, 1.0, 4.0, 7.0, 0.25, 3.5, 6.9}) {
    SensorSettings settings;
    settings.delay_s = steps * kDt_s;

    const auto read = readings(settings, 40, slope);

    EXPECT_EQ(read[0].value, slope(0));
    for (int i = 10; i < 40; ++i) {  // a straight line is interpolated exactly
      EXPECT_NEAR(read[static_cast<std::size_t>(i)].value, 2.0 + 3.0 * (i - steps), 1e-9) << steps;
    }
  }
}

TEST(Sensor, DelaysByWholeStepsExactly) {
  const double tricky_s[] = {3 * kDt_s, 0.3 * 10 * kDt_s, 0.007, 7 * 1e-3};
  for (const double delay_s : tricky_s) {
    SensorSettings settings;
    settings.delay_s = delay_s;
    const int steps = static_cast<int>(std::lround(delay_s / kDt_s));

    const auto read = readings(settings, 30, [](int i) { return i % 2 == 0 ? 1e9 : -1e9; });

    for (int i = steps; i < 30; ++i) {
      EXPECT_EQ(read[static_cast<std::size_t>(i)].value, (i - steps) % 2 == 0 ? 1e9 : -1e9) << delay_s;
    }
  }
}

TEST(Sensor, AddsBiasAndDrift) {
  SensorSettings settings;
  settings.bias = 0.5;
  settings.drift_per_s = 4.0;

  const auto read = readings(settings, 1001, [](int) { return 10.0; });

  EXPECT_NEAR(read[0].value, 10.5, 1e-12);
  EXPECT_NEAR(read[1000].value, 14.5, 1e-12);
}

TEST(Sensor, QuantisesToTheNearestAndSaturates) {
  SensorSettings settings;
  settings.quantum = 0.25;
  settings.lower = -1.0;
  settings.upper = 1.0;
  const double true_values[] = {0.1, 0.13, -0.4, 0.99, 1.2, -7.0};
  const double expected[] = {0.0, 0.25, -0.5, 1.0, 1.0, -1.0};

  const auto read = readings(settings, 6, [&](int i) { return true_values[i]; });

  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(read[i].value, expected[i]);
    EXPECT_EQ(read[i].saturated, i >= 4);
  }
}

TEST(Sensor, HoldsBetweenItsSamples) {
  SensorSettings settings;
  settings.every = 4;

  const auto read = readings(settings, 20, slope);

  for (int i = 0; i < 20; ++i) EXPECT_EQ(read[static_cast<std::size_t>(i)].value, slope(i / 4 * 4));
}

TEST(Sensor, LosesItsShareOfSamplesAndSaysSo) {
  SensorSettings settings;
  settings.dropout = 0.2;
  settings.seed = 5;
  constexpr int kSteps = 20000;

  const auto read = readings(settings, kSteps, slope);

  int lost = 0;
  for (std::size_t i = 1; i < read.size(); ++i) {
    lost += read[i].lost ? 1 : 0;
    EXPECT_EQ(read[i].value, read[i].lost ? read[i - 1].value : slope(static_cast<int>(i)));
  }
  EXPECT_NEAR(lost, 0.2 * kSteps, 5.0 * std::sqrt(0.16 * kSteps));
}

TEST(Sensor, HasNoiseOfItsDeviationThatIsItsOwn) {
  SensorSettings one, other;
  one.noise = other.noise = 0.01;
  other.signal = 1;
  constexpr int kSteps = 20000;

  const auto a = readings(one, kSteps, [](int) { return 5.0; });
  const auto again = readings(one, kSteps, [](int) { return 5.0; });
  const auto b = readings(other, kSteps, [](int) { return 5.0; });

  double squares = 0.0, product = 0.0;
  for (std::size_t i = 0; i < kSteps; ++i) {
    EXPECT_EQ(a[i].value, again[i].value);
    squares += (a[i].value - 5.0) * (a[i].value - 5.0);
    product += (a[i].value - 5.0) * (b[i].value - 5.0);
  }
  EXPECT_NEAR(squares / kSteps, 1e-4, 1e-4 * 5.0 * std::sqrt(2.0 / kSteps));
  EXPECT_NEAR(product / kSteps, 0.0, 1e-4 * 5.0 / std::sqrt(kSteps));
}

TEST(Sensor, GoesOnFromAStateThatWasKept) {
  SensorSettings settings;
  settings.delay_s = 3.3e-3;
  settings.noise = 0.1;
  settings.dropout = 0.3;
  settings.every = 3;
  const Sensor sensor(settings, kDt_s);
  std::vector<double> state(static_cast<std::size_t>(sensor.state_size()));
  sensor.start(0.0, state.data());
  for (std::uint64_t i = 0; i < 100; ++i) sensor.read(i, slope(static_cast<int>(i)), state.data());

  std::vector<double> kept = state;
  for (std::uint64_t i = 100; i < 200; ++i) {
    const Reading on = sensor.read(i, slope(static_cast<int>(i)), state.data());
    const Reading again = sensor.read(i, slope(static_cast<int>(i)), kept.data());
    EXPECT_EQ(on.value, again.value);
    EXPECT_EQ(on.lost, again.lost);
  }
}

TEST(Sensor, DoesNotAllocate) {
  SensorSettings settings;
  settings.delay_s = 0.05;
  settings.noise = 0.1;
  const Sensor sensor(settings, kDt_s);
  std::vector<double> state(static_cast<std::size_t>(sensor.state_size()));
  sensor.start(0.0, state.data());

  const AllocationCount allocations;
  for (std::uint64_t i = 0; i < 100; ++i) sensor.read(i, 1.0, state.data());

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
