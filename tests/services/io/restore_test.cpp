// Tests that a snapshot from outside is taken whole or not at all: a plant that refuses one is as it was, and goes on
// from one that it takes.
#include <limits>
#include <random>

#include "rt/messages/state_hash.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/io/snapshot_trial.hpp"
#include "tests/services/io/embedded_plant.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Numbers that are no damage to a sum but to a state.
constexpr double kOddNumbers[] = {kNan,   std::numeric_limits<double>::infinity(),
                                  -1.0,   0.0,
                                  1e308,  5e-324,
                                  1e300,  -1e300,
                                  9.3e18, -9.3e18,
                                  1e17,   1e9,
                                  -1e6,   1e4,
                                  0.5,    3.0};
constexpr std::int64_t kOddAges[] = {-1, 0, 7, std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()};
/// Some of these are mechanisms that the running one cannot become without a jump.
constexpr const char* kOddLengths[] = {"-1 m", "0.3 m", "0.1 mm", "1.2 m", "3 m", "0", "1e400 m", "nan", "crank", ""};

/// Of the block, computed again: what is wrong is not found by its hash.
void make_hash_true(v1::Snapshot& snapshot, State state) {
  if (snapshot.block_size() != state.block().size()) return;
  std::copy(snapshot.block().begin(), snapshot.block().end(), state.block().data());
  snapshot.set_state_hash(rt::state_hash(state));
  snapshot.set_step(std::isfinite(state.block()[6]) && state.block()[6] >= 0.0 && state.block()[6] < 1e18 ? state.step()
                                                                                                          : 0);
  snapshot.set_time_s(state.time_s());
}

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  /// One thing wrong, or several; most have a true hash.
  v1::Snapshot to(const v1::Snapshot& good, const State& layout) {
    v1::Snapshot bad = good;
    const std::size_t count = below(3) == 0 ? 1 + below(20) : 1;
    for (std::size_t i = 0; i < count; ++i) damage(bad);
    if (below(8) != 0) make_hash_true(bad, layout);
    if (below(6) == 0) damage_head(bad);
    if (below(8) != 0) bad.set_hash(hash_of(bad));  // so that what is wrong is not found by that
    return bad;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  template <class T, std::size_t n>
  const T& any_of(const T (&all)[n]) {
    return all[below(n)];
  }

  void damage(v1::Snapshot& bad) {
    const auto place = [&] { return static_cast<int>(below(static_cast<std::size_t>(bad.block_size()))); };
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        return bad.set_block(place(), any_of(kOddNumbers));
      case 3: {  // where the mechanism is
        const int at = State::kHeader + static_cast<int>(below(9));
        return bad.set_block(at, bad.block(at) * any_of(kOddNumbers) + any_of(kOddNumbers));
      }
      case 4: {  // a bit
        const int at = place();
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(bad.block(at)) ^ (std::uint64_t{1} << below(64));
        return bad.set_block(at, std::bit_cast<double>(bits));
      }
      case 5: {
        v1::PolicyState& policy = *bad.mutable_policies(0);
        policy.set_value(any_of(kOddNumbers));
        return policy.set_age_ticks(any_of(kOddAges));
      }
      case 6: {
        v1::StepChange& change = *bad.add_waiting();
        change.set_kind(static_cast<std::uint32_t>(below(6)));
        change.set_target(static_cast<std::uint32_t>(below(8)));
        change.set_fault(static_cast<std::uint32_t>(below(12)));
        change.set_value(any_of(kOddNumbers));
        for (std::size_t i = 0; i < 9 + below(2); ++i) change.add_wrench(any_of(kOddNumbers));
        return;
      }
      default: {
        v1::ParameterValue& parameter = *bad.add_parameters();
        parameter.set_name("crank");
        parameter.set_value(any_of(kOddLengths));
      }
    }
  }

  void damage_head(v1::Snapshot& bad) {
    switch (below(4)) {
      case 0:
        return bad.set_step(random_());
      case 1:
        return bad.set_time_s(any_of(kOddNumbers));
      case 2:
        return bad.clear_policies();
      default:
        return bad.mutable_block()->Truncate(static_cast<int>(below(static_cast<std::size_t>(bad.block_size()))));
    }
  }

  std::mt19937_64 random_;
};

