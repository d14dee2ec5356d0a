// The table of integrators: a new method is its file, its line in methods.hpp and its entry here.
#include <array>
#include <string_view>
#include <vector>

#include "core/base/name_table.hpp"
#include "core/integrators/methods.hpp"

namespace kinloop {

std::span<const IntegratorKind> integrator_kinds() noexcept {
  static const std::array kinds = {
      integrators::kSemiImplicitEuler,
      integrators::kHeun,
      integrators::kRk4,
      integrators::kAb2,
      integrators::kAb3,
      integrators::kAb4,
      integrators::kLinearlyImplicit,
  };
  return kinds;
}

Result<std::unique_ptr<Integrator>> make_integrator(std::string_view name, const Model& model) {
  std::vector<std::string_view> known;
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (kind.name == name) return kind.make(model);
    known.push_back(kind.name);
  }
  return no_such("integrator", name, known);
}

}  // namespace kinloop
