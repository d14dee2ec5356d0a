// The words for how a base stands.
#include "services/import/imported_model.hpp"

#include <array>

namespace kinloop {
namespace {

constexpr NameTable kBaseNames("base",
                               std::array{KindName{BaseKind::kAuto, "auto"}, KindName{BaseKind::kFixed, "fixed"},
                                          KindName{BaseKind::kFloating, "floating"}});

}  // namespace

std::string_view name_of(BaseKind base) noexcept { return kBaseNames.name_of(base); }
std::span<const KindName<BaseKind>> base_names() noexcept { return kBaseNames.entries(); }
Result<BaseKind> find_base(std::string_view name) { return kBaseNames.find(name); }

}  // namespace kinloop
