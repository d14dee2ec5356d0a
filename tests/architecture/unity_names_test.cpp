// Tests that files of one folder can be compiled together: what they name in unnamed namespaces differs. The compiler
// sees most clashes; two functions of one name and other parameters would pass as overloads, and might be called by
// mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

/// Functions, variables and types at the level of an unnamed namespace; formatted sources have them at the line's
/// start. Aliases may stand twice: the compiler sees whether they are the same.
std::set<std::string> unnamed_names(const std::string& text) {
  static const std::regex kType(R"(^(?:struct|class|enum class|enum|union)\s+(\w+)(?:\s+final)?\s*[:{;])");
  static const std::regex kOther(R"(^(?:[A-Za-z_][\w:<>,*&\s\[\]()]*?[\s*&>])(\w+)\s*(?:\(|=|\{|;|\[))");
  static const std::regex kSkipped(
      R"(^(?:using|namespace|template|public|private|protected|TEST|INSTANTIATE|extern)\b.*)");
  std::set<std::string> names;
  bool is_inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "namespace {") is_inside = true;
    if (line == "}  // namespace") is_inside = false;
    std::smatch match;
    if (!is_inside || line.empty() || line[0] == ' ' || std::regex_match(line, kSkipped)) continue;
    if (std::regex_search(line, match, kType) || std::regex_search(line, match, kOther)) names.insert(match[1]);
  }
  return names;
}

TEST(UnityBuild, NamesInUnnamedNamespacesAreUniqueInTheirFolder) {
  int looked_at = 0;
  for (const char* folder : {"core", "rt", "services", "tests"}) {
    std::map<std::string, std::map<std::string, std::string>> first_of;  // folder, name: file
    for (const auto& file : tree_files(folder, ".cpp")) {
      if (file.string().find("/tests/fuzz/") != std::string::npos) continue;  // programs of their own
      for (const std::string& name : unnamed_names(text_of_file(file))) {
        const auto [first, is_new] = first_of[file.parent_path().string()].emplace(name, file.filename().string());
        EXPECT_TRUE(is_new) << file << ": " << name << " stands in " << first->second << " too";
        ++looked_at;
      }
    }
  }
  EXPECT_GT(looked_at, 1000);
}

TEST(UnityBuild, NamesInUnnamedNamespacesAreSeen) {
  const std::string text =
      "namespace {\n"
      "constexpr double kMargin = 1.0;\n"
      "std::vector<int> sizes_of(const Table& table) {\n"
      "  int inner = 0;\n"
      "}\n"
      "class Walker final : public Base {\n"
      "using Alias = int;\n"
      "std::optional<std::pair<int, int>> found(\n"
      "}  // namespace\n"
      "int outside = 0;\n";

  EXPECT_THAT(unnamed_names(text), testing::UnorderedElementsAre("kMargin", "sizes_of", "Walker", "found"));
}

}  // namespace
}  // namespace kinloop::architecture
