// Owns the words that rig files alone use: what each stands for, for those who read them and those who write.
#pragma once

#include <string_view>

#include "core/plant/plant_spec.hpp"
#include "rt/messages/frame.hpp"
#include "services/files/field_reader.hpp"
#include "services/rig/adapter_spec.hpp"

namespace kinloop {

/// "hold", "value", "invalid".
std::string_view name_of(OnFault answer) noexcept;
/// "at_end", "at_release".
std::string_view name_of(rt::FrameSettings::Leave leave) noexcept;
/// "hold", "linear".
std::string_view name_of(Interpolation interpolation) noexcept;

ChoiceTable<ActuatorKind> actuator_words();
ChoiceTable<rt::FrameSettings::Leave> leave_words();
ChoiceTable<Interpolation> interpolation_words();

/// Instead of a number: there is no such bound, or the program chooses.
inline constexpr std::string_view kNoneWord = "none";
inline constexpr std::string_view kAutoWord = "auto";

/// Of threads, in rigs.
inline constexpr long long kHighestCore = 1023;
inline constexpr long long kHighestPriority = 99;

}  // namespace kinloop
