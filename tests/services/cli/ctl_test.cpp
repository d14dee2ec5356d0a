// Tests ctl against a fake plant: what each verb asks for, what it prints, how it fails.
#include "services/cli/ctl.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/services/clients/fake_plant.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Ctl : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    fake_ = std::make_unique<FakePlant>(folder_);
  }
  void TearDown() override {
    fake_->stop();  // its thread reads the pointer
    fake_.reset();
    TemporaryFolder::TearDown();
  }

  Ran ctl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"ctl", "--plant", fake_->control_address(), "--timeout", "20 s"});
    return run_kinloop(arguments);
  }
  /// What the command asked for, as text: "step { steps: 5 }".
  std::string asked(const std::vector<std::string>& arguments) const {
    const Ran ran = ctl(arguments);
    EXPECT_EQ(ran.code, console::kDone) << ran.err;
    v1::ControlRequest request = fake_->last_request();
    request.clear_version();
    request.clear_client();
    request.clear_request_id();
    std::string text;
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    printer.PrintToString(request, &text);
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }
  void refuse_with(v1::ErrorCode code) const {
    fake_->answer_with([this, code](const v1::ControlRequest& request) {
      v1::ControlReply reply = fake_->usual_answer(request);
      if (!request.has_describe()) {
        reply.mutable_error()->set_code(code);
        reply.mutable_error()->set_message("it says no");
      }
      return reply;
    });
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }

  std::unique_ptr<FakePlant> fake_;
};

TEST_F(Ctl, VerbsOfOneWordAskForIt) {
  for (const std::string verb : {"status", "timing", "start", "pause", "resume", "reset", "shutdown", "linearize"}) {
    EXPECT_EQ(asked({verb}), verb + " { }");
  }
  EXPECT_EQ(asked({"stop"}), "emergency_stop { }");
}

TEST_F(Ctl, AnswersNameTheStep) {
  EXPECT_EQ(ctl({"pause"}).out, "four_bar: paused at step 4711\n");
  EXPECT_EQ(ctl({"step", "3"}).out, "four_bar: takes 3 steps, the first at step 4711\n");
}

TEST_F(Ctl, StepTakesACount) {
  EXPECT_EQ(asked({"step"}), "step { steps: 1 }");
  EXPECT_EQ(asked({"step", "250"}), "step { steps: 250 }");
}

TEST_F(Ctl, ParametersAreTextsWithUnits) {
  EXPECT_EQ(asked({"set", "rod_mass=2.5 kg", "l = 2 * 3 cm"}),
            "set_parameters { values { name: \"rod_mass\" value: \"2.5 kg\" } "
            "values { name: \"l\" value: \"2 * 3 cm\" } }");
  EXPECT_EQ(asked({"get", "rod_mass"}), "get_parameters { names: \"rod_mass\" }");
  EXPECT_THAT(ctl({"get"}).out, HasSubstr("rod_mass   2 kg"));
}

TEST_F(Ctl, FaultsOfEveryKindAreUnderstood) {
  EXPECT_EQ(asked({"fault", "motor", "off"}), "inject_fault { signal: \"motor\" kind: FAULT_KIND_OFF }");
  EXPECT_EQ(asked({"fault", "speed", "stuck"}), "inject_fault { signal: \"speed\" kind: FAULT_KIND_STUCK }");
  EXPECT_EQ(asked({"fault", "speed", "bias", "-0.5", "--for", "200 ms"}),
            "inject_fault { signal: \"speed\" kind: FAULT_KIND_BIAS value: -0.5 duration_s: 0.2 }");
  EXPECT_EQ(asked({"fault", "speed", "drift", "2"}),
            "inject_fault { signal: \"speed\" kind: FAULT_KIND_DRIFT value: 2 }");
  EXPECT_EQ(asked({"fault", "speed", "noise", "0.25 rad/s"}),
            "inject_fault { signal: \"speed\" kind: FAULT_KIND_NOISE value: 0.25 }");
  EXPECT_EQ(asked({"fault", "speed", "wrong_sign"}), "inject_fault { signal: \"speed\" kind: FAULT_KIND_WRONG_SIGN }");
  EXPECT_EQ(asked({"fault", "speed", "delay", "5 ms"}),
            "inject_fault { signal: \"speed\" kind: FAULT_KIND_DELAY value: 0.005 }");
  EXPECT_EQ(asked({"fault", "speed", "drop", "0.5"}),
            "inject_fault { signal: \"speed\" kind: FAULT_KIND_DROP value: 0.5 }");
}

