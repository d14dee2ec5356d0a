// Tests that each file of tests/bad_rigs gives exactly the messages of its .expected file.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kMaxRigBytes = 1 << 20;

/// Messages name files as they look from the root of the sources.
std::string without_root(std::string text) {
  const std::string root = std::string(KINLOOP_SOURCE_DIR) + "/";
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at)) text.erase(at, root.size());
  return text;
}

class BadRigTest : public testing::TestWithParam<std::string> {};

TEST_P(BadRigTest, GivesItsExpectedMessages) {
  const std::filesystem::path path = test::bad_rig_path(GetParam());
  const auto expected = read_text_file(std::filesystem::path(path).replace_extension("expected"), kMaxRigBytes);
  ASSERT_TRUE(expected);

  const auto rig = load_rig(path);

  ASSERT_FALSE(rig) << "it loads";
  EXPECT_EQ(without_root(to_text(rig.error())), *expected);
}

INSTANTIATE_TEST_SUITE_P(All, BadRigTest, testing::ValuesIn(test::bad_rig_names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

}  // namespace
}  // namespace kinloop
