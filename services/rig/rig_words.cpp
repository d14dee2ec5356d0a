// Tables of the words that rig files alone use; all others are asked of the modules that own them.
#include "services/rig/rig_words.hpp"

#include <array>
#include <vector>

#include "core/actuators/actuator_type.hpp"

namespace kinloop {
namespace {

using Leave = rt::FrameSettings::Leave;

constexpr NameTable kFaultAnswers("answer to a fault",
                                  std::array{KindName{OnFault::kHold, "hold"}, KindName{OnFault::kValue, "value"},
                                             KindName{OnFault::kInvalid, "invalid"}});
constexpr NameTable kLeaveNames("time of leaving", std::array{KindName{Leave::kAtEnd, "at_end"},
                                                              KindName{Leave::kAtRelease, "at_release"}});
constexpr NameTable kInterpolationNames("interpolation", std::array{KindName{Interpolation::kHold, "hold"},
                                                                    KindName{Interpolation::kLinear, "linear"}});

}  // namespace

std::string_view name_of(OnFault answer) noexcept { return kFaultAnswers.name_of(answer); }
std::string_view name_of(Leave leave) noexcept { return kLeaveNames.name_of(leave); }
std::string_view name_of(Interpolation interpolation) noexcept { return kInterpolationNames.name_of(interpolation); }

ChoiceTable<Leave> leave_words() { return kLeaveNames.entries(); }
ChoiceTable<Interpolation> interpolation_words() { return kInterpolationNames.entries(); }

ChoiceTable<ActuatorKind> actuator_words() {
  static const auto kWords = [] {
    std::vector<KindName<ActuatorKind>> words;
    for (const ActuatorType& type : actuator_types()) words.push_back({type.kind, type.name});
    return words;
  }();
  return kWords;
}

}  // namespace kinloop
