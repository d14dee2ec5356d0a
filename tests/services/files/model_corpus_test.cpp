// Replays the fuzzer's corpus of model files: each once did something new, some once did something wrong.
#include <gtest/gtest.h>

#include <filesystem>

#include "services/base/text_file.hpp"
#include "tests/fuzz/model_text_check.hpp"

namespace kinloop {
namespace {

TEST(ModelCorpus, NoTextBreaksTheReader) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(KINLOOP_SOURCE_DIR) / "tests/fuzz/corpus/model")) {
    const auto text = read_text_file(entry.path(), kMaxBytes);
    ASSERT_TRUE(text) << entry.path();
    check_model_text(*text);
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace kinloop
