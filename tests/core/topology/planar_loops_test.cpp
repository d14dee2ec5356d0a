// Tests which loops are recognised: by their geometry, whatever their names, places, order and cuts.
#include "core/topology/planar_loops.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "tests/support/planar_loop.hpp"

namespace kinloop {
namespace {

using mechanisms::planar_loop;
using mechanisms::PlanarLoopOptions;

std::optional<PlanarLinkage> recognised(const ModelSpec& spec, int closing = 0) {
  return PlanarLoops(mechanisms::compiled(spec)).linkage_of(closing);
}

/// What a loop of these letters is; its first and last joints are on the base.
PlanarLinkage expected(const std::string& joints) {
  const auto slides = std::count(joints.begin(), joints.end(), 'P');
  if (slides == 0) return PlanarLinkage::kFourBar;
  if (slides == 2) return PlanarLinkage::kDoubleSlider;
  return joints.front() == 'P' || joints.back() == 'P' ? PlanarLinkage::kSliderCrank : PlanarLinkage::kQuickReturn;
}

void expect_recognised(const PlanarLoopOptions& like) {
  for (const char* joints : {"RRRR", "PRRR", "RPRR", "RRPR", "RRRP", "RRPP", "RPRP", "RPPR", "PRRP", "PRPR", "PPRR"}) {
    for (int cut = 0; cut < 4; ++cut) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        PlanarLoopOptions options = like;
        options.joints = joints;
        options.cut = cut;
        const ModelSpec spec = planar_loop(seed, options);

        EXPECT_EQ(recognised(spec), expected(joints)) << spec.name;
      }
    }
  }
}

TEST(PlanarLoops, AreFoundAnywhereCutAnywhere) { expect_recognised({}); }
TEST(PlanarLoops, AreFoundOnAMovingBody) { expect_recognised({.moving_base = true}); }
TEST(PlanarLoops, AreFoundAcrossFixedJoints) { expect_recognised({.moving_base = true, .on_fixed_parts = true}); }
TEST(PlanarLoops, AreFoundOfMillimetres) { expect_recognised({.scale_m = 1e-3}); }
TEST(PlanarLoops, AreFoundOfKilometres) { expect_recognised({.scale_m = 1e3}); }

TEST(PlanarLoops, APinInASlotCountsAsASlideAndAHinge) {
  for (const char* joints : {"SRR", "RSR", "RRS", "SS", "SPR", "RSP"}) {
    for (int cut = 0; cut < static_cast<int>(std::string(joints).size()); ++cut) {
      const ModelSpec spec = planar_loop(3, {.joints = joints, .cut = cut});

      EXPECT_TRUE(recognised(spec).has_value()) << spec.name;
    }
  }
}

TEST(PlanarLoops, AFourBarStaysOneRenamedTurnedAndReordered) {
  ModelSpec spec = mechanisms::four_bar();
  Random random(1);
  spec = mechanisms::placed(spec, random.pose(10.0));
  const auto rename = [](std::string& name) {
    if (name != kGround) name = "x" + std::string(name.rbegin(), name.rend());
  };
  for (BodySpec& body : spec.bodies) rename(body.name);
  for (auto* list : {&spec.joints, &spec.loops}) {
    for (JointSpec& joint : *list) {
      rename(joint.name);
      rename(joint.predecessor);
      rename(joint.successor);
    }
  }
  std::reverse(spec.bodies.begin(), spec.bodies.end());
  std::reverse(spec.joints.begin(), spec.joints.end());

  EXPECT_EQ(recognised(spec), PlanarLinkage::kFourBar);
}

TEST(PlanarLoops, ADrivenJointTakesPart) {
  ModelSpec spec = mechanisms::four_bar();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].motion.emplace().polynomial = {1.0, 2.0};

  EXPECT_EQ(recognised(spec), PlanarLinkage::kFourBar);
}

TEST(PlanarLoops, WindowsLeadThroughTheClosingJointsOfOthers) {
  ModelSpec spec = mechanisms::n_four_bar(6, 0.7, 1.0);
  Random random(2);
  random.shuffle(spec.loops);
  const PlanarLoops planar(mechanisms::compiled(spec));

  EXPECT_EQ(planar.loops.size(), 6U);
  for (int l = 0; l < 6; ++l) EXPECT_EQ(planar.linkage_of(l), PlanarLinkage::kFourBar);
}

