// Tests the folders of local plants: private, and gone when their plant is.
#include "services/net/private_folder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::net {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

mode_t rights_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

/// The number of a process that was, and is no more.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return child;
}

class PrivateFolder : public TemporaryFolder {
 protected:
  std::string error_of(const fs::path& path) const {
    const auto made = make_private_folder(path);
    return made ? "" : made.error().what;
  }
  fs::path runtime() const { return folder_ / "runtime"; }
};

TEST_F(PrivateFolder, IsMadeForItsOwnerAlone) {
  const mode_t old = ::umask(0);
  const std::string error = error_of(folder_ / "a");
  ::umask(old);

  EXPECT_EQ(error, "");
  EXPECT_EQ(rights_of(folder_ / "a"), 0700u);
  EXPECT_EQ(error_of(folder_ / "a"), "");
}

TEST_F(PrivateFolder, ALinkIsRefusedEvenToAGoodFolder) {
  ASSERT_EQ(error_of(folder_ / "good"), "");
  fs::create_directory_symlink(folder_ / "good", folder_ / "link");

  EXPECT_THAT(error_of(folder_ / "link"), HasSubstr("is a link, maybe put there by somebody else"));
}

TEST_F(PrivateFolder, AFolderOfAnotherUserIsRefused) {
  fs::path foreign = "/usr";  // of root
  if (::geteuid() == 0) {
    foreign = folder_ / "foreign";
    fs::create_directory(foreign);
    ASSERT_EQ(::chmod(foreign.c_str(), 0700), 0);
    ASSERT_EQ(::chown(foreign.c_str(), 65534, 65534), 0);
  }

  EXPECT_THAT(error_of(foreign), HasSubstr("belongs to another user"));
}

TEST_F(PrivateFolder, AFolderThatOthersMayEnterIsRefusedWithTheCommandThatMendsIt) {
  for (const mode_t rights : {0710U, 0701U, 0750U, 0777U}) {
    fs::create_directory(folder_ / "open");
    ASSERT_EQ(::chmod((folder_ / "open").c_str(), rights), 0);

    EXPECT_THAT(error_of(folder_ / "open"), HasSubstr("mend it with: chmod 700 " + (folder_ / "open").string()));
  }
}

TEST_F(PrivateFolder, AFileOrAMissingParentIsRefused) {
  write("file", "x");

  EXPECT_EQ(error_of(folder_ / "file"), "is no folder");
  EXPECT_THAT(error_of(folder_ / "no" / "a"), HasSubstr("cannot be made: No such file or directory"));
}

TEST(RuntimeFolder, IsTheFirstThatTheEnvironmentNames) {
  std::map<std::string, const char*> variables;
  const Environment environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  };
  const fs::path last = "/tmp/kinloop-" + std::to_string(::geteuid());

  EXPECT_EQ(runtime_folder(environment), last);
  variables["XDG_RUNTIME_DIR"] = "relative";
  EXPECT_EQ(runtime_folder(environment), last);
  variables["XDG_RUNTIME_DIR"] = "/run/user/7";
  EXPECT_EQ(runtime_folder(environment), "/run/user/7/kinloop");
  variables["KINLOOP_RUNTIME_DIR"] = "";
  EXPECT_EQ(runtime_folder(environment), "/run/user/7/kinloop");
  variables["KINLOOP_RUNTIME_DIR"] = "/srv/rig";
  EXPECT_EQ(runtime_folder(environment), "/srv/rig");
}

TEST_F(PrivateFolder, APlantHasOneOfItsOwnWhileItLives) {
  fs::path path;
  {
    const auto plant = PlantFolder::create(runtime(), "crane");
    ASSERT_TRUE(plant.has_value()) << plant.error().what;
    path = plant->path();
    EXPECT_EQ(path, runtime() / ("crane-" + std::to_string(::getpid())));
    EXPECT_EQ(rights_of(path), 0700u);
    EXPECT_EQ(rights_of(runtime()), 0700u);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolder, TheNameOfARigLeadsNowhereElse) {
  for (const std::string& rig : {std::string("../../etc"), std::string("."), std::string("a b/c"), std::string(),
                                 std::string(500, 'x'), std::string("a\0b", 3)}) {
    const auto plant = PlantFolder::create(runtime(), rig);

    ASSERT_TRUE(plant.has_value()) << plant.error().what;
    EXPECT_EQ(plant->path().parent_path(), runtime());
    EXPECT_LT(plant->path().filename().string().size(), 50u);
  }
}

TEST_F(PrivateFolder, TwoPlantsDoNotShareOne) {
  const auto first = PlantFolder::create(runtime(), "crane");
  const auto second = PlantFolder::create(runtime(), "crane");

  ASSERT_TRUE(first.has_value());
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().what, HasSubstr("is in use"));
}

TEST_F(PrivateFolder, FoldersOfDeadPlantsAreRemovedAndNothingElse) {
  ASSERT_EQ(error_of(runtime()), "");
  const fs::path dead = runtime() / ("crane-" + std::to_string(dead_process()));
  const fs::path young = runtime() / ("loader-" + std::to_string(::getppid()));  // has no lock yet
  for (const fs::path& path : {dead, young, runtime() / "notes", runtime() / "a-b", runtime() / "-1"}) {
    fs::create_directory(path);
  }
  write("runtime/" + dead.filename().string() + "/control", "a socket once");
  fs::create_directory_symlink(folder_, runtime() / "link-1");
  const auto alive = PlantFolder::create(folder_ / "runtime", "alive");  // tidies up by itself

  EXPECT_TRUE(alive.has_value());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(runtime() / "notes"));
  EXPECT_TRUE(fs::exists(runtime() / "a-b"));
  EXPECT_TRUE(fs::exists(folder_));
  EXPECT_EQ(remove_dead_plants(runtime()), 0);
  EXPECT_TRUE(fs::exists(alive->path()));
}

TEST_F(PrivateFolder, APlantThatWasKilledLeavesAFolderThatIsRemovedThoughItsNumberIsInUseAgain) {
  ASSERT_EQ(error_of(runtime()), "");
  const fs::path left = runtime() / ("crane-" + std::to_string(::getppid()));
  fs::create_directory(left);
  std::ofstream(left / "lock").flush();  // which nobody holds

  EXPECT_EQ(remove_dead_plants(runtime()), 1);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(PrivateFolder, APlantOfAnotherContainerIsAliveThoughItsNumberIsUnknownHere) {
  ASSERT_EQ(error_of(runtime()), "");
  const fs::path other = runtime() / ("crane-" + std::to_string(dead_process()));
  fs::create_directory(other);
  const int lock = ::open((other / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);

  EXPECT_EQ(remove_dead_plants(runtime()), 0);
  EXPECT_TRUE(fs::exists(other));
  ::close(lock);
}

}  // namespace
}  // namespace kinloop::net
