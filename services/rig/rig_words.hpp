// Owns the words of rig files: what each stands for, for those who read them and those who write.
#pragma once

#include <string_view>

#include "core/integrators/constraint_projection.hpp"
#include "core/plant/plant_spec.hpp"
#include "rt/messages/frame.hpp"
#include "rt/policies/command_policy.hpp"
#include "rt/policies/fault_policy.hpp"
#include "rt/policies/mode.hpp"
#include "rt/policies/overrun_policy.hpp"
#include "services/files/field_reader.hpp"
#include "services/rig/adapter_spec.hpp"

namespace kinloop {

/// "force", "dc_motor", "cylinder".
std::string_view name_of(ActuatorKind kind) noexcept;
/// "hold", "value", "invalid".
std::string_view name_of(OnFault answer) noexcept;
/// "at_end", "at_release".
std::string_view name_of(rt::FrameSettings::Leave leave) noexcept;
/// "hold", "linear".
std::string_view name_of(Interpolation interpolation) noexcept;

ChoiceTable<ActuatorKind> actuator_words();
ChoiceTable<rt::FrameSettings::Leave> leave_words();
ChoiceTable<rt::Mode> mode_words();
ChoiceTable<rt::OverrunKind> overrun_words();
ChoiceTable<rt::FaultKind> fault_words();
ChoiceTable<rt::StaleKind> stale_words();
ChoiceTable<StabilizationKind> loop_words();
ChoiceTable<Interpolation> interpolation_words();

/// Instead of a number: there is no such bound, or the program chooses.
inline constexpr std::string_view kNoneWord = "none";
inline constexpr std::string_view kAutoWord = "auto";

/// Of threads, in rigs.
inline constexpr long long kHighestCore = 1023;
inline constexpr long long kHighestPriority = 99;

}  // namespace kinloop
