// Tests that a crew of threads does every job once, run after run, and that roll-outs by it are those of one thread.
#include "services/base/thread_crew.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "core/analysis/rollout.hpp"
#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

TEST(ThreadCrew, DoesEveryJobOnce) {
  for (const int workers : {1, 2, 5}) {
    ThreadCrew crew(workers);
    for (int run = 0; run < 200; ++run) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(run % 17));
      std::atomic<bool> is_a_worker = true;
      crew.run(run % 17, [&](int worker, int job) {
        if (worker < 0 || worker >= workers) is_a_worker = false;
        ++done[static_cast<std::size_t>(job)];
      });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
      EXPECT_TRUE(is_a_worker);
    }
  }
  EXPECT_GE(ThreadCrew::processors(), 1);
}

TEST(ThreadCrew, RollsOutWithTheSameBitsHoweverManyThreads) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  PlantSpec spec = plants::driven_pendulum();
  spec.levels = {{"auto", "semi_implicit_euler", 1, {}}};
  spec.actuators[0].joint = "O1";
  spec.sensors[0].signal = "q.O1";
  spec.sensors[1].signal = "a.O1";
  const auto plant = plants::made(model, spec);
  RolloutPlan plan;
  plan.steps_per_command = 5;
  for (int i = 0; i < 30; ++i) plan.sequences.push_back({0.5 * i, -0.25 * i, 3.0});
  for (const RolloutPath path : {RolloutPath::kLanes, RolloutPath::kSingle}) {
    plan.path = path;
    plan.crew = nullptr;
    const auto alone = rollout(*plant, plant->initial_state(), plan);
    for (const int threads : {1, 2, 3}) {
      ThreadCrew crew(threads);
      plan.crew = &crew;

      const auto together = rollout(*plant, plant->initial_state(), plan);

      ASSERT_EQ(together->size(), alone->size());
      for (std::size_t i = 0; i < alone->size(); ++i) {
        EXPECT_EQ((*together)[i].end.block(), (*alone)[i].end.block());
        EXPECT_EQ((*together)[i].outputs, (*alone)[i].outputs);
      }
    }
  }
}

}  // namespace
}  // namespace kinloop
