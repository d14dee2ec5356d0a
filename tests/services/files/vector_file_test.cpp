// Tests the reading of vectors and trajectories: all stored ones, and what is said about broken ones.
#include "services/files/vector_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "services/base/diagnostics.hpp"
#include "services/files/load_model.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errors_of(const std::string& text) {
  const auto document = parse_yaml(text, "v.json");
  if (!document) return to_text(document.error());
  const auto file = read_vector_file(*document);
  return file ? "" : to_text(file.error());
}

TEST(VectorFile, EveryStoredVectorFileLoads) {
  const std::vector<std::string> names = test::vector_names();

  ASSERT_EQ(names.size(), 22U);
  for (const std::string& name : names) {
    const auto loaded = load_model(test::vector_path(name));
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->kind, FileKind::kVectors);
    EXPECT_EQ(loaded->cases.size(), 3U) << name;
    EXPECT_EQ(loaded->model.initial_q().size(), static_cast<Eigen::Index>(loaded->cases[0].q.size()));
    EXPECT_EQ(loaded->model.initial_q()[0], loaded->cases[0].q[0]);
  }
}

TEST(VectorFile, EveryStoredTrajectoryLoadsWithItsStart) {
  for (const char* name : {"andrews", "double_pendulum", "fivebar", "nfourbar5"}) {
    const auto loaded = load_model(test::trajectory_path(std::string(name) + ".json"));
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->kind, FileKind::kTrajectory);
    EXPECT_TRUE(loaded->cases.empty());
    EXPECT_EQ(loaded->tau.size(), static_cast<std::size_t>(loaded->model.nv()));
  }
  EXPECT_EQ(load_model(test::trajectory_path("andrews.json"))->tau[0], 0.033);
}

TEST(VectorFile, AWrongFieldIsNamedWithItsPlace) {
  const std::string text = replaced(text_of(test::vector_path("pendulum")), "\"mass\": 1.3", "\"mass\": \"heavy\"");

  const std::string errors = errors_of(text);

  EXPECT_NE(errors.find("v.json:"), std::string::npos) << errors;
  EXPECT_NE(errors.find("model.bodies[0].mass"), std::string::npos) << errors;
}

TEST(VectorFile, AStateOfTheWrongSizeIsAnError) {
  const std::string text = replaced(text_of(test::vector_path("pendulum")), "\"u\": [", "\"u\": [1.0, ");

  EXPECT_NE(errors_of(text), "");
}

TEST(VectorFile, NamesThatTheModelDoesNotHaveAreAnErrorWithWhatWasMeant) {
  const std::string text = text_of(test::vector_path("pendulum"));

  const std::string of_body =
      errors_of(replaced(text, "\"name\": \"link1\",\n      \"R\"", "\"name\": \"lnik1\",\n      \"R\""));
  const std::string of_joint = errors_of(replaced(text, "\"j1\": {", "\"j11\": {"));

  EXPECT_NE(of_body.find("no body is named 'lnik1'; did you mean 'link1'?"), std::string::npos) << of_body;
  EXPECT_NE(of_joint.find("no joint is named 'j11'; did you mean 'j1'?"), std::string::npos) << of_joint;
}

TEST(VectorFile, AnErrorFoundByCompilingHasItsPlaceToo) {
  const std::string text =
      replaced(text_of(test::vector_path("pendulum")), "\"predecessor\": \"ground\"", "\"predecessor\": \"nobody\"");
  const std::filesystem::path path = process_folder() / "broken_pendulum.json";
  std::ofstream(path) << text;

  const auto loaded = load_model(path);

  ASSERT_FALSE(loaded);
  EXPECT_NE(to_text(loaded.error()).find("model.joints[0].predecessor: no body is named 'nobody'"), std::string::npos)
      << to_text(loaded.error());
}

}  // namespace
}  // namespace kinloop
