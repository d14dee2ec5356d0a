// Tests what the verb trim says besides its answer.
#include "services/cli/trim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;

class TrimVerb : public TemporaryFolder {
 protected:
  Ran trim_with(const std::string& integrator) {
    write("model.yaml",
          "kinloop: 1\nbodies: [{name: rod, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.001]}]\n"
          "joints: [{name: pin, type: revolute, predecessor: ground, successor: rod, axis: [0, 1, 0], "
          "damping: 0.5 N*m*s/rad, stiffness: 1e7 N*m/rad}]\n");
    write("rig.yaml",
          "kinloop_rig: 1\nname: own\nmodel: model.yaml\nrate: 1 kHz\nsolver: {integrator: " + integrator + "}\n");
    return run_kinloop({"trim", (folder_ / "rig.yaml").string(), "--hold"});
  }
};

TEST_F(TrimVerb, WarnsOfAnIntegratorThatIsNamedAndDiverges) {
  EXPECT_THAT(trim_with("rk4").err, HasSubstr("solver: joint pin: the springs answer at"));
}

TEST_F(TrimVerb, NamesWhatAutoTakes) {
  const Ran ran = trim_with("auto");

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("auto takes linearly_implicit: joint pin"));
  EXPECT_EQ(ran.err, "");
}

}  // namespace
}  // namespace kinloop::cli
