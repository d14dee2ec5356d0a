// Tests the verb `keygen`.
#include "services/cli/keygen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/console/exit_code.hpp"
#include "services/security/allowed_keys.hpp"
#include "services/security/key_file.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class Keygen : public TemporaryFolder {
 protected:
  Ran keygen(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"keygen", "--folder", folder_.string()});
    return run_kinloop(arguments);
  }
};

TEST_F(Keygen, MakesFilesThatThePlantAccepts) {
  const Ran ran = keygen({"alice", "--role", "operator"});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  const auto pair = security::read_key_pair(folder_ / "alice.secret");
  const auto allowed = security::read_allowed_keys(folder_);
  ASSERT_TRUE(pair.has_value());
  EXPECT_TRUE(allowed.errors.empty());
  EXPECT_EQ(allowed.by_key.at(pair->public_key), (security::Caller{security::Role::kOperator, "alice"}));
}

TEST_F(Keygen, AClientIsAnObserverUnlessMoreIsSaid) {
  EXPECT_EQ(keygen({"alice"}).code, console::kDone);

  EXPECT_EQ(security::read_public_key(folder_ / "alice.public")->role, security::Role::kObserver);
}

TEST_F(Keygen, APlantHasNoRole) {
  const Ran ran = keygen({"server", "--role", "server"});

  EXPECT_EQ(ran.code, console::kDone);
  EXPECT_FALSE(security::read_public_key(folder_ / "server.public")->role.has_value());
  EXPECT_THAT(ran.out, HasSubstr("server.secret  stays on the plant's host: kinloop run --server-key"));
  EXPECT_THAT(ran.out, HasSubstr("server.public  goes to every client"));
}

TEST_F(Keygen, SaysWhereTheFilesBelongAndPrintsNoKey) {
  const Ran ran = keygen({"alice"});

  const auto pair = security::read_key_pair(folder_ / "alice.secret");
  ASSERT_TRUE(pair.has_value());
  EXPECT_THAT(ran.out, HasSubstr("alice.secret  stays with its owner"));
  EXPECT_THAT(ran.out, HasSubstr("alice.public  goes into the plant's folder of allowed keys, as observer"));
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr(pair->secret_key.z85())));
}

TEST_F(Keygen, OverwritesNothing) {
  ASSERT_EQ(keygen({"alice"}).code, console::kDone);
  const std::string key = security::read_key_pair(folder_ / "alice.secret")->public_key;

  const Ran again = keygen({"alice", "--role", "admin"});

  EXPECT_EQ(again.code, console::kBadInput);
  EXPECT_THAT(again.err, HasSubstr("alice.secret: is there already, and keys are never overwritten"));
  EXPECT_EQ(security::read_key_pair(folder_ / "alice.secret")->public_key, key);
}

TEST_F(Keygen, MisuseIsExplained) {
  EXPECT_THAT(keygen({"../alice"}).err, HasSubstr("wants 1 to 64 letters"));
  EXPECT_THAT(keygen({"alice", "--role", "boss"}).err, HasSubstr("boss not in {observer,operator,admin,server}"));
  EXPECT_THAT(run_kinloop({"keygen", "alice", "--folder", "/no/such"}).err, HasSubstr("cannot be made"));
  EXPECT_EQ(keygen({}).code, console::kBadInput);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Keygen, HelpTeachesWhereFilesGo) {
  const Ran ran = run_kinloop({"keygen", "--help"});

  EXPECT_EQ(ran.code, console::kDone);
  for (const char* word : {"plant's host", "client's host", "keys/alice.public", "examples:\n  kinloop keygen"}) {
    EXPECT_THAT(ran.out, HasSubstr(word));
  }
}

}  // namespace
}  // namespace kinloop::cli