TEST_F(Ctl, AFaultTellsFromWhenToWhen) {
  EXPECT_EQ(ctl({"fault", "speed", "bias", "1", "--for", "0.2"}).out, "speed: bias from step 4711 to step 4911\n");
  EXPECT_EQ(ctl({"fault", "motor", "off"}).out, "motor: off from step 4711 until it is cleared\n");
}

TEST_F(Ctl, ClearOverrideAndForceSayWhatTheyShould) {
  EXPECT_EQ(asked({"clear"}), "clear_faults { }");
  EXPECT_EQ(asked({"clear", "speed"}), "clear_faults { signal: \"speed\" }");
  EXPECT_EQ(asked({"override", "speed", "-3 rad/s", "--for", "1"}),
            "override { signal: \"speed\" value: -3 duration_s: 1 }");
  EXPECT_EQ(asked({"override", "speed", "off"}), "override { signal: \"speed\" off: true }");
  EXPECT_EQ(asked({"force", "crank", "-1", "0", "2 kN"}),
            "apply_force { body: \"crank\" force: -1 force: 0 force: 2000 }");
  EXPECT_EQ(asked({"force", "crank", "0", "0", "1", "--at", "10 cm", "-0.5", "0", "--moment", "0", "-4", "0", "--for",
                   "50 ms"}),
            "apply_force { body: \"crank\" point: 0.1 point: -0.5 point: 0 force: 0 force: 0 force: 1 "
            "moment: 0 moment: -4 moment: 0 duration_s: 0.05 }");
}

TEST_F(Ctl, ACaptureHasALevelInTheSensorsUnit) {
  EXPECT_EQ(asked({"capture", "angle", "rises", "0.5 rad", "--before", "1", "--after", "2", "--patience", "2 s"}),
            "capture { sensor: \"angle\" condition: CONDITION_RISES level: 0.5 steps_before: 1 steps_after: 2 "
            "patience_s: 2 }");
  EXPECT_EQ(asked({"capture", "angle", "crosses", "0"}), "capture { sensor: \"angle\" condition: CONDITION_CROSSES }");
  EXPECT_EQ(asked({"capture", "angle", "flagged"}), "capture { sensor: \"angle\" condition: CONDITION_FLAGGED }");
}

TEST_F(Ctl, ACaptureIsWrittenAsCsv) {
  const Ran ran = ctl({"capture", "speed", "falls", "3", "--csv", path("around.csv")});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_EQ(text_of("around.csv"),
            "step,time_s,angle,speed,flags\n4999,4.999,0.5,4999,0\n5000,5,0.5,5000,0\n5001,5.001,0.5,5001,0\n");
}

TEST_F(Ctl, RearmRecordAndNoteCarryTheirWords) {
  EXPECT_EQ(asked({"rearm"}), "rearm { }");
  EXPECT_EQ(asked({"rearm", "motor"}), "rearm { actuators: \"motor\" }");
  EXPECT_EQ(asked({"record", "swing"}), "record { name: \"swing\" }");
  EXPECT_EQ(asked({"record", "--stop"}), "record { stop: true }");
  EXPECT_EQ(asked({"note", "valve changed"}), "note { text: \"valve changed\" }");
}

