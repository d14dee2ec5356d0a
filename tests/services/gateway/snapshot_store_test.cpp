// Tests that named snapshots stay, also over a restart.
#include "services/gateway/snapshot_store.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::gateway {
namespace {

using SnapshotStoreTest = TemporaryFolder;

v1::Snapshot snapshot_of(std::uint64_t step) {
  v1::Snapshot snapshot;
  snapshot.set_step(step);
  snapshot.set_time_s(static_cast<double>(step) * 1e-3);
  return snapshot;
}

TEST_F(SnapshotStoreTest, WhatWasPutIsFoundByAnotherStore) {
  SnapshotStore store(folder_ / "snapshots");

  EXPECT_FALSE(store.put("before / the dig", snapshot_of(7)));

  SnapshotStore other(folder_ / "snapshots");
  ASSERT_NE(other.find("before / the dig"), nullptr);
  EXPECT_EQ(other.find("before / the dig")->step(), 7U);
  EXPECT_EQ(other.list().snapshots(0).name(), "before / the dig");
}

TEST_F(SnapshotStoreTest, WhatWasForgottenIsGone) {
  SnapshotStore store(folder_ / "snapshots");
  EXPECT_FALSE(store.put("one", snapshot_of(1)));

  EXPECT_TRUE(store.forget("one"));

  EXPECT_FALSE(store.forget("one"));
  EXPECT_EQ(SnapshotStore(folder_ / "snapshots").list().snapshots_size(), 0);
}

TEST_F(SnapshotStoreTest, ThereIsRoomForSoManyAndNoMore) {
  SnapshotStore store(folder_ / "snapshots");
  for (std::size_t i = 0; i < SnapshotStore::kMax; ++i) {
    ASSERT_FALSE(store.put("s" + std::to_string(i), snapshot_of(i)));
  }

  EXPECT_TRUE(store.put("one more", snapshot_of(1)));
  EXPECT_FALSE(store.put("s3", snapshot_of(2)));
}

TEST(SnapshotNames, HaveOneTo64CharactersThatCanBeShown) {
  EXPECT_TRUE(SnapshotStore::is_name("a"));
  EXPECT_FALSE(SnapshotStore::is_name(""));
  EXPECT_FALSE(SnapshotStore::is_name("a\nb"));
  EXPECT_FALSE(SnapshotStore::is_name(std::string(65, 'x')));
}

}  // namespace
}  // namespace kinloop::gateway
