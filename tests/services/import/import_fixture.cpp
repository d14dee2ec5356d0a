// Implements the shared parts of the import tests.
#include "tests/services/import/import_fixture.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "services/base/diagnostics.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop {
namespace {

std::filesystem::path test_folder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "." + test->name();
  for (char& c : name) c = c == '/' ? '_' : c;
  return process_folder() / name;
}

}  // namespace

std::filesystem::path write_test_file(const std::string& name, const std::string& text) {
  std::filesystem::create_directories(test_folder());
  const std::filesystem::path path = test_folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::vector<std::string> lines_of(const std::vector<Error>& errors) {
  const std::string folder = test_folder().string() + "/";
  std::vector<std::string> lines;
  for (const Error& error : errors) {
    std::string line = to_line(error);
    if (line.starts_with(folder)) line.erase(0, folder.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

std::filesystem::path shared_models() {
  return std::filesystem::path(KINLOOP_SOURCE_DIR).parent_path() / "shared" / "models";
}

}  // namespace kinloop