TEST_F(Ctl, ASnapshotGoesThroughAFileAndBack) {
  fake_->answer_with([this](const v1::ControlRequest& request) {
    v1::ControlReply reply = fake_->usual_answer(request);
    if (request.has_snapshot()) reply.mutable_snapshot()->set_plant_hash(FakePlant::description().plant_hash());
    return reply;
  });
  ASSERT_EQ(ctl({"snapshot", path("a.snapshot")}).code, console::kDone);

  const std::string request = asked({"restore", path("a.snapshot")});

  EXPECT_THAT(request, AllOf(StartsWith("restore { snapshot { version: 2 rig: \"four_bar\""), HasSubstr("block: 0.25"),
                             HasSubstr(" hash: ")))
      << "the fake gives one of version 1, which is given a hash where it is read";
}

TEST_F(Ctl, SnapshotsOfOthersAreRefusedHere) {
  ASSERT_EQ(ctl({"snapshot", path("a.snapshot")}).code, console::kDone);  // the fake leaves out the plant's hash
  write("no.snapshot", "hello");

  EXPECT_THAT(ctl({"restore", path("a.snapshot")}).err, HasSubstr("of another plant"));
  EXPECT_THAT(ctl({"restore", path("no.snapshot")}).err, HasSubstr("is no snapshot"));
  EXPECT_EQ(ctl({"restore", path("missing")}).code, console::kBadInput);
}

TEST_F(Ctl, ALinearizationIsWrittenAsJson) {
  ASSERT_EQ(ctl({"linearize", "--out", path("lin.json")}).code, console::kDone);

  const auto json = nlohmann::json::parse(text_of("lin.json"));
  EXPECT_EQ(json["A"], nlohmann::json::parse("[[0.5]]"));
  EXPECT_EQ(json["eigenvalues"], nlohmann::json::parse("[[0.5, 0.0]]"));
  EXPECT_EQ(json["inputs"], nlohmann::json::array({"motor"}));
}

TEST_F(Ctl, LinearizeAndRolloutTakeAGivenState) {
  write("commands.csv", "motor\n1\n");

  EXPECT_EQ(asked({"linearize", "--q", "0.5", "-1", "--v", "2", "0", "--command", "3"}),
            "linearize { state { q: 0.5 q: -1 v: 2 v: 0 } commands: 3 }");
  EXPECT_EQ(asked({"rollout", path("commands.csv"), "--q", "1", "--v", "2"}),
            "rollout { state { q: 1 v: 2 } sequences { commands: 1 } steps_per_command: 1 }");
}

TEST_F(Ctl, ATrimSaysCommandsAndWhatIsMissing) {
  EXPECT_EQ(asked({"trim", "--coordinate", "O1=0.5", "--command", "motor=-2", "--hold", "--snapshot", path("s")}),
            "trim { coordinates { name: \"O1\" value: 0.5 } commands { name: \"motor\" value: -2 } hold: true }");
  EXPECT_FALSE(text_of("s").empty());
  const auto missed = ctl({"trim"});
  EXPECT_NE(missed.code, console::kDone);
  EXPECT_THAT(missed.err, HasSubstr("u.O1 still changes"));
  EXPECT_EQ(ctl({"trim", "--speed", "O1"}).code, console::kBadInput);
}

TEST_F(Ctl, ARolloutReadsCommandsAndWritesSensors) {
  write("in.csv", "time_s,motor\n0,1\n0.01,2\n");

  EXPECT_EQ(asked({"rollout", path("in.csv"), "--steps", "10", "-o", path("out.csv")}),
            "rollout { sequences { commands: 1 commands: 2 } steps_per_command: 10 }");
  EXPECT_EQ(text_of("out.csv"), "sequence,time_s,angle,speed\n1,0.01,1,2\n1,0.02,2,4\n");
}