class Restore : public TemporaryFolder {};

TEST_F(Restore, DamagedSnapshotsAreRefusedAndChangeNothingOrCanBeSteppedFrom) {
  constexpr int kDamaged = 3000;
  EmbeddedPlant embedded("four_bar", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->pause());
  ASSERT_TRUE(plant->step_n(537));
  const v1::Snapshot good = plant->snapshot().value();
  const LoadedRig rig = load_rig(test::rig_path("four_bar")).value();
  const State layout = Plant::make(rig.model.model, rig.spec.plant).value()->initial_state();
  Damage damage(3);

  int refused = 0;
  for (int i = 0; i < kDamaged; ++i) {
    const v1::Snapshot damaged = damage.to(good, layout);
    const auto restored = plant->restore(damaged);
    const v1::Snapshot now = plant->snapshot().value();
    const v1::Snapshot& expected = restored ? damaged : good;
    ASSERT_EQ(now.state_hash(), expected.state_hash()) << i;
    ASSERT_EQ(now.parameters_size(), expected.parameters_size()) << i << ": " << damaged.ShortDebugString();
    if (!restored) {
      ++refused;
      ASSERT_EQ(restored.error().field.rfind("snapshot", 0), 0U) << restored.error().field;
      continue;
    }
    ASSERT_TRUE(plant->step_n(2));
    ASSERT_EQ(plant->status()->failed_steps(), 0) << i << ": " << damaged.ShortDebugString();
    ASSERT_TRUE(plant->restore(good)) << i;
  }

  EXPECT_GT(refused, kDamaged / 2);
  EXPECT_LT(refused, kDamaged);
}

TEST_F(Restore, ParametersAndStateComeTogether) {
  EmbeddedPlant embedded("four_bar", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->pause());
  ASSERT_TRUE(plant->set_parameters({{"crank", "0.5 m"}}));
  ASSERT_TRUE(plant->reset());
  ASSERT_TRUE(plant->step_n(100));
  const v1::Snapshot shorter = plant->snapshot().value();
  ASSERT_TRUE(plant->set_parameters({{"crank", "0.8 m"}}));
  ASSERT_TRUE(plant->step_n(1));
  ASSERT_TRUE(plant->reset());
  ASSERT_TRUE(plant->step_n(250));
  const v1::Snapshot longer = plant->snapshot().value();

  for (int i = 0; i < 3; ++i) {  // while it is paused, one after the other without a step
    ASSERT_TRUE(plant->restore(longer));
    ASSERT_TRUE(plant->restore(shorter));
  }

  EXPECT_EQ(plant->snapshot()->state_hash(), shorter.state_hash());
  EXPECT_EQ(plant->get_parameters({"crank"})->front().second, "0.5 m");
  v1::Snapshot damaged = longer;
  damaged.set_block(State::kHeader, 0.25);
  EXPECT_FALSE(plant->restore(damaged));
  EXPECT_EQ(plant->get_parameters({"crank"})->front().second, "0.5 m") << "neither the one nor the other";
  EXPECT_EQ(plant->snapshot()->state_hash(), shorter.state_hash());
}

TEST_F(Restore, AByteThatIsChangedAnywhereIsNoticed) {
  EmbeddedPlant embedded("four_bar", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->pause());
  ASSERT_TRUE(plant->step_n(100));
  const v1::Snapshot good = plant->snapshot().value();
  const std::string bytes = good.SerializeAsString();
  ASSERT_TRUE(plant->restore(good));

  int read = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    v1::Snapshot snapshot;
    if (!snapshot.ParseFromString(changed)) continue;
    ++read;
    const auto restored = plant->restore(snapshot);
    ASSERT_FALSE(restored) << "byte " << i;
    ASSERT_EQ(restored.error().field, "snapshot") << restored.error().message;
  }
  EXPECT_GT(read, 50);
}

