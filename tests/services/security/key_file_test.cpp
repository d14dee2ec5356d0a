// Tests the two files of a key pair: what is written reads back, what is wrong is said without telling a secret.
#include "services/security/key_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "services/base/diagnostics.hpp"
#include "services/security/guarded_file.hpp"
#include "services/security/keys.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::security {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// From the specification of CURVE (ZeroMQ RFC 26) and the manual of zmq_curve: test keys known to all.
constexpr const char* kPublic = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
constexpr const char* kSecret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

std::string errors_of(const std::string& text) {
  const auto key = parse_public_key(text, "a.public");
  return key ? "" : to_text(key.error());
}

std::string pair_errors_of(const std::string& text) {
  const auto pair = parse_key_pair(text, "a.secret");
  return pair ? "" : to_text(pair.error());
}

std::string public_text(const std::string& name, const std::string& role, const std::string& key) {
  return "name: " + name + "\nrole: " + role + "\npublic_key: " + key + "\n";
}

TEST(KeyFile, APublicKeyReadsBackAsItWasWritten) {
  for (const std::optional<Role> role :
       {std::optional(Role::kObserver), std::optional(Role::kOperator), std::optional(Role::kAdmin), {}}) {
    const auto key = parse_public_key(public_key_text({"alice", role, kPublic}), "a.public");

    ASSERT_TRUE(key.has_value());
    EXPECT_EQ(key->name, "alice");
    EXPECT_EQ(key->role, role);
    EXPECT_EQ(key->key, kPublic);
  }
}

TEST(KeyFile, AKeyPairReadsBackAsItWasWritten) {
  for (int i = 0; i < 200; ++i) {  // Z85 has '#' and ':' too, at any place
    const KeyPair pair = make_key_pair("alice").value();

    const auto read = parse_key_pair(key_pair_text(pair), "a.secret");

    ASSERT_TRUE(read.has_value()) << to_text(read.error());
    EXPECT_EQ(read->public_key, pair.public_key);
    EXPECT_STREQ(read->secret_key.z85(), pair.secret_key.z85());
  }
}

TEST(KeyFile, RemarksBlanksAndLineEndsOfOtherSystemsAreFine) {
  EXPECT_EQ(errors_of("# a remark\r\n\r\n  name :  alice \r\n\trole:admin\r\n#x\npublic_key: " + std::string(kPublic)),
            "");
}

TEST(KeyFile, EveryErrorNamesFileLineAndField) {
  EXPECT_THAT(errors_of(public_text("a b", "admin", kPublic)), HasSubstr("a.public:1: name: wants 1 to 64 letters"));
  EXPECT_THAT(errors_of(public_text("a", "operater", kPublic)),
              HasSubstr("a.public:2: role: there is no role 'operater'; did you mean 'operator'?"));
  EXPECT_THAT(errors_of(public_text("a", "admin", "abc")),
              HasSubstr("a.public:3: public_key: is no key: 40 characters of Z85 are wanted, here are 3"));
  EXPECT_THAT(errors_of(public_text("a", "admin", std::string(39, 'a') + "\"")),
              HasSubstr("a.public:3: public_key: is no key: 40 characters of Z85 are wanted, here are 40, not all"));
  EXPECT_THAT(errors_of("role: admin\n"), HasSubstr("a.public: name: is missing"));
  EXPECT_THAT(errors_of(public_text("a", "admin", kPublic) + "name: b\n"),
              HasSubstr("a.public:4: name: stands here a second time"));
  EXPECT_THAT(errors_of(public_text("a", "admin", kPublic) + "colour: red\n"),
              HasSubstr("a.public:4: is no line \"field: value\" with a field of 'name', 'role', 'public_key'"));
  EXPECT_THAT(errors_of(""), HasSubstr("a.public: public_key: is missing"));
}

TEST(KeyFile, AllErrorsAreToldAtOnceButNotWithoutEnd) {
  const auto key = parse_public_key(public_text("", "", ""), "a.public");
  ASSERT_FALSE(key.has_value());
  EXPECT_EQ(key.error().size(), 3u);

  std::string many;
  for (int i = 0; i < 1000; ++i) many += "x\n";
  const auto bad = parse_public_key(many, "a.public");
  ASSERT_FALSE(bad.has_value());
  EXPECT_LT(bad.error().size(), 40u);
}