TEST_F(Ctl, SequencesOfARolloutArePartedByTheirColumn) {
  write("in.csv", "sequence,motor\n1,5\n1,6\n2,7\n");

  EXPECT_EQ(asked({"rollout", path("in.csv")}),
            "rollout { sequences { commands: 5 commands: 6 } sequences { commands: 7 } steps_per_command: 1 }");
}

TEST_F(Ctl, ARolloutWithoutAnActuatorsColumnIsBadInput) {
  write("in.csv", "motr\n1\n");

  const Ran ran = ctl({"rollout", path("in.csv")});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'motor'?"));
}

TEST_F(Ctl, SendAcquiresSendsAndReleases) {
  const Ran ran = ctl({"send", "motor=12 V", "--for", "20 ms", "--rearm"});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  const auto frames = fake_->frames();
  EXPECT_EQ(frames.size(), 20U);  // 20 ms at 1 kHz
  EXPECT_EQ(frames.front().value(0), 12.0);
  EXPECT_NE(frames.front().rearm(), 0U);
  EXPECT_NE(frames.back().rearm(), 0U) << "this plant shows no frame: one that re-arms may have been lost";
  EXPECT_TRUE(fake_->last_request().has_release());
  EXPECT_THAT(ran.out, HasSubstr("sent 20 frames"));
}

TEST_F(Ctl, SendInLockstepReleasesSteps) {
  v1::Description description = FakePlant::description();
  description.set_mode(v1::MODE_LOCKSTEP);
  for (const char* socket : {"control", "actuators"}) {
    v1::Endpoint& endpoint = *description.add_endpoints();
    endpoint.set_socket(socket);
    endpoint.set_address("ipc://" + path(socket));
  }
  fake_->set_description(description);
  fake_->answer_frames_with([](const v1::ActuatorFrame& frame) {
    v1::ActuatorReply reply;
    reply.set_sequence(frame.sequence());
    *reply.mutable_frame() = FakePlant::frame(frame.sequence());
    return reply;
  });

  EXPECT_THAT(ctl({"send", "motor=1", "--for", "10 ms"}).out, HasSubstr("sent 10 frames"));
}

TEST_F(Ctl, SendTellsOfActuatorsThatWereMadeSafe) {
  std::atomic<bool> runs{true};
  std::thread plant([&] {
    for (std::uint64_t i = 1; runs; ++i) {
      v1::SensorFrame frame = FakePlant::frame(i);
      frame.set_flags(v1::FRAME_FLAG_STALE);
      fake_->publish("sensors/1/", frame);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });

  const Ran ran = ctl({"send", "motor=1", "--for", "500 ms"});
  runs = false;
  plant.join();

  EXPECT_EQ(ran.code, console::kBadInput) << "nothing moved";
  EXPECT_THAT(ran.err, HasSubstr("--rearm"));
}

TEST_F(Ctl, SendAsksToRearmUntilItIsSeenToBeDone) {
  std::atomic<bool> runs{true};
  std::thread plant([&] {
    for (std::uint64_t i = 1; runs; ++i) {
      v1::SensorFrame frame = FakePlant::frame(i);
      if (i < 50) frame.set_flags(v1::FRAME_FLAG_STALE);
      frame.set_command_sequence(i);
      fake_->publish("sensors/1/", frame);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });

  const Ran ran = ctl({"send", "motor=1", "--for", "1 s", "--rearm"});
  runs = false;
  plant.join();

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  const auto frames = fake_->frames();
  const auto asking = std::count_if(frames.begin(), frames.end(), [](const auto& frame) { return frame.rearm() != 0; });
  EXPECT_GT(asking, 1);
  EXPECT_EQ(frames.back().rearm(), 0U);
}

TEST_F(Ctl, WatchEndsWithThePlant) {
  fake_->answer_with([this](const v1::ControlRequest& request) {
    v1::ControlReply reply = fake_->usual_answer(request);
    if (request.has_status()) reply.mutable_status()->set_state(v1::PLANT_STATE_DEAD);
    return reply;
  });

  const Ran dead = ctl({"watch"});
  fake_->answer_with([this](const v1::ControlRequest& request) -> std::optional<v1::ControlReply> {
    if (request.has_status()) return std::nullopt;
    return fake_->usual_answer(request);
  });
  const Ran gone = run_kinloop({"ctl", "-p", fake_->control_address(), "--timeout", "200 ms", "watch"});

  EXPECT_EQ(dead.code, console::kInternalError);
  EXPECT_THAT(dead.err, HasSubstr("the plant is dead"));
  EXPECT_EQ(gone.code, console::kInternalError);
  EXPECT_THAT(gone.err, HasSubstr("does not answer"));
}

TEST_F(Ctl, WatchPrintsRowsOfTheAskedSensors) {
  std::atomic<bool> runs{true};
  std::thread plant([&] {
    for (std::uint64_t i = 10; runs; i += 10) {
      fake_->publish("sensors/10/", FakePlant::frame(i, 0.125, -7.5));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });

  const Ran ran = ctl({"watch", "speed", "--rate", "100 Hz", "-n", "2"});
  const Ran json = ctl({"watch", "--json", "-n", "1"});
  runs = false;
  plant.join();

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("speed/rad/s"), HasSubstr("-7.5"), testing::Not(HasSubstr("0.125"))));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3);
  EXPECT_EQ(nlohmann::json::parse(json.out)["value"], nlohmann::json::array({0.125, -7.5}));
}

