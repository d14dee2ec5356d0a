// Tests that each file of tests/bad_models gives exactly the messages of its .expected file.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kMaxModelBytes = 1 << 20;

class BadModelTest : public testing::TestWithParam<std::string> {};

TEST_P(BadModelTest, GivesItsExpectedMessages) {
  const std::filesystem::path path = test::bad_model_path(GetParam());
  const auto text = read_text_file(path, kMaxModelBytes);
  const auto expected = read_text_file(std::filesystem::path(path).replace_extension("expected"), kMaxModelBytes);
  ASSERT_TRUE(text);
  ASSERT_TRUE(expected);

  const auto model = compile_model_text(*text, GetParam() + ".yaml");

  ASSERT_FALSE(model) << "it loads";
  EXPECT_EQ(to_text(model.error()), *expected);
}

INSTANTIATE_TEST_SUITE_P(All, BadModelTest, testing::ValuesIn(test::bad_model_names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

}  // namespace
}  // namespace kinloop
