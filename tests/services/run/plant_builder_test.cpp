// Tests what is said of a plant with other parameters before it comes into force, and that it goes on from the state of
// the one before when `auto` takes another integrator.
#include "services/run/plant_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "services/io/build_note.hpp"
#include "services/io/live_parameters.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kBuilderPatience = std::chrono::seconds(40);

/// A builder without a loop: the test takes what it offers.
class PlantBuilderTest : public TemporaryFolder {
 protected:
  void begin(const std::string& rig_keys) {
    write("model.yaml",
          "kinloop: 1\nparameters: {damping: 0.01 N*m*s/rad, spring: 0 N*m/rad}\n"
          "bodies: [{name: rod, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.001]}]\n"
          "joints: [{name: pin, type: revolute, predecessor: ground, successor: rod, axis: [0, 1, 0], "
          "damping: damping, stiffness: spring, q: 1 rad}]\n");
    write("rig.yaml", "kinloop_rig: 1\nname: own\nmodel: model.yaml\nrate: 1 kHz\n" + rig_keys);
    rig_.emplace(load_rig(folder_ / "rig.yaml").value());
    first_ = Plant::make(rig_->model.model, rig_->spec.plant).value();
    state_.emplace(first_->initial_state());
    const auto size = static_cast<std::size_t>(state_->block().size());
    files_.emplace(rt::MemoryFiles::create("kinloop-test", size, rt::MemoryFiles::Processes::kOne).value());
    current_ = first_.get();
    builder_.emplace(folder_ / "rig.yaml", -1, files_->memory(), exchange_);
  }
  void TearDown() override {
    builder_.reset();
    TemporaryFolder::TearDown();
  }

  /// What the builder says of a plant with these parameters, and the plant, as the loop would take it; null where it is
  /// refused.
  Plant* set(const io::ParameterList& parameters) {
    rt::BuildRequest request;
    request.id = ++last_id_;
    request.number = last_id_;
    const std::string lines = io::to_lines(parameters);
    std::copy(lines.begin(), lines.end(), request.text.begin());
    warning_.clear();
    remark_.clear();
    refusal_.clear();
    EXPECT_TRUE(files_->memory().builds.push(request));
    files_->memory().to_builder.notify();
    const auto until = std::chrono::steady_clock::now() + kBuilderPatience;
    const rt::PlantExchange::Offer* offer = nullptr;
    while (std::chrono::steady_clock::now() < until && offer == nullptr && refusal_.empty()) {
      listen();
      offer = exchange_.take();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    listen();
    if (offer == nullptr) return nullptr;
    Plant* const taken = offer->plant;
    exchange_.give_back(*std::exchange(current_, taken));
    return taken;
  }

  std::optional<LoadedRig> rig_;
  std::unique_ptr<Plant> first_;
  Plant* current_ = nullptr;
  std::optional<State> state_;
  std::string warning_, remark_, refusal_;

 private:
  void listen() {
    rt::BuildRefusal said;
    while (files_->memory().build_refusals.pop(said)) {
      std::string& to = said.id == io::kBuildWarning ? warning_ : said.id == io::kBuildRemark ? remark_ : refusal_;
      to = said.text.data();
    }
  }

  std::uint64_t last_id_ = 100;
  std::optional<rt::MemoryFiles> files_;
  rt::PlantExchange exchange_;
  std::optional<PlantBuilder> builder_;
};

TEST_F(PlantBuilderTest, AutoMayTakeAnotherIntegratorAndTheMotionGoesOn) {
  begin("");
  ASSERT_EQ(first_->integrator(0).name, "semi_implicit_euler");
  const StepInput input;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(first_->step(input, *state_), StepStatus::kOk);
  const double angle = state_->q()[0], speed = state_->v()[0];

  Plant* const stiff = set({{"damping", "5000 N*m*s/rad"}});

  ASSERT_NE(stiff, nullptr) << refusal_;
  EXPECT_THAT(remark_, HasSubstr("auto takes linearly_implicit: joint pin: the dampers answer at"));
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(stiff->integrator(0).name, "linearly_implicit");
  ASSERT_GT(std::abs(speed), 0.1);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(stiff->step(input, *state_), StepStatus::kOk);
  EXPECT_EQ(state_->step(), 200U);
  EXPECT_NEAR(state_->q()[0], angle, 1e-3);
  EXPECT_LT(std::abs(state_->v()[0]), 0.01);

  Plant* const loose = set({{"damping", "0.01 N*m*s/rad"}});

  ASSERT_NE(loose, nullptr) << refusal_;
  EXPECT_THAT(remark_, HasSubstr("auto takes semi_implicit_euler"));
}

TEST_F(PlantBuilderTest, WarnsOfEveryLevelThatCannotFollow) {
  begin(
      "solver: {integrator: rk4}\noverrun: {policy: degrade}\n"
      "degraded_solvers: [{integrator: auto}, {integrator: heun}]\n");

  Plant* const stiff = set({{"spring", "1e8 N*m/rad"}});

  ASSERT_NE(stiff, nullptr) << refusal_;
  EXPECT_THAT(warning_, AllOf(HasSubstr("solver: joint pin: the springs answer at"), HasSubstr("and rk4 diverges"),
                              HasSubstr("degraded_solvers[1]: joint pin: the springs"), HasSubstr("and heun diverges"),
                              Not(HasSubstr("degraded_solvers[0]"))));
  EXPECT_THAT(remark_, HasSubstr("degraded_solvers[0]: auto takes linearly_implicit: joint pin"));
}

TEST_F(PlantBuilderTest, RefusesWithTheReasonAndThePlantStays) {
  begin("");

  EXPECT_EQ(set({{"damping", "-1 N*m*s/rad"}}), nullptr);

  EXPECT_THAT(refusal_, HasSubstr("damping"));
}

}  // namespace
}  // namespace kinloop::run