TEST_F(Ctl, DescribeShowsSignalsParametersAndSockets) {
  const Ran ran = ctl({"describe"});

  EXPECT_EQ(ran.code, console::kDone);
  for (const char* word : {"real_time", "motor", "-48 .. 48", "u.O1", "rod_mass", "coupler", "control"}) {
    EXPECT_THAT(ran.out, HasSubstr(word));
  }
}

TEST_F(Ctl, StatusTellsLeasesAndFaultsWithoutControlCharacters) {
  fake_->answer_with([this](const v1::ControlRequest& request) {
    v1::ControlReply reply = fake_->usual_answer(request);
    if (request.has_status()) {
      v1::Lease& lease = *reply.mutable_status()->add_leases();
      lease.set_holder("mpc\033[2J");
      lease.add_actuators("motor");
      lease.set_time_left_s(0.5);
      v1::ActiveFault& fault = *reply.mutable_status()->add_faults();
      fault.set_signal("speed");
      fault.set_kind("bias");
    }
    return reply;
  });

  const Ran ran = ctl({"status"});

  EXPECT_THAT(ran.out, HasSubstr("lease: mpc?[2J holds motor, 500 ms left"));
  EXPECT_THAT(ran.out, HasSubstr("fault: speed bias"));
}

TEST_F(Ctl, StatusTellsAnswersOfAnotherFormulation) {
  fake_->answer_with([this](const v1::ControlRequest& request) {
    v1::ControlReply reply = fake_->usual_answer(request);
    if (request.has_status()) reply.mutable_status()->set_fallbacks(17);
    return reply;
  });

  EXPECT_THAT(ctl({"status"}).out, testing::ContainsRegex("fallbacks +17"));
}

TEST_F(Ctl, JsonIsTheReplyItself) {
  const Ran ran = ctl({"--json", "status"});

  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["step"], "4711");
  EXPECT_EQ(json["status"]["state"], "PLANT_STATE_RUNNING");
}

TEST_F(Ctl, ARefusalIsExitCodeTwoAndSaysWhatToDo) {
  refuse_with(v1::ERROR_CODE_LEASED);

  const Ran ran = ctl({"pause"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("it says no"), HasSubstr("kinloop ctl status")));
  EXPECT_EQ(ran.out, "");
}

