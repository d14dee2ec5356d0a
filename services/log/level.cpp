// Names of levels, as options have them.
#include "services/log/level.hpp"

#include "core/base/name_table.hpp"

namespace kinloop::log {
namespace {

constexpr NameTable kLevelNames("log level",
                                std::array{KindName{Level::kTrace, "trace"}, KindName{Level::kDebug, "debug"},
                                           KindName{Level::kInfo, "info"}, KindName{Level::kWarning, "warning"},
                                           KindName{Level::kError, "error"}});
constexpr NameTable kFormatNames("log format",
                                 std::array{KindName{Format::kText, "text"}, KindName{Format::kJson, "json"}});

}  // namespace

std::string_view name_of(Level level) noexcept { return kLevelNames.name_of(level); }
Result<Level> find_level(std::string_view name) { return kLevelNames.find(name); }

std::string_view name_of(Format format) noexcept { return kFormatNames.name_of(format); }
Result<Format> find_format(std::string_view name) { return kFormatNames.find(name); }

}  // namespace kinloop::log
