// Tests that what code and documentation cite is there: sections of docs/theory, papers and literature of
// docs/references.md, files and tests that the theory names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/architecture/markdown.hpp"
#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

namespace fs = std::filesystem;

fs::path tree_root() { return KINLOOP_SOURCE_DIR; }

/// What the tree has to offer to citations.
struct Shelf {
  std::set<std::string> references;  // headings of docs/references.md
  std::set<std::string> sections;    // "docs/theory/tree.md", "docs/theory/tree.md §2"
};

Shelf shelf() {
  Shelf result;
  for (const std::string& heading : headings(text_of_file(tree_root() / "docs/references.md"))) {
    result.references.insert(heading);
  }
  for (const fs::path& page : tree_files("docs/theory", ".md")) {
    const std::string name = page.lexically_relative(tree_root()).generic_string();
    result.sections.insert(name);
    for (const std::string& heading : headings(text_of_file(page))) {
      result.sections.insert(name + " §" + heading.substr(0, heading.find(' ')));
    }
  }
  return result;
}

/// A source as running text, without the marks of its comments: a citation may be broken over two lines.
std::string comments_of(const std::string& source) {
  std::string text;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" /#");
    if (first != std::string::npos) text += " " + line.substr(first);
  }
  return text;
}

/// Whether it is worth a look: regular expressions are slow, and most sources cite nothing.
bool may_cite(const std::string& text) {
  static const std::vector<std::string> kSigns = {"00", "docs/theory", "MATH", ", 18", ", 19", ", 20"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](const std::string& sign) { return text.find(sign) != std::string::npos; });
}

std::vector<std::string> all_of(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) found.push_back((*i)[1]);
  return found;
}

/// Papers cited as "paper 004", "004 (11)", "004 §3", "004's", "(004)", "004 sec. 3", "004 App. B", "004 eq. 9".
std::vector<std::string> cited_papers(const std::string& text) {
  static const std::regex kPaper(
      R"re((?:^|[^0-9.'])(00\d)(?= \(\d| §|'s\b| sec(?:tion)?\b| App\b| eq\b| Fig(?:ure)?\b|\)))re");
  static const std::regex kNamed(R"re(\b[Pp]apers? (\d{3})\b)re");
  std::vector<std::string> papers = all_of(text, kPaper);
  for (const std::string& paper : all_of(text, kNamed)) papers.push_back(paper);
  return papers;
}

/// "(Hunt and Crossley, 1975)", "(Salmon, Moraes, Dror and Shaw, 2011)", also inside a longer bracket.
std::vector<std::string> cited_literature(const std::string& text) {
  static const std::regex kAuthors(R"(\(((?:[A-Z][a-z]+, )*(?:[A-Z][a-z]+ and )?[A-Z][a-z]+, (?:18|19|20)\d\d)\b)");
  return all_of(text, kAuthors);
}

std::vector<std::string> cited_sections(const std::string& text) {
  static const std::regex kSection(R"((docs/theory/[a-z-]+\.md(?: §\d+)?))");
  return all_of(text, kSection);
}

/// Citations that lead nowhere.
std::vector<std::string> unresolved(const std::string& text, const Shelf& known) {
  std::vector<std::string> lost;
  const auto check = [&](const std::vector<std::string>& cited, const std::set<std::string>& there) {
    for (const std::string& one : cited) {
      if (!there.contains(one)) lost.push_back(one);
    }
  };
  check(cited_papers(text), known.references);
  check(cited_literature(text), known.references);
  check(cited_sections(text), known.sections);
  static const std::regex kOutside(R"(\b(MATH \d[\d.]*))");  // notes that no clone has
  for (const std::string& one : all_of(text, kOutside)) lost.push_back(one);
  return lost;
}

std::size_t citations(const std::string& text) {
  return cited_papers(text).size() + cited_literature(text).size() + cited_sections(text).size();
}

std::vector<fs::path> pages() {
  std::vector<fs::path> files = tree_files("docs", ".md");
  files.push_back(tree_root() / "README.md");
  files.push_back(tree_root() / "CONTRIBUTING.md");
  return files;
}

/// Scripts and models cite as sources do.
std::size_t citations_of_folders(const std::vector<std::string>& folders, const std::vector<std::string>& endings) {
  const Shelf known = shelf();
  std::size_t looked_at = 0;
  for (const std::string& folder : folders) {
    for (const std::string& ending : endings) {
      for (const fs::path& file : tree_files(folder, ending)) {
        if (file.filename() == "citations_test.cpp") continue;  // made-up ones
        const std::string text = comments_of(text_of_file(file));
        if (!may_cite(text)) continue;
        EXPECT_THAT(unresolved(text, known), testing::IsEmpty()) << file;
        looked_at += citations(text);
      }
    }
  }
  return looked_at;
}

TEST(Citations, OfTheSourcesLeadToTheTheoryOrTheReferences) {
  EXPECT_GT(citations_of_folders({"core", "rt", "services", "tests", "bench"}, {".hpp", ".cpp"}), 40U);
}

TEST(Citations, OfScriptsAndModelsLeadToTheTheoryOrTheReferences) {
  EXPECT_GT(citations_of_folders({"bench", "configs", "deploy", "docs", "services", "tests"}, {".py", ".yaml"}), 2U);
}