TEST(PlanarLoops, AThousandWindowsInAnyOrderAreFoundAtOnce) {
  ModelSpec spec = mechanisms::n_four_bar(1000, 0.7, 1.0);
  std::reverse(spec.loops.begin(), spec.loops.end());

  EXPECT_EQ(PlanarLoops(mechanisms::compiled(spec)).loops.size(), 1000U);
}

TEST(PlanarLoops, OfTheSharedMechanismsAreKnown) {
  const auto linkages = [](const char* name) {
    const Model model = mechanisms::compiled(mechanisms::config(name));
    const PlanarLoops planar(model);
    std::string text;
    for (std::size_t l = 0; l < model.loops().size(); ++l) {
      const auto linkage = planar.linkage_of(static_cast<int>(l));
      text += std::string(linkage ? name_of(*linkage) : "-") + ' ';
    }
    return text;
  };

  EXPECT_EQ(linkages("four_bar"), "four-bar ");
  EXPECT_EQ(linkages("slider_crank"), "slider-crank ");
  EXPECT_EQ(linkages("quick_return"), "quick-return slider-crank ");
  EXPECT_EQ(linkages("n_four_bar"), "four-bar four-bar four-bar four-bar four-bar ");
  EXPECT_EQ(linkages("excavator"), "quick-return quick-return quick-return four-bar ");
  EXPECT_EQ(linkages("andrews_squeezer"), "four-bar - - ");  // the other two have five joints
  EXPECT_EQ(linkages("five_bar"), "- ");
  EXPECT_EQ(linkages("bricard"), "- ");
  EXPECT_EQ(linkages("double_wishbone"), "- - ");
  EXPECT_EQ(linkages("stewart_platform"), "- - - - - - ");
}

TEST(PlanarLoops, AxesThatAreNearlyParallelAreNotParallel) {
  for (const char* joints : {"RRRR", "RRPR", "PRRP"}) {
    for (int cut = 0; cut < 4; ++cut) {
      EXPECT_FALSE(recognised(planar_loop(5, {.joints = joints, .cut = cut, .tilt_rad = 1e-3})).has_value());
      EXPECT_FALSE(recognised(planar_loop(5, {.joints = joints, .cut = cut, .tilt_rad = 1e-7})).has_value());
      EXPECT_TRUE(recognised(planar_loop(5, {.joints = joints, .cut = cut, .tilt_rad = 1e-13})).has_value());
    }
  }
}

TEST(PlanarLoops, SlidesThatLeaveThePlaneAreNotOfThePlane) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    // Tilted about x: what lies along x stays in the plane.
    const ModelSpec spec = planar_loop(seed, {.joints = "RPRR", .tilt_rad = 1e-3});

    EXPECT_FALSE(recognised(spec).has_value()) << seed;
  }
}

TEST(PlanarLoops, BallsScrewsAndMoreOrFewerJointsAreLeftAlone) {
  for (const JointType type :
       {JointType::kSpherical, JointType::kUniversal, JointType::kScrew, JointType::kCylindrical, JointType::kPlanar}) {
    ModelSpec spec = mechanisms::four_bar();
    spec.loops[0].type = type;
    EXPECT_FALSE(recognised(spec).has_value());
  }
  EXPECT_FALSE(recognised(planar_loop(1, {.joints = "RRR"})).has_value());
  EXPECT_FALSE(recognised(planar_loop(1, {.joints = "RRRRR"})).has_value());
  EXPECT_FALSE(recognised(planar_loop(1, {.joints = "PPPR"})).has_value());
  EXPECT_FALSE(recognised(planar_loop(1, {.joints = "PPPP"})).has_value());
}

TEST(PlanarLoops, ALoopThatNoConfigurationClosesIsLeftAlone) {
  ModelSpec spec = mechanisms::four_bar();
  // The last hinge would have to stand upside down.
  spec.loops[0].frame_succ.R = Eigen::AngleAxisd(3.14159265358979323846, Vector3::UnitX()).toRotationMatrix();

  EXPECT_FALSE(recognised(spec).has_value());
}

}  // namespace
}  // namespace kinloop