TEST_F(Restore, WithoutAHashItIsRefusedWhateverItClaimsToBe) {
  EmbeddedPlant embedded("four_bar", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  v1::Snapshot snapshot = plant->snapshot().value();

  for (const std::uint32_t version : {0U, 1U, kSnapshotVersion, 3U}) {
    snapshot.set_version(version);
    snapshot.clear_hash();
    const auto restored = plant->restore(snapshot);
    ASSERT_FALSE(restored) << version;
    EXPECT_EQ(restored.error().field, "snapshot") << version;
  }
}

TEST_F(Restore, AFileOfTheFirstVersionIsGivenAHashAndADamagedOneIsNot) {
  EmbeddedPlant embedded("four_bar", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  v1::Snapshot old = plant->snapshot().value();
  old.set_version(1);
  v1::Snapshot damaged = old;  // of the second, but for its version
  old.clear_hash();

  EXPECT_TRUE(plant->restore(snapshot_in(old.SerializeAsString()).value()));
  EXPECT_FALSE(plant->restore(snapshot_in(damaged.SerializeAsString()).value()));
  EXPECT_FALSE(snapshot_in("no snapshot"));
}

/// Who means harm can compute the hash.
TEST_F(Restore, CommandsOfASnapshotAreThoseOfTheRig) {
  EmbeddedPlant embedded("four_bar", folder_);
  auto plant = embedded.connect();
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->pause());
  const v1::Snapshot good = plant->snapshot().value();
  ASSERT_TRUE(plant->restore(good));
  const auto field_of = [&](double volts, std::int64_t age_ticks) {
    v1::Snapshot changed = good;
    changed.mutable_policies(0)->set_value(volts);
    changed.mutable_policies(0)->set_age_ticks(age_ticks);
    changed.set_hash(hash_of(changed));
    const auto restored = plant->restore(changed);
    return restored ? std::string() : restored.error().field;
  };

  EXPECT_EQ(field_of(48.0, 200), "");
  EXPECT_EQ(field_of(1e9, 0), "snapshot.policies[0].value");
  EXPECT_EQ(field_of(-48.1, 0), "snapshot.policies[0].value");
  EXPECT_EQ(field_of(0.0, std::int64_t{1} << 50), "snapshot.policies[0].age_ticks");
  EXPECT_EQ(field_of(0.0, 201), "snapshot.policies[0].age_ticks") << "it would have been made safe";
}

/// A plant that is stepped here, without sockets.
class Trial {
 public:
  explicit Trial(const std::string& name)
      : rig_(load_rig(test::rig_path(name)).value()),
        plant_(Plant::make(rig_.model.model, rig_.spec.plant).value()),
        state_(plant_->initial_state()),
        trial_(rig_, test::rig_path(name)) {
    input_.count = static_cast<std::uint32_t>(plant_->actuator_count());
    for (std::size_t i = 0; i < plant_->actuator_count(); ++i) input_.command[i] = rig_.spec.plant.actuators[i].initial;
  }

  void step(int count) {
    std::vector<Reading> readings(plant_->sensor_count());
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(is_done(plant_->step(input_, state_)));
      plant_->sense(state_, readings);
    }
  }
  v1::Snapshot snapshot() const {
    rt::SnapshotBuffer buffer;
    buffer.actuators = input_.count;
    for (std::size_t i = 0; i < input_.count; ++i) buffer.policies[i].value = input_.command[i];
    buffer.state_hash = rt::state_hash(state_);
    const std::span<const double> block(state_.block().data(), static_cast<std::size_t>(state_.block().size()));
    return snapshot_of({}, buffer, block, state_.step(), {});
  }
  /// What is to blame.
  std::string flaw_of(v1::Snapshot snapshot) {
    const auto flaw = trial_.flaw_of(snapshot);
    return flaw ? flaw->where : "";
  }
  /// The same, with the block's hash as it should be.
  std::string flaw_of_changed(v1::Snapshot snapshot) {
    make_hash_true(snapshot, state_);
    return flaw_of(snapshot);
  }
  const State& state() const { return state_; }

 private:
  LoadedRig rig_;
  std::unique_ptr<Plant> plant_;
  State state_;
  SnapshotTrial trial_;
  StepInput input_;
};

