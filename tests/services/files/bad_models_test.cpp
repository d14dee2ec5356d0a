// Tests that each file of tests/bad_models gives exactly the messages of its .expected file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "services/files/diagnostics.hpp"
#include "services/files/model_file.hpp"
#include "services/files/text_file.hpp"

namespace kinloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 1 << 20;

fs::path folder() { return fs::path(KINLOOP_SOURCE_DIR) / "tests" / "bad_models"; }

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() == ".yaml") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

class BadModelTest : public testing::TestWithParam<std::string> {};

TEST_P(BadModelTest, GivesItsExpectedMessages) {
  const auto text = read_text_file(folder() / (GetParam() + ".yaml"), kMaxBytes);
  const auto expected = read_text_file(folder() / (GetParam() + ".expected"), kMaxBytes);
  ASSERT_TRUE(text);
  ASSERT_TRUE(expected);

  const auto model = compile_model_text(*text, GetParam() + ".yaml");

  ASSERT_FALSE(model) << "it loads";
  EXPECT_EQ(to_text(model.error()), *expected);
}

INSTANTIATE_TEST_SUITE_P(All, BadModelTest, testing::ValuesIn(names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

}  // namespace
}  // namespace kinloop
