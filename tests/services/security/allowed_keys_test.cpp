// Tests the folder of allowed keys: who is in it, what is wrong with it, and that changes are seen.
#include "services/security/allowed_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "services/base/diagnostics.hpp"
#include "tests/services/security/key_fixture.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop::security {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class AllowedKeysTest : public KeyFixture {
 protected:
  std::string errors() const { return to_text(read_allowed_keys(keys()).errors); }
  /// By this clock every file is old, so that it is read again only if its stamp has changed.
  static std::time_t much_later_s() { return std::time(nullptr) + 3600; }
};

TEST_F(AllowedKeysTest, AnEmptyFolderAllowsNobody) {
  const auto folder = KeyFolder::open(keys());

  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(folder->size(), 0u);
  EXPECT_EQ(folder->find(new_pair("a").public_key), nullptr);
}

TEST_F(AllowedKeysTest, EachFileAllowsItsKey) {
  const KeyPair alice = allow("alice", Role::kOperator);
  const KeyPair bob = allow("bob", Role::kObserver);
  write("keys/notes.txt", "not a key");
  write("keys/.hidden.public", "not a key");

  const auto folder = KeyFolder::open(keys());

  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(folder->size(), 2u);
  ASSERT_NE(folder->find(alice.public_key), nullptr);
  EXPECT_EQ(*folder->find(alice.public_key), (Caller{Role::kOperator, "alice"}));
  EXPECT_EQ(*folder->find(bob.public_key), (Caller{Role::kObserver, "bob"}));
}

TEST_F(AllowedKeysTest, AKeyInTwoFilesIsRefused) {
  const KeyPair alice = allow("alice", Role::kOperator);
  write("keys/zoe.public", public_key_text({"zoe", Role::kAdmin, alice.public_key}));
  allow("bob", Role::kObserver);

  EXPECT_THAT(errors(), HasSubstr(public_file("zoe").string() + ":5: public_key: is that of " +
                                  public_file("alice").string() + " too: neither counts until one is gone"));
  EXPECT_EQ(read_allowed_keys(keys()).by_key.size(), 1u);
  EXPECT_FALSE(KeyFolder::open(keys()).has_value());
}

TEST_F(AllowedKeysTest, ANameInTwoFilesIsRefused) {
  allow("alice", Role::kOperator);
  write("keys/b.public", public_key_text({"alice", Role::kAdmin, new_pair("x").public_key}));

  EXPECT_THAT(errors(), HasSubstr("b.public:3: name: is that of "));
  EXPECT_TRUE(read_allowed_keys(keys()).by_key.empty());
}

TEST_F(AllowedKeysTest, AServersKeyIsRefused) {
  write("keys/server.public", public_key_text({"server", std::nullopt, new_pair("s").public_key}));

  EXPECT_THAT(errors(), HasSubstr("server.public:4: role: is that of a plant; this folder is for keys of clients"));
}

TEST_F(AllowedKeysTest, AFolderThatEverybodyMayWriteIntoIsRefused) {
  allow("alice", Role::kOperator);
  ASSERT_EQ(::chmod(keys().c_str(), 0777), 0);

  EXPECT_THAT(errors(), HasSubstr("every user may put keys into this folder; mend it with: chmod o-w "));
  EXPECT_TRUE(read_allowed_keys(keys()).by_key.empty());
}

TEST_F(AllowedKeysTest, AFileThatEverybodyMayWriteIsRefused) {
  allow("alice", Role::kOperator);
  ASSERT_EQ(::chmod(public_file("alice").c_str(), 0666), 0);

  EXPECT_THAT(errors(), HasSubstr("alice.public: every user may write it; mend it with: chmod o-w "));
}

TEST_F(AllowedKeysTest, AMissingFolderIsRefused) {
  const auto folder = KeyFolder::open(folder_ / "no");

  ASSERT_FALSE(folder.has_value());
  EXPECT_THAT(to_text(folder.error()), HasSubstr("no: cannot be opened: No such file or directory"));
  EXPECT_FALSE(KeyFolder::open("/dev/null").has_value());
}

TEST_F(AllowedKeysTest, AWithdrawnKeyIsGoneAfterARefresh) {
  const KeyPair alice = allow("alice", Role::kOperator);
  auto folder = KeyFolder::open(keys());
  ASSERT_TRUE(folder.has_value());

  fs::remove(public_file("alice"));

  EXPECT_TRUE(folder->refresh().empty());
  EXPECT_EQ(folder->find(alice.public_key), nullptr);
}

TEST_F(AllowedKeysTest, AChangedRoleIsSeenAlthoughTheFolderItselfIsUnchanged) {
  const KeyPair alice = allow("alice", Role::kOperator);
  auto folder = KeyFolder::open(keys(), &much_later_s);
  ASSERT_TRUE(folder.has_value());

  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (folder->find(alice.public_key)->role != Role::kObserver && std::chrono::steady_clock::now() < end) {
    // Until the clock of the files has gone on.
    write("keys/alice.public", public_key_text({"alice", Role::kObserver, alice.public_key}));
    folder->refresh();
    ASSERT_NE(folder->find(alice.public_key), nullptr);
  }

  EXPECT_EQ(folder->find(alice.public_key)->role, Role::kObserver);
}

TEST_F(AllowedKeysTest, ARemovedAndAnAddedFileAreSeenAtOnceHoweverOldTheFolderIs) {
  const KeyPair alice = allow("alice", Role::kOperator);
  auto folder = KeyFolder::open(keys(), &much_later_s);
  ASSERT_TRUE(folder.has_value());

  fs::remove(public_file("alice"));
  const KeyPair bob = allow("bob", Role::kOperator);
  folder->refresh();

  EXPECT_EQ(folder->find(alice.public_key), nullptr);
  EXPECT_NE(folder->find(bob.public_key), nullptr);
}

TEST_F(AllowedKeysTest, QuickChangesOfTheSameSizeAreAllSeen) {
  const KeyPair first = allow("alice", Role::kOperator);
  auto folder = KeyFolder::open(keys());
  ASSERT_TRUE(folder.has_value());

  for (int i = 0; i < 50; ++i) {
    const KeyPair next = allow("alice", Role::kOperator);
    folder->refresh();

    EXPECT_NE(folder->find(next.public_key), nullptr) << i;
    EXPECT_EQ(folder->size(), 1u);
  }
}

TEST_F(AllowedKeysTest, AFolderThatGoesAwayAllowsNobody) {
  const KeyPair alice = allow("alice", Role::kOperator);
  auto folder = KeyFolder::open(keys());
  ASSERT_TRUE(folder.has_value());

  fs::remove_all(keys());

  EXPECT_FALSE(folder->refresh().empty());
  EXPECT_EQ(folder->find(alice.public_key), nullptr);
}

TEST_F(AllowedKeysTest, AnErrorIsToldOnceAndTheKeysAreBackWhenItIsMended) {
  const KeyPair alice = allow("alice", Role::kOperator);
  auto folder = KeyFolder::open(keys());
  ASSERT_TRUE(folder.has_value());

  write("keys/alice.public", "name: alice\n");
  EXPECT_EQ(folder->refresh().size(), 2u);
  EXPECT_TRUE(folder->refresh().empty());
  EXPECT_EQ(folder->find(alice.public_key), nullptr);

  write("keys/alice.public", public_key_text({"alice", Role::kAdmin, alice.public_key}));
  EXPECT_TRUE(folder->refresh().empty());
  EXPECT_NE(folder->find(alice.public_key), nullptr);
}

}  // namespace
}  // namespace kinloop::security