TEST(SnapshotTrial, WhereverAPlantIsItsSnapshotsAreTaken) {
  for (const std::string& name : test::rig_names()) {
    Trial trial(name);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(trial.flaw_of(trial.snapshot()), "") << name << ", step " << trial.state().step();
      trial.step(97);
    }
  }
}

TEST(SnapshotTrial, NamesTheFieldThatIsToBlame) {
  Trial trial("four_bar");
  trial.step(100);
  const v1::Snapshot good = trial.snapshot();
  const auto with = [&](const auto& change) {
    v1::Snapshot changed = good;
    change(changed);
    return changed;
  };
  constexpr int kQ = State::kHeader;

  EXPECT_EQ(trial.flaw_of(good), "");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.set_block(kQ, s.block(kQ) + 1e-12); })), "block")
      << "its hash is another";
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.set_step(s.step() + 1); })), "step");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.set_time_s(kNan); })), "time_s");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.mutable_policies(0)->set_value(1e6); })), "policies[0].value");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.mutable_policies(0)->set_value(kNan); })), "policies[0].value");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.mutable_policies(0)->set_age_ticks(-1); })), "policies[0].age_ticks");
  EXPECT_EQ(trial.flaw_of(
                with([](auto& s) { s.mutable_policies(0)->set_age_ticks(std::numeric_limits<std::int64_t>::max()); })),
            "policies[0].age_ticks");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) { s.add_waiting()->set_kind(77); })), "waiting[0]");
  EXPECT_EQ(trial.flaw_of(with([](auto& s) {
    s.add_parameters()->set_name("crank");
    s.mutable_parameters(0)->set_value("3 parsec");
  })),
            "parameters");

  EXPECT_EQ(trial.flaw_of_changed(with([](auto& s) { s.set_block(0, 1e9); })), "block[0]") << "time";
  EXPECT_EQ(trial.flaw_of_changed(with([](auto& s) { s.set_block(1, 4.0); })), "block[1]") << "history";
  EXPECT_EQ(trial.flaw_of_changed(with([](auto& s) { s.set_block(7, 3.0); })), "block[7]") << "level";
  EXPECT_EQ(trial.flaw_of_changed(with([](auto& s) { s.set_block(kQ + 1, kNan); })), "block[9]");
  EXPECT_EQ(trial.flaw_of_changed(with([](auto& s) { s.set_block(kQ + 3, 1e17); })), "block") << "a step fails";
}

TEST(SnapshotTrial, QuaternionsHaveUnitLength) {
  Trial trial("stewart");
  trial.step(10);
  const v1::Snapshot good = trial.snapshot();
  const auto model = load_rig(test::rig_path("stewart"));
  ASSERT_FALSE(model->model.model.quaternion_bodies().empty());
  const int body = model->model.model.quaternion_bodies()[0];
  const int at =
      State::kHeader + model->model.model.body(body).q + joint_kind(model->model.model.body(body).joint).quaternion;

  v1::Snapshot damaged = good;
  for (int i = 0; i < 4; ++i) damaged.set_block(at + i, 0.0);

  EXPECT_EQ(trial.flaw_of_changed(damaged), "block[" + std::to_string(at) + "]");
}

}  // namespace
}  // namespace kinloop::io
