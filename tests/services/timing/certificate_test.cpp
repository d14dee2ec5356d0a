// Tests the certificate: what it states, and that it is written whole with its chart.
#include "services/timing/certificate.hpp"
#include "services/host/build_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "services/host/findings.hpp"
#include "services/host/host_name.hpp"
#include "tests/services/timing/measured_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::timing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

CertificateFacts facts_of_a_good_host() {
  CertificateFacts facts;
  facts.rig = "excavator";
  facts.model = "excavator_arm";
  facts.dt_s = 1e-3;
  facts.solvers = {{"semi_recursive_2", "semi_implicit_euler", 1}, {"rcr", "semi_implicit_euler", 2}};
  facts.started = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + std::chrono::hours{8};
  facts.duration_s = 10.5;
  facts.host_name = "rig7";
  facts.wishes.priority = 80;
  facts.wishes.core = 3;
  facts.wishes.locked_memory = true;
  host::HostFacts& host = facts.host;
  host.kernel = "6.1.0-18-rt-amd64";
  host.preemption = "PREEMPT_RT";
  host.realtime_signs = {"/sys/kernel/realtime is 1", "/proc/version says PREEMPT_RT"};
  host.processor = "Some Processor";
  host.online = host.allowed = {0, 1, 2, 3};
  host.isolated = host.nohz_full = {2, 3};
  host.core = 3;
  host.siblings = {3};
  host.governor = "performance";
  host.rt_runtime_us = -1;
  host.memlock_bytes = host.rtprio = INT64_MAX;
  host.clock_source = "tsc";
  return facts;
}

std::string certificate_text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Certificate, NamesWhatAutoTookAndWhy) {
  CertificateFacts facts = facts_of_a_good_host();
  facts.solvers[1].integrator_reason = "joint arm: the springs answer at 4000 /s";

  const Json json = certificate_json(facts, run_in_time().summary());

  EXPECT_EQ(json["solvers"][0]["integrator"], "semi_implicit_euler");
  EXPECT_FALSE(json["solvers"][0].contains("integrator_reason"));
  EXPECT_EQ(json["solvers"][1]["integrator_reason"], "joint arm: the springs answer at 4000 /s");
}

TEST(Certificate, StatesWhatRanAndOnWhat) {
  const Json json = certificate_json(facts_of_a_good_host(), run_in_time().summary());

  EXPECT_EQ(json["format"], "kinloop.latency_certificate");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["program"]["version"], host::build_facts().version);
  EXPECT_EQ(json["program"]["commit"], host::build_facts().commit);
  EXPECT_EQ(json["rig"], "excavator");
  EXPECT_EQ(json["model"], "excavator_arm");
  EXPECT_EQ(json["mode"], "real_time");
  EXPECT_EQ(json["overrun_policy"], "skip");
  EXPECT_EQ(json["dt_s"], 1e-3);
  EXPECT_EQ(json["solvers"][0]["dynamics"], "semi_recursive_2");
  EXPECT_EQ(json["solvers"][1]["substeps"], 2);
  EXPECT_EQ(json["started"], "2026-03-01T08:00:00Z");
  EXPECT_EQ(json["duration_s"], 10.5);
  EXPECT_EQ(json["thread_wishes"]["priority"], 80);
  EXPECT_EQ(json["host"]["name"], "rig7");
  EXPECT_EQ(json["host"]["preempt_rt"], true);
  EXPECT_EQ(json["host"]["core_isolated"], true);
  EXPECT_EQ(json["host"]["isolated"], "2-3");
  EXPECT_EQ(json["host"]["governor"], "performance");
  EXPECT_EQ(json["host"]["clock_source"], "tsc");
  EXPECT_TRUE(json["host"]["hypervisor"].is_null());
  EXPECT_EQ(json["host"]["findings"].size(), host::judge(facts_of_a_good_host().host).size());
}

TEST(Certificate, HoldsVerdictTimingAndHistograms) {
  const Json json = certificate_json(facts_of_a_good_host(), run_in_time().summary());

  EXPECT_EQ(json["verdict"], "kept");
  EXPECT_EQ(json["reasons"], Json::array());
  EXPECT_EQ(json["timing"]["steps"], 10000);
  EXPECT_EQ(json["timing"]["period_ns"], kPeriod_ns);
  std::uint64_t counted_steps = 0;
  for (const Json& bucket : json["histograms"]["execution"]) counted_steps += bucket[1].get<std::uint64_t>();
  EXPECT_EQ(counted_steps, 10000U);
}

