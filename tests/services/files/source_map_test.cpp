// Tests that field paths are found in the file.
#include "services/files/source_map.hpp"

#include <gtest/gtest.h>

#include "services/files/yaml_document.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop {
namespace {

YamlDocument model() {
  auto document = parse_yaml("bodies:\n  - name: a\n    com: [0, 1, 2]\n  - name: b\njoints:\n  hip: {axis: z}\n", "m");
  EXPECT_TRUE(document);
  return document ? std::move(*document) : YamlDocument{};
}

TEST(SourceMap, FindsTheValueOfAPath) {
  const YamlDocument document = model();
  const SourceMap map(document.root);

  EXPECT_EQ(map.position("bodies[0].com[2]"), (SourcePosition{3, 17}));
  EXPECT_EQ(map.position("bodies[1].name"), (SourcePosition{4, 11}));
  EXPECT_EQ(map.position(""), (SourcePosition{1, 1}));
}

TEST(SourceMap, FindsTheNearestParentOfWhatIsAbsent) {
  const YamlDocument document = model();
  const SourceMap map(document.root);

  EXPECT_EQ(map.position("bodies[1].mass"), (SourcePosition{4, 5}));
  EXPECT_EQ(map.position("bodies[9].mass"), (SourcePosition{2, 3}));
  EXPECT_EQ(map.position("[x..]["), (SourcePosition{1, 1}));
}

TEST(SourceMap, FollowsTheLongestAlias) {
  const YamlDocument document = model();
  SourceMap map(document.root);
  map.alias("joints[0]", "joints.hip");

  EXPECT_EQ(map.position("joints[0].axis"), (SourcePosition{6, 15}));
  EXPECT_EQ(map.file_path("joints[0].axis"), "joints.hip.axis");
  EXPECT_EQ(map.file_path("joints[01].axis"), "joints[01].axis");
}

TEST(SourceMap, SaysInWhichRoundOfARepeat) {
  const YamlDocument document = model();
  SourceMap map(document.root);
  map.alias("bodies[4]", "bodies[1]", "i = 3");
  Diagnostics diagnostics("m");

  map.report({"bodies[4].name", "is odd"}, diagnostics);

  EXPECT_EQ(to_text(diagnostics.errors()), "m:4:11: bodies[1].name (i = 3): is odd\n");
}

TEST(SourceMap, GivesALaterErrorItsPlace) {
  const YamlDocument document = model();
  const SourceMap map(document.root);
  Diagnostics diagnostics("m");

  map.report({"bodies[0].com", "must lie inside"}, diagnostics);

  EXPECT_EQ(to_text(diagnostics.errors()), "m:3:10: bodies[0].com: must lie inside\n");
}

}  // namespace
}  // namespace kinloop
