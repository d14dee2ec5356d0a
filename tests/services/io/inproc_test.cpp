// Tests a plant, its io and a client in one process: all four sockets over inproc, and what frames cost there.
#include <array>
#include <chrono>

#include "tests/services/io/embedded_plant.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

using namespace std::chrono_literals;

class Inproc : public TemporaryFolder {};

TEST_F(Inproc, CommandsFramesEventsAndVerbsTravelWithinTheProcess) {
  EmbeddedPlant embedded("pendulum", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->acquire());
  static_cast<void>(plant->recv(0ms));  // subscribes; the answers below come by another socket
  ASSERT_TRUE(plant->recv_event(20s));

  const auto first = plant->step({1.0});
  ASSERT_TRUE(first) << first.error().message;
  const std::uint64_t hash = (*first)->state_hash();
  ASSERT_TRUE(plant->reset());
  const auto again = plant->step({1.0});
  ASSERT_TRUE(again) << again.error().message;
  const std::uint64_t hash_again = (*again)->state_hash();  // the next step writes over the frame
  const v1::SensorFrame* published = nullptr;
  for (int i = 0; published == nullptr && i < 100; ++i) {  // the subscription may come later than the first steps
    ASSERT_TRUE(plant->step({1.0}));
    published = plant->recv(100ms);
  }

  EXPECT_EQ(hash_again, hash);
  EXPECT_NE(published, nullptr);
  for (const v1::Endpoint& endpoint : plant->description().endpoints()) {
    EXPECT_EQ(endpoint.address(), "inproc://plant/" + endpoint.socket());
  }
}

/// Everything a frame passes: sockets, leases, limits, the plant, encoding, the answer, the client. io tells its status
/// a few times a second, about 150 allocations, however many frames pass meanwhile on a busy machine.
TEST_F(Inproc, FramesAllocateNothingOfOurs) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "a sanitizer owns malloc: allocations cannot be counted";
  constexpr int kFrames = 100'000;
  constexpr int kWarmUp = 2'000;
  constexpr double kStatusAllocationsPerSecond = 300.0;
  EmbeddedPlant embedded("pendulum", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->acquire({}, 60s));
  static_cast<void>(plant->recv(0ms));
  const auto make_steps = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (!plant->step({0.5})) return false;
      static_cast<void>(plant->recv(0ms));  // published frames are read too
    }
    return true;
  };
  ASSERT_TRUE(make_steps(kWarmUp));

  const auto began = std::chrono::steady_clock::now();
  const ProcessAllocationCount allocations("libzmq");
  ASSERT_TRUE(make_steps(kFrames));
  const std::int64_t count = allocations.value();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;

  EXPECT_LT(static_cast<double>(count), kFrames / 20.0 + kStatusAllocationsPerSecond * passed.count());
  EXPECT_GT(allocations.passed_over(), kFrames) << "ZeroMQ's own were to be seen";
  RecordProperty("allocations", static_cast<int>(count));
}

}  // namespace
}  // namespace kinloop::io
