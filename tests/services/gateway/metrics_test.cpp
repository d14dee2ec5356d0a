// Tests the text for Prometheus: names, labels, histograms.
#include "services/gateway/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinloop::gateway {
namespace {

using testing::HasSubstr;

TEST(Metrics, CountersAndHistogramsAreThereWithTheirLabels) {
  v1::Description description;
  description.set_rig("crane \"2\"");
  description.set_dt_s(0.001);
  description.add_actuators()->set_name("slew");
  v1::Status status;
  status.set_overruns(3);
  status.set_fallbacks(4);
  status.add_actuators_safe("slew");
  status.add_actuators_stopped("slew");
  v1::Timing timing;
  timing.set_steps(1000);
  timing.mutable_execution_ns()->set_mean(4000.0);
  for (const std::int64_t bound : {900, 4000, 700'000'000}) {
    timing.mutable_execution()->add_at_most_ns(bound);
    timing.mutable_execution()->add_count(10);
  }
  v1::Motion motion;
  motion.add_age_ticks(250);

  const std::string text = metrics_text({description, status, timing, motion, "skip", 2});

  const std::string rig = R"(rig="crane \"2\"")";
  EXPECT_THAT(text, HasSubstr("# TYPE kinloop_steps_total counter"));
  EXPECT_THAT(text, HasSubstr("kinloop_steps_total{" + rig + "} 1000"));
  EXPECT_THAT(text, HasSubstr("kinloop_overruns_total{" + rig + ",policy=\"skip\"} 3"));
  EXPECT_THAT(text, HasSubstr("# TYPE kinloop_step_duration_seconds histogram"));
  EXPECT_THAT(text, HasSubstr("kinloop_step_duration_seconds_count{" + rig + "} 30"));
  EXPECT_THAT(text, HasSubstr(",le=\"1e-06\"} 10"));
  EXPECT_THAT(text, HasSubstr(",le=\"+Inf\"} 30"));
  EXPECT_THAT(text, HasSubstr("kinloop_command_age_seconds{" + rig + ",actuator=\"slew\"} 0.25"));
  EXPECT_THAT(text, HasSubstr("kinloop_panel_pages{" + rig + "} 2"));
  EXPECT_THAT(text, HasSubstr("kinloop_fallbacks_total{" + rig + "} 4"));
  EXPECT_THAT(text, HasSubstr("kinloop_watchdog_trips_total{" + rig + "} 0"));
  EXPECT_THAT(text, HasSubstr("kinloop_actuators_safe{" + rig + "} 1"));
  EXPECT_THAT(text, HasSubstr("kinloop_actuators_stopped{" + rig + "} 1"));
  EXPECT_THAT(text, HasSubstr("kinloop_build_info{"));
}

TEST(Metrics, TheAccountOfEnergyIsThereWhereThereIsOne) {
  v1::Status status;
  const auto text_of = [&] { return metrics_text({{}, status, {}, {}, "skip", 0}); };
  EXPECT_EQ(text_of().find("kinloop_energy"), std::string::npos);

  status.mutable_energy()->set_kinetic(12.5);
  status.mutable_energy()->set_lost_in_friction(3.0);
  status.mutable_energy()->set_work_of_projection(0.25);
  status.mutable_energy()->set_rest(-0.5);

  EXPECT_THAT(text_of(), HasSubstr(R"(store="kinetic"} 12.5)"));
  EXPECT_THAT(text_of(), HasSubstr(R"(by="friction"} 3)"));
  EXPECT_THAT(text_of(), HasSubstr(R"(of="projection"} 0.25)"));
  EXPECT_THAT(text_of(), HasSubstr(R"(of="integrator"} -0.5)"));
}

}  // namespace
}  // namespace kinloop::gateway