TEST(Certificate, IsDegradedByARefusal) {
  CertificateFacts facts = facts_of_a_good_host();
  facts.refusals = {{"SCHED_FIFO priority 80: Operation not permitted", "setcap"}};

  const Json json = certificate_json(facts, run_in_time().summary());
  const TimingHeading heading = certificate_heading(facts, run_in_time().summary());

  EXPECT_EQ(json["verdict"], "degraded");
  EXPECT_EQ(json["reasons"], Json::array({"refused: SCHED_FIFO priority 80: Operation not permitted"}));
  EXPECT_EQ(json["refusals"][0]["fix"], "setcap");
  EXPECT_EQ(heading.remark, "refused: SCHED_FIFO priority 80: Operation not permitted");
}

TEST(Certificate, IsDegradedByOrdinarySchedulingUnderTheClock) {
  CertificateFacts facts = facts_of_a_good_host();
  facts.wishes.priority = 0;

  const Json json = certificate_json(facts, run_in_time().summary());

  EXPECT_EQ(json["verdict"], "degraded");
  EXPECT_EQ(json["reasons"], Json::array({"ordinary scheduling: no real-time priority was asked for"}));
}

TEST(Certificate, DoesNotRepeatLateStepsInItsRemark) {
  CertificateFacts facts = facts_of_a_good_host();
  facts.refusals = {{"priority", ""}, {"locked memory", ""}};
  MeasuredRun run = run_with_misses();
  run.status.overrun.misses_in_grace = 3;

  const TimingHeading heading = certificate_heading(facts, run.summary());

  EXPECT_EQ(heading.remark, "refused: priority, and 1 more");
}

TEST(Certificate, IsNotKeptAfterLateSteps) {
  const Json json = certificate_json(facts_of_a_good_host(), run_with_misses().summary());

  EXPECT_EQ(json["verdict"], "not_kept");
  EXPECT_THAT(json["reasons"][0].get<std::string>(), StartsWith("3 of 1000 steps ended late"));
}

TEST(Certificate, OfNoStepHasNoVerdict) {
  const Json json = certificate_json(facts_of_a_good_host(), MeasuredRun().summary());

  EXPECT_EQ(json["verdict"], "none");
  EXPECT_EQ(json["histograms"]["wake_up"], Json::array());
}

TEST(Certificate, IsOneTextForPeopleAndPrograms) {
  CertificateFacts facts = facts_of_a_good_host();
  facts.rig = "a\"b\xFF";

  const std::string text = certificate_text(facts, run_in_time().summary());

  const Json json = Json::parse(text, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["rig"], "a\"b\xEF\xBF\xBD");
  EXPECT_EQ(json["timing"], certificate_json(facts, run_in_time().summary())["timing"]);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 200);
}

TEST(Certificate, HeadsItsChartWithRigAndHost) {
  const TimingHeading heading = certificate_heading(facts_of_a_good_host(), run_in_time().summary());

  EXPECT_EQ(heading.title, "excavator on rig7, a step every 1.00 ms");
  EXPECT_EQ(heading.verdict, Verdict::kKept);
  EXPECT_TRUE(heading.remark.empty());
  EXPECT_THAT(heading.about, HasSubstr("PREEMPT_RT  ·  core 3, isolated"));
}

TEST(Certificate, GivesUtcTimes) {
  using namespace std::chrono;
  const sys_days leap_day{year{2028} / 2 / 29};

  EXPECT_EQ(utc_text(leap_day + hours{23} + minutes{59} + milliseconds{59'999}), "2028-02-29T23:59:59Z");
  EXPECT_EQ(utc_text({}), "1970-01-01T00:00:00Z");
}

TEST(Certificate, HasItsChartBesideIt) {
  EXPECT_EQ(chart_path("out/run.json"), "out/run.svg");
  EXPECT_EQ(chart_path("run"), "run.svg");
  EXPECT_EQ(chart_path("run.svg"), "run.svg.svg");
}

TEST(HostName, IsNeverEmpty) { EXPECT_FALSE(host::host_name().empty()); }

using CertificateFile = TemporaryFolder;

TEST_F(CertificateFile, IsWrittenWithItsChart) {
  const auto failure = write_certificate(folder_ / "run.json", facts_of_a_good_host(), run_in_time().summary());

  EXPECT_FALSE(failure.has_value());
  EXPECT_EQ(certificate_text_of(folder_ / "run.json"),
            certificate_text(facts_of_a_good_host(), run_in_time().summary()));
  EXPECT_THAT(certificate_text_of(folder_ / "run.svg"), StartsWith("<?xml"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(CertificateFile, TellsWhereItCouldNotBeWritten) {
  const fs::path path = folder_ / "missing" / "run.json";

  const auto failure = write_certificate(path, facts_of_a_good_host(), run_in_time().summary());

  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->error.where, path.string());
  EXPECT_EQ(failure->stage, WriteStage::kOpen);
}

}  // namespace
}  // namespace kinloop::timing