TEST(Citations, OfTheDocumentationLeadToTheTheoryOrTheReferences) {
  const Shelf known = shelf();
  std::size_t looked_at = 0;
  for (const fs::path& page : pages()) {
    const std::string text = text_of_file(page);
    EXPECT_THAT(unresolved(text, known), testing::IsEmpty()) << page;
    looked_at += citations(text);
  }
  EXPECT_GT(looked_at, 40U);
}

TEST(Citations, ThatLeadNowhereAreSeen) {
  const Shelf known = {.references = {"004", "Hunt and Crossley, 1975"},
                       .sections = {"docs/theory/tree.md", "docs/theory/tree.md §2"}};

  EXPECT_THAT(unresolved("004 (11), paper 004 §2, (004), 0.004 and 72 004 (of them) (Hunt and Crossley, 1975)", known),
              testing::IsEmpty());
  EXPECT_THAT(unresolved("docs/theory/tree.md §2, docs/theory/tree.md", known), testing::IsEmpty());
  EXPECT_THAT(unresolved("as paper 007", known), testing::ElementsAre("007"));
  EXPECT_THAT(unresolved("by 003 (7)-(8)", known), testing::ElementsAre("003"));
  EXPECT_THAT(unresolved("damped (Simo and Wong, 1991)", known), testing::ElementsAre("Simo and Wong, 1991"));
  EXPECT_THAT(unresolved("see docs/theory/tree.md §9", known), testing::ElementsAre("docs/theory/tree.md §9"));
  EXPECT_THAT(unresolved("docs/theory/wood.md §2", known), testing::ElementsAre("docs/theory/wood.md §2"));
  EXPECT_THAT(unresolved("(MATH 3.1)", known), testing::ElementsAre("MATH 3.1"));
  EXPECT_THAT(unresolved(comments_of("// paper\n  /// 005 (1)"), known), testing::ElementsAre("005", "005"));
  EXPECT_THAT(unresolved(comments_of("q: 1  # of paper\n  # 006 (1)"), known), testing::ElementsAre("006", "006"));
}

TEST(Links, OfTheDocumentationLeadToFilesAndHeadings) {
  std::size_t looked_at = 0;
  for (const fs::path& page : pages()) {
    const std::string text = text_of_file(page);
    for (const std::string& target : link_targets(text)) {
      if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
      const std::size_t hash = std::min(target.find('#'), target.size());
      const fs::path file = hash == 0 ? page : page.parent_path() / target.substr(0, hash);
      ++looked_at;
      ASSERT_TRUE(fs::exists(file)) << page << ": " << target;
      if (hash == target.size() || file.extension() != ".md") continue;
      EXPECT_THAT(anchors(text_of_file(file)), testing::Contains(target.substr(hash + 1))) << page << ": " << target;
    }
  }
  EXPECT_GT(looked_at, 100U);
}

/// Whether a path of the tree, with or without its ending, is there. Names may be of several files: `a/{b,c}`.
bool is_in_tree(const std::string& path) {
  if (fs::exists(tree_root() / path)) return true;
  return fs::exists(tree_root() / (path + ".hpp")) || fs::exists(tree_root() / (path + ".cpp"));
}

TEST(Links, FilesThatTheDocumentationNamesAreThere) {
  static const std::regex kPath(
      R"(((?:core|rt|services|tests|bench|docs|configs|proto|deploy)/[\w./-]*\w)(?:\.hpp:.*)?)");
  std::size_t looked_at = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& span : code_spans(text_of_file(page))) {
      std::smatch match;
      if (!std::regex_match(span, match, kPath)) continue;
      EXPECT_TRUE(is_in_tree(match[1])) << page << ": " << span;
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 200U);
}

TEST(Links, TestsThatTheTheoryNamesAreThere) {
  static const std::regex kTest(R"(\bTEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\s*\))");
  static const std::regex kNamed(R"([A-Z]\w+\.[A-Z]\w+)");
  std::set<std::string> tests;
  for (const fs::path& file : tree_files("tests", ".cpp")) {
    const std::string text = text_of_file(file);
    for (std::sregex_iterator i(text.begin(), text.end(), kTest), end; i != end; ++i) {
      tests.insert((*i)[1].str() + "." + (*i)[2].str());
    }
  }
  std::size_t looked_at = 0;
  for (const fs::path& page : tree_files("docs/theory", ".md")) {
    for (const std::string& span : code_spans(text_of_file(page))) {
      if (!std::regex_match(span, kNamed)) continue;
      EXPECT_TRUE(tests.contains(span)) << page << ": " << span;
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 40U);
}

TEST(Markdown, HeadingsLinksAndSpansAreSeen) {
  const std::string text =
      "# One [link](a.md) here\n"
      "text `core/base` and [b](b.md#two-too), ![p](p.svg)\n"
      "```\n"
      "# no heading, [no](link.md)\n"
      "```\n"
      "## 2 Two, too\n";

  EXPECT_THAT(headings(text), testing::ElementsAre("One link here", "2 Two, too"));
  EXPECT_EQ(anchor_of("2 Two, too"), "2-two-too");
  EXPECT_THAT(anchors(text), testing::ElementsAre("2-two-too", "one-link-here"));
  EXPECT_THAT(link_targets(text), testing::ElementsAre("a.md", "b.md#two-too", "p.svg"));
  EXPECT_THAT(code_spans(text), testing::ElementsAre("core/base"));
}

}  // namespace
}  // namespace kinloop::architecture
