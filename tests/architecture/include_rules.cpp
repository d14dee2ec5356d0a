// The table, folder by folder: what may be included, everything else may not.
#include "tests/architecture/include_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>

namespace kinloop::architecture {
namespace {

namespace fs = std::filesystem;

const std::array<std::string_view, 6> kFolders{"core", "rt", "services", "proto", "tests", "bench"};

// C++20, and the C headers under their C++ names. Lists of names are set apart by single spaces.
constexpr std::string_view kStandardHeaders =
    " algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes "
    "climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg "
    "cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem "
    "format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator "
    "latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random "
    "ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept "
    "stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex "
    "typeinfo unordered_map unordered_set utility valarray variant vector version ";

// "core knows no thread, clock, socket, file or log."
constexpr std::string_view kBannedFromCore =
    " barrier chrono condition_variable csignal ctime filesystem fstream future iostream latch mutex semaphore "
    "shared_mutex stop_token syncstream thread ";

// Headers of POSIX and Linux outside sys/ and linux/, and the intrinsics that set the floating-point mode.
constexpr std::string_view kSystemHeaders =
    " dirent.h dlfcn.h errno.h fcntl.h immintrin.h limits.h malloc.h pmmintrin.h poll.h pthread.h sched.h "
    "semaphore.h signal.h spawn.h stdint.h time.h ucontext.h unistd.h xmmintrin.h ";

bool lists(std::string_view names, std::string_view name) {
  return names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

/// Folders in layers: each may include those before it. One direction, so that a reader goes down and never back.
struct Layers {
  std::string_view root;
  std::string_view folders;
};
constexpr std::array kLayers{
    Layers{"core",
           " base spatial math joints model kinematics forces constraints topology dynamics integrators "
           "derivatives actuators sensors plant batch analysis "},
    Layers{"rt", " platform ipc timing messages policies loop "},
    Layers{"services",
           " base host log console security net import files plot rig python timing wire record gateway io run clients "
           "cli "},
};

struct Include {
  std::string target;
  char opener = '<';  // '<', '"', or 'm' for a macro
};

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::string_view trimmed_left(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

std::optional<Include> parse_include(std::string_view line) {
  line = trimmed_left(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed_left(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = trimmed_left(line.substr(std::string_view("include").size()));
  if (line.empty()) return std::nullopt;

  const char opener = line.front();
  if (opener != '<' && opener != '"') return Include{std::string(line), 'm'};
  const std::size_t end = line.find(opener == '<' ? '>' : '"', 1);
  return Include{std::string(line.substr(1, end == std::string_view::npos ? end : end - 1)), opener};
}

bool is_system_header(std::string_view target) {
  return is_below(target, "sys") || is_below(target, "linux") || lists(kSystemHeaders, target);
}

/// Of the kernel that rt can be built for.
bool is_kernel_header(std::string_view target) { return is_below(target, "cobalt") || is_below(target, "xenomai"); }

// What `folder` may include; `target` is not relative and, if below one of our folders, is ours.
bool is_allowed(std::string_view folder, const Include& include) {
  const std::string_view target = include.target;
  const auto ours = std::find_if(kFolders.begin(), kFolders.end(), [&](auto f) { return is_below(target, f); });
  if (folder == "tests" || folder == "bench") return true;
  if (ours != kFolders.end()) {
    if (folder == "core") return *ours == "core";
    if (folder == "rt") return *ours == "core" || *ours == "rt";
    if (folder == "services") return *ours != "tests" && *ours != "bench";
    return false;
  }
  if (folder == "services") return true;
  if (include.opener != '<') return false;
  const bool is_standard = lists(kStandardHeaders, target);
  if (folder == "core") return is_below(target, "Eigen") || (is_standard && !lists(kBannedFromCore, target));
  if (folder == "rt") {
    // Through the interface of core, rt meets Eigen.
    return is_standard || is_system_header(target) || is_kernel_header(target) || is_below(target, "Eigen") ||
           target == "xxhash.h";
  }
  return false;
}

std::optional<std::string> objection(std::string_view folder, const Include& include) {
  if (include.opener == 'm') return "includes by a macro: " + include.target;
  if (include.target.find("../") != std::string::npos || include.target.starts_with("./")) {
    return "includes by a relative path: " + include.target;
  }
  if (is_allowed(folder, include)) return std::nullopt;
  return std::string(folder) + " may not include " + include.target;
}

/// The folder of `path` below the root of the layers; empty for a file that lies in the root itself.
std::string_view layer_of(std::string_view path, const Layers& layers) {
  if (!is_below(path, layers.root)) return {};
  path.remove_prefix(layers.root.size() + 1);
  const std::size_t end = path.find('/');
  return end == std::string_view::npos ? std::string_view{} : path.substr(0, end);
}

std::optional<std::string> layer_objection(std::string_view file, const Include& include) {
  for (const Layers& layers : kLayers) {
    const std::string_view own = layer_of(file, layers);
    const std::string_view other = layer_of(include.target, layers);
    if (own.empty() || other.empty() || own == other) continue;
    const std::size_t place = layers.folders.find(" " + std::string(own) + " ");
    const std::size_t beside = layers.folders.find(" " + std::string(other) + " ");
    if (place == std::string_view::npos) return std::string(own) + " is no layer of " + std::string(layers.root);
    if (beside > place) {  // one that is not listed counts as the last
      return std::string(layers.root) + "/" + std::string(own) + " comes before what it includes: " + include.target;
    }
  }
  return std::nullopt;
}

bool is_cpp(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".hpp" || extension == ".cpp" || extension == ".h" || extension == ".cc" || extension == ".ipp" ||
         extension == ".inl";
}

std::vector<fs::path> cpp_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_cpp(entry.path())) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

std::vector<Violation> check_includes(const fs::path& root) {
  std::vector<Violation> violations;
  for (const std::string_view folder : kFolders) {
    for (const fs::path& file : cpp_files(root / folder)) {
      std::ifstream stream(file);
      std::string line;
      for (int number = 1; std::getline(stream, line); ++number) {
        const std::optional<Include> include = parse_include(line);
        if (!include) continue;
        const std::string name = file.lexically_relative(root).generic_string();
        std::optional<std::string> what = objection(folder, *include);
        if (!what) what = layer_objection(name, *include);
        if (what) violations.push_back({name + ":" + std::to_string(number), *what});
      }
    }
  }
  std::sort(violations.begin(), violations.end());
  return violations;
}

int count_checked_files(const fs::path& root) {
  std::size_t count = 0;
  for (const std::string_view folder : kFolders) count += cpp_files(root / folder).size();
  return static_cast<int>(count);
}

}  // namespace kinloop::architecture
