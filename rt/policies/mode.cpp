// Names of modes, as rigs have them.
#include "rt/policies/mode.hpp"

namespace kinloop::rt {
namespace {

constexpr NameTable kModeNames("mode",
                               std::array{KindName{Mode::kRealTime, "real_time"}, KindName{Mode::kLockstep, "lockstep"},
                                          KindName{Mode::kFree, "free"}});

}  // namespace

std::string_view name_of(Mode mode) noexcept { return kModeNames.name_of(mode); }
std::span<const KindName<Mode>> mode_names() noexcept { return kModeNames.entries(); }
Result<Mode> find_mode(std::string_view name) { return kModeNames.find(name); }

}  // namespace kinloop::rt