TEST_F(Ctl, ARefusalAsJsonIsAReplyWithAnError) {
  refuse_with(v1::ERROR_CODE_NOT_NOW);

  const Ran ran = ctl({"pause", "--json"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_EQ(nlohmann::json::parse(ran.out)["error"]["code"], "ERROR_CODE_NOT_NOW");
}

TEST_F(Ctl, APlantThatIsGoneIsExitCodeOne) {
  refuse_with(v1::ERROR_CODE_PLANT);
  EXPECT_EQ(ctl({"pause"}).code, console::kInternalError);

  fake_->answer_with([](const v1::ControlRequest&) { return std::nullopt; });
  const Ran ran = run_kinloop({"ctl", "-p", fake_->control_address(), "--timeout", "50 ms", "pause"});

  EXPECT_EQ(ran.code, console::kInternalError);
  EXPECT_THAT(ran.err, HasSubstr("does not answer within 50 ms"));
}

TEST_F(Ctl, PlantsAreFoundInTheRuntimeFolder) {
  setenv("KINLOOP_RUNTIME_DIR", folder_.c_str(), 1);

  const Ran plants = run_kinloop({"ctl", "plants"});
  const Ran paused = run_kinloop({"ctl", "pause", "-p", "four_bar"});
  const Ran unknown = run_kinloop({"ctl", "-p", "crane", "pause"});
  unsetenv("KINLOOP_RUNTIME_DIR");

  EXPECT_THAT(plants.out, HasSubstr("four_bar-" + std::to_string(getpid())));
  EXPECT_EQ(paused.code, console::kDone) << paused.err;
  EXPECT_EQ(unknown.code, console::kInternalError);
  EXPECT_THAT(unknown.err, HasSubstr("no plant 'crane'"));
}

TEST_F(Ctl, WhatCannotBeMeantIsRefusedBeforeThePlantHearsOfIt) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"step", "-1"},
                                             {"step", "0"},
                                             {"set", "mass"},
                                             {"set", "mass="},
                                             {"fault", "sped", "off"},
                                             {"fault", "speed", "bais"},
                                             {"fault", "speed", "bias"},
                                             {"fault", "speed", "off", "3"},
                                             {"fault", "speed", "bias", "3 kg"},
                                             {"fault", "speed", "bias", "3", "--for", "3 m"},
                                             {"override", "speed", "fast"},
                                             {"force", "crank", "1", "2"},
                                             {"force", "crnk", "1", "2", "3"},
                                             {"force", "crank", "1 m", "2", "3"},
                                             {"capture", "speed", "jumps", "1"},
                                             {"capture", "speed", "rises"},
                                             {"capture", "motor", "rises", "1"},
                                             {"rearm", "speed"},
                                             {"record", "name", "--stop"},
                                             {"send", "motor"},
                                             {"send", "motor=1 N"},
                                             {"send", "motor=120 V"},
                                             {"linearize", "--q", "1 parsec"},
                                             {"send", "motor=1", "--for", "never"},
                                             {"watch", "motor"},
                                             {"watch", "--rate", "1 s"},
                                             {"status", "--timeout", "soon"},
                                             {"status", "--key", "missing.key"},
                                             {"status", "--server-key", "nonsense"}}) {
    const Ran ran = ctl(arguments);

    EXPECT_EQ(ran.code, console::kBadInput) << arguments[0] << " " << arguments.back();
    EXPECT_NE(ran.err, "");
    EXPECT_EQ(fake_->last_request().verb_case(), v1::ControlRequest::VERB_NOT_SET) << arguments[0];
  }
}

TEST_F(Ctl, AMisspeltVerbIsGuessed) {
  const Ran ran = ctl({"puase"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("did you mean 'pause'?"), HasSubstr("see: kinloop ctl --help")));
}

TEST_F(Ctl, TopPrintsOnePictureWhereThereIsNoTerminal) {
  const Ran ran = run_kinloop({"top", fake_->control_address()});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("four_bar  real_time  running  step 4711"));
  EXPECT_THAT(ran.out, HasSubstr("motor"));
}

}  // namespace
}  // namespace kinloop::cli
