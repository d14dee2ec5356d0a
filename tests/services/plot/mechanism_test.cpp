// Tests the stick figure: its points, its view, and what is drawn of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <sstream>

#include "services/files/load_model.hpp"
#include "services/plot/columns.hpp"
#include "services/plot/hull.hpp"
#include "services/plot/mechanism_motion.hpp"
#include "tests/services/plot/recording_canvas.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop::plot {
namespace {

using testing::Contains;
using testing::HasSubstr;

Model model_of(const std::string& path) {
  auto loaded = load_model(path);
  EXPECT_TRUE(loaded.has_value()) << path;
  return std::move(loaded).value().model;
}

const std::string kConfigs = KINLOOP_SOURCE_DIR "/configs/models/";

TEST(ConvexHull, LeavesOutWhatLiesInside) {
  EXPECT_EQ(convex_hull({{0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 1}, {1, 0}}, 0.0).size(), 4U);
  EXPECT_EQ(convex_hull({{0, 0}, {1, 1e-9}, {2, 0}}, 0.1).size(), 2U);
  EXPECT_EQ(convex_hull({{3, 3}, {3, 3}}, 0.0).size(), 1U);
  EXPECT_TRUE(convex_hull({}, 0.0).empty());
}

TEST(Skeleton, BodiesConnectTheirJointsAndLastOnesReachTheirCentreOfMass) {
  const Model model = model_of(kConfigs + "double_pendulum.yaml");

  const Skeleton skeleton = make_skeleton(model);

  ASSERT_EQ(skeleton.sticks.size(), 3U);
  EXPECT_EQ(skeleton.sticks[1].size(), 2U);
  ASSERT_EQ(skeleton.sticks[2].size(), 2U);
  EXPECT_NEAR(skeleton.sticks[2][1].norm(), 0.5, 1e-12);
  EXPECT_EQ(skeleton.mass_points.size(), 1U);
}

TEST(Skeleton, LoopJointsArePointsOfBothBodiesAndMeet) {
  const Model model = model_of(test::vector_path("fourbar").string());
  Workspace ws(model);

  const Skeleton skeleton = make_skeleton(model);
  const Posture posture = initial_posture(model, ws);

  const SkeletonJoint& loop = skeleton.joints.back();
  ASSERT_TRUE(loop.closes_loop);
  const Vector3 gap = at(posture, loop.predecessor, loop.X_PA.p) - at(posture, loop.successor, loop.X_SB.p);
  EXPECT_LT(gap.norm(), 1e-9);
  EXPECT_TRUE(skeleton.mass_points.empty());
}

TEST(View, APlaneIsSeenFromItsNormal) {
  EXPECT_EQ(choose_view({1, 0, 1}, {1, 1, 1}, 0.01), ViewKind::kFront);
  EXPECT_EQ(choose_view({0, 1, 1}, {1, 1, 1}, 0.01), ViewKind::kSide);
  EXPECT_EQ(choose_view({1, 1, 0}, {1, 1, 1}, 0.01), ViewKind::kTop);
  EXPECT_EQ(choose_view({1, 1, 0.5}, {1, 1, 1}, 0.01), ViewKind::kIso);
}

TEST(View, ALineIsSeenInThePlaneThatElseMatters) {
  EXPECT_EQ(choose_view({1, 0, 0}, {1, 3, 0}, 0.01), ViewKind::kTop);
  EXPECT_EQ(choose_view({1, 0, 0}, {1, 0, 3}, 0.01), ViewKind::kFront);
  EXPECT_EQ(choose_view({0, 0, 0}, {0, 1, 1}, 0.01), ViewKind::kSide);
  EXPECT_EQ(choose_view({0, 0, 0}, {0, 0, 0}, 0.01), ViewKind::kFront);
}

TEST(View, IsometricLengthsAlongTheAxesAreTrue) {
  const Projection view = make_projection(ViewKind::kIso, {0, 0, -9.81});
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(length(view(Vector3::Unit(axis))), 1.0, 1e-12);
  EXPECT_NEAR(view(Vector3::UnitZ()).x, 0.0, 1e-12);
  EXPECT_GT(view(Vector3::UnitZ()).y, 0.0);
}

TEST(View, GravityPointsDown) {
  for (const ViewKind kind : {ViewKind::kFront, ViewKind::kSide, ViewKind::kIso}) {
    for (const double g : {-9.81, 9.81}) EXPECT_LT(make_projection(kind, {0, 0, g})(Vector3(0, 0, g)).y, 0.0);
  }
  EXPECT_LT(make_projection(ViewKind::kIso, {0, -9.81, 0})(Vector3(0, -1, 0)).y, 0.0);
}

TEST(PictureAtStart, PlanarMechanismsAreSeenInTheirPlane) {
  for (const char* name : {"fourbar", "slider_crank", "andrews", "quick_return"}) {
    const MechanismPicture picture = picture_at_start(model_of(test::vector_path(name).string()), {});
    EXPECT_EQ(picture.view.right.cross(picture.view.up).cwiseAbs(), Vector3::UnitZ()) << name;
  }
  const MechanismPicture stewart = picture_at_start(model_of(test::vector_path("stewart").string()), {});
  EXPECT_GT(stewart.view.right.norm(), 1.1);  // isometric
}

TEST(PictureAtStart, HasASignForEveryJointAndAScaleBar) {
  const MechanismPicture picture = picture_at_start(model_of(test::vector_path("fourbar").string()), {});
  RecordingCanvas canvas;

  draw(picture, natural_size(picture), canvas);

  EXPECT_EQ(canvas.circles.size(), 4U);
  EXPECT_THAT(canvas.words(), Contains("0.5 m"));
}

TEST(PictureAtStart, EverythingLiesWithinThePicture) {
  for (const char* name : {"fourbar", "stewart", "andrews", "cam_open", "governor_spring", "tree40", "rssr"}) {
    const MechanismPicture picture = picture_at_start(model_of(test::vector_path(name).string()), {});
    for (const ImageSize size : {natural_size(picture), ImageSize{300.0, 200.0}}) {
      RecordingCanvas canvas;

      draw(picture, size, canvas);

      std::vector<Point> points;
      for (const auto& line : canvas.lines) points.insert(points.end(), line.points.begin(), line.points.end());
      for (const auto& circle : canvas.circles) points.push_back(circle.centre);
      for (const Line& polygon : canvas.polygons) points.insert(points.end(), polygon.begin(), polygon.end());
      for (const Point& p : points) {
        if (!is_drawable(p)) continue;
        EXPECT_TRUE(p.x >= 0.0 && p.x <= size.width && p.y >= 0.0 && p.y <= size.height)
            << name << " " << p.x << " " << p.y << " in " << size.width << "x" << size.height;
      }
    }
  }
}

/// The double pendulum turning as one stiff rod, a quarter turn in five rows; one of them is broken.
Result<MechanismPicture> quarter_turn_picture(const Model& model, int instants) {
  std::ostringstream text;
  text << "t,q.j2,q.j1\n";
  for (int i = 0; i <= 4; ++i) text << i << ",0," << (i == 3 ? "nan" : std::to_string(i * 0.39269908169872414)) << "\n";
  std::istringstream in(text.str());
  auto reader = CsvReader::open(in, "run.csv");
  MotionRequest request;
  request.columns = match_model(reader->columns(), "run.csv", model, "m").value();
  request.instants = instants;
  request.paths = {parse_path(model, "link2:1,0,0").value()};
  return picture_of_motion(model, *reader, request);
}

TEST(PictureOfMotion, TracesACircleWithAGapWhereARowIsBroken) {
  const Model model = model_of(kConfigs + "double_pendulum.yaml");

  const auto picture = quarter_turn_picture(model, 3);

  ASSERT_TRUE(picture.has_value());
  ASSERT_EQ(picture->paths[0].points.size(), 5U);
  for (int i = 0; i <= 4; ++i) {
    const Vector3& p = picture->paths[0].points[static_cast<std::size_t>(i)];
    EXPECT_EQ(p.allFinite(), i != 3);
    EXPECT_TRUE(i == 3 || std::abs(p.norm() - 2.0) < 1e-6);
  }
}

TEST(PictureOfMotion, InstantsRunFromTheFirstToTheLastRow) {
  const Model model = model_of(kConfigs + "double_pendulum.yaml");

  EXPECT_THAT(quarter_turn_picture(model, 3)->times_s, testing::ElementsAre(0.0, 2.0, 4.0));
  EXPECT_THAT(quarter_turn_picture(model, 1)->times_s, testing::ElementsAre(4.0));
  EXPECT_THAT(quarter_turn_picture(model, 50)->times_s, testing::ElementsAre(0.0, 1.0, 2.0, 4.0));
}

TEST(ParsePath, KnowsBodiesPointsAndFrames) {
  const Model model = model_of(kConfigs + "demo.yaml");

  EXPECT_NEAR(parse_path(model, "load").value().point.point.norm(), 4.0, 1e-12);
  EXPECT_NEAR(parse_path(model, "hook").value().point.point.norm(), 4.0, 1e-12);
  EXPECT_TRUE(parse_path(model, "boom:8, 0,-1e-3").has_value());
  EXPECT_THAT(parse_path(model, "bom").error().what, HasSubstr("did you mean 'boom'?"));
  EXPECT_THAT(parse_path(model, "bom:1,2,3").error().what, HasSubstr("did you mean 'boom'?"));
  for (const char* bad : {"boom:1,2", "boom:1,2,3,4", "boom:1,2,x", "boom:", "boom:1,2,inf"}) {
    EXPECT_THAT(parse_path(model, bad).error().what, HasSubstr("three numbers")) << bad;
  }
}

TEST(PostureAt, QuaternionsNeedNotBeOfUnitLength) {
  const Model model = model_of(kConfigs + "floating_tree.yaml");
  Workspace ws(model);
  VectorX q = model.initial_q();
  const Posture before = posture_at(model, q, ws);
  q.segment<4>(3) *= 3.0;

  const Posture after = posture_at(model, q, ws);

  EXPECT_TRUE(after[2].R.isApprox(before[2].R));
  q.segment<4>(3).setZero();
  EXPECT_TRUE(posture_at(model, q, ws).empty());
}

}  // namespace
}  // namespace kinloop::plot