TEST(KeyFile, ValuesBeyondThirtyTwoBitsAreNoKey) {
  // "#####" is the largest digit five times, more than four bytes hold.
  EXPECT_THAT(errors_of(public_text("a", "admin", std::string(40, '#'))), HasSubstr("not all of Z85"));
}

TEST(KeyFile, TheKnownPairBelongsTogetherAndAnotherDoesNot) {
  const std::string good =
      "name: a\npublic_key: " + std::string(kPublic) + "\nsecret_key: " + std::string(kSecret) + "\n";
  const KeyPair other = make_key_pair("b").value();
  const std::string mixed = "name: a\npublic_key: " + other.public_key + "\nsecret_key: " + std::string(kSecret) + "\n";

  EXPECT_EQ(pair_errors_of(good), "");
  EXPECT_THAT(pair_errors_of(mixed), HasSubstr("a.secret:2: public_key: does not belong to the secret key"));
}

TEST(KeyFile, NoErrorTellsASecretWhereverItStands) {
  const std::string secret = kSecret;
  for (const std::string& text :
       {secret + "\n", "name: " + secret + "\n", "role: " + secret + "\n", "secret_key: x" + secret + "\n",
        "seecret_key: " + secret + "\n", secret + ": x\n", "secret_key " + secret + "\n",
        "name: a\npublic_key: " + secret + "\nsecret_key: " + secret + "\n"}) {
    for (const std::string& errors : {errors_of(text), pair_errors_of(text)}) {
      EXPECT_NE(errors, "");
      EXPECT_THAT(errors, Not(HasSubstr(secret.substr(4, 10)))) << text;
    }
  }
}

TEST(KeyFile, APublicKeyIsShownShortened) { EXPECT_EQ(shortened(kPublic), "Yne@$w-v..."); }

TEST(KeyFile, NamesAreFitForFilesAndIds) {
  for (const char* name : {"a", "Alice", "rig-7.north", "0", "a_b"}) EXPECT_TRUE(is_key_name(name)) << name;
  for (const std::string& name : std::vector<std::string>{"", ".", "..", "-x", "_x", "a/b", "a b", "a:b", "\xc3\xa4",
                                                          std::string("a\0b", 3), std::string(65, 'a')}) {
    EXPECT_FALSE(is_key_name(name)) << name;
  }
}

class KeyFileOnDisk : public TemporaryFolder {
 protected:
  fs::path secret() const { return folder_ / "alice.secret"; }
  fs::path open() const { return folder_ / "alice.public"; }
  static mode_t rights_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777U;
  }
  static void set_rights(const fs::path& path, mode_t rights) { EXPECT_EQ(::chmod(path.c_str(), rights), 0); }
};

TEST_F(KeyFileOnDisk, TheSecretIsItsOwnersAloneWhateverTheMask) {
  const mode_t old = ::umask(0);
  const auto loose = write_key_files(folder_, make_key_pair("alice").value(), Role::kAdmin);
  ::umask(0077);
  const auto strict = write_key_files(folder_, make_key_pair("bob").value(), Role::kAdmin);
  ::umask(old);

  ASSERT_TRUE(loose && strict);
  for (const auto& files : {*loose, *strict}) {
    EXPECT_EQ(rights_of(files.secret_file), 0600u);
    EXPECT_EQ(rights_of(files.public_file), 0644u);
  }
}

TEST_F(KeyFileOnDisk, WrittenFilesAreRead) {
  const KeyPair pair = make_key_pair("alice").value();
  ASSERT_TRUE(write_key_files(folder_, pair, Role::kOperator).has_value());

  const auto read_pair = read_key_pair(secret());
  const auto read_public = read_public_key(open());

  ASSERT_TRUE(read_pair && read_public);
  EXPECT_STREQ(read_pair->secret_key.z85(), pair.secret_key.z85());
  EXPECT_EQ(read_public->role, Role::kOperator);
}

