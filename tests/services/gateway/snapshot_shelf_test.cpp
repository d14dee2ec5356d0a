// Tests that named snapshots stay, also over a restart.
#include "services/gateway/snapshot_shelf.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::gateway {
namespace {

using SnapshotShelfTest = TemporaryFolder;

v1::Snapshot snapshot_of(std::uint64_t step) {
  v1::Snapshot snapshot;
  snapshot.set_step(step);
  snapshot.set_time_s(static_cast<double>(step) * 1e-3);
  return snapshot;
}

TEST_F(SnapshotShelfTest, WhatWasPutIsFoundByAnotherShelf) {
  SnapshotShelf shelf(folder_ / "snapshots");

  EXPECT_FALSE(shelf.put("before / the dig", snapshot_of(7)));

  SnapshotShelf other(folder_ / "snapshots");
  ASSERT_NE(other.find("before / the dig"), nullptr);
  EXPECT_EQ(other.find("before / the dig")->step(), 7U);
  EXPECT_EQ(other.list().snapshots(0).name(), "before / the dig");
}

TEST_F(SnapshotShelfTest, WhatWasForgottenIsGone) {
  SnapshotShelf shelf(folder_ / "snapshots");
  EXPECT_FALSE(shelf.put("one", snapshot_of(1)));

  EXPECT_TRUE(shelf.forget("one"));

  EXPECT_FALSE(shelf.forget("one"));
  EXPECT_EQ(SnapshotShelf(folder_ / "snapshots").list().snapshots_size(), 0);
}

TEST_F(SnapshotShelfTest, ThereIsRoomForSoManyAndNoMore) {
  SnapshotShelf shelf(folder_ / "snapshots");
  for (std::size_t i = 0; i < SnapshotShelf::kMax; ++i) {
    ASSERT_FALSE(shelf.put("s" + std::to_string(i), snapshot_of(i)));
  }

  EXPECT_TRUE(shelf.put("one more", snapshot_of(1)));
  EXPECT_FALSE(shelf.put("s3", snapshot_of(2)));
}

TEST(SnapshotNames, HaveOneTo64CharactersThatCanBeShown) {
  EXPECT_TRUE(SnapshotShelf::is_name("a"));
  EXPECT_FALSE(SnapshotShelf::is_name(""));
  EXPECT_FALSE(SnapshotShelf::is_name("a\nb"));
  EXPECT_FALSE(SnapshotShelf::is_name(std::string(65, 'x')));
}

}  // namespace
}  // namespace kinloop::gateway