TEST_F(KeyFileOnDisk, NothingIsOverwrittenAndNoHalfPairIsLeft) {
  write("alice.public", "mine");

  const auto files = write_key_files(folder_, make_key_pair("alice").value(), Role::kAdmin);

  ASSERT_FALSE(files.has_value());
  EXPECT_EQ(files.error().where, open().string());
  EXPECT_THAT(files.error().what, HasSubstr("is there already, and keys are never overwritten"));
  EXPECT_FALSE(fs::exists(secret()));
  EXPECT_EQ(fs::file_size(open()), 4u);
}

TEST_F(KeyFileOnDisk, ALinkInThePlaceOfTheSecretIsNotFollowed) {
  fs::create_symlink(folder_ / "elsewhere", secret());

  EXPECT_FALSE(write_key_files(folder_, make_key_pair("alice").value(), Role::kAdmin).has_value());

  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

TEST_F(KeyFileOnDisk, AMissingFolderIsAnError) {
  const auto files = write_key_files(folder_ / "no", make_key_pair("alice").value(), Role::kAdmin);

  ASSERT_FALSE(files.has_value());
  EXPECT_THAT(files.error().what, HasSubstr("cannot be made: No such file or directory"));
}

TEST_F(KeyFileOnDisk, ASecretThatOthersMayReadIsRefusedWithTheCommandThatMendsIt) {
  ASSERT_TRUE(write_key_files(folder_, make_key_pair("alice").value(), Role::kAdmin).has_value());

  for (const mode_t rights : {0640U, 0604U, 0602U, 0610U}) {
    set_rights(secret(), rights);
    const auto pair = read_key_pair(secret());

    ASSERT_FALSE(pair.has_value()) << rights;
    EXPECT_THAT(to_text(pair.error()), HasSubstr("mend it with: chmod 600 " + secret().string()));
  }
}

TEST_F(KeyFileOnDisk, APublicKeyThatEverybodyMayWriteIsRefused) {
  ASSERT_TRUE(write_key_files(folder_, make_key_pair("alice").value(), Role::kAdmin).has_value());
  set_rights(open(), 0646);

  const auto key = read_public_key(open());

  ASSERT_FALSE(key.has_value());
  EXPECT_THAT(to_text(key.error()), HasSubstr("every user may write it; mend it with: chmod o-w " + open().string()));
}

TEST_F(KeyFileOnDisk, AFileThatMayNotBeReadIsRefusedWithTheCommandThatMendsIt) {
  ASSERT_TRUE(write_key_files(folder_, make_key_pair("alice").value(), Role::kAdmin).has_value());
  set_rights(secret(), 0);
  const bool is_root = ::geteuid() == 0;  // whom no rights keep out
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(is_root ? ::seteuid(kNobody) : 0, 0);

  const auto pair = read_key_pair(secret());

  ASSERT_EQ(is_root ? ::seteuid(0) : 0, 0);
  ASSERT_FALSE(pair.has_value());
  EXPECT_THAT(to_text(pair.error()), HasSubstr("Permission denied; mend it with: chmod u+r " + secret().string()));
}

TEST_F(KeyFileOnDisk, WhatIsNoFileOrTooLargeIsRefused) {
  write("large", std::string(20000, '#'));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);

  EXPECT_THAT(to_text(read_public_key(folder_ / "large").error()), HasSubstr("is too large for a key file"));
  EXPECT_THAT(to_text(read_public_key(folder_ / "pipe").error()), HasSubstr("is no regular file"));
  EXPECT_THAT(to_text(read_public_key(folder_).error()), HasSubstr("is no regular file"));
  EXPECT_THAT(to_text(read_public_key(folder_ / "none").error()),
              HasSubstr("cannot be opened: No such file or directory"));
}

TEST(ShellWord, IsQuotedWhereAShellWouldReadItOtherwise) {
  EXPECT_EQ(as_shell_word("/a/b-c.public"), "/a/b-c.public");
  EXPECT_EQ(as_shell_word("/a b/$c"), "'/a b/$c'");
  EXPECT_EQ(as_shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace kinloop::security
