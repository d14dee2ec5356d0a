// Hands refusals from the plant's process to the supervisor's: as text in the memory between them.
#pragma once

#include <span>
#include <vector>

#include "rt/loop/thread_setup.hpp"

namespace kinloop::run {

/// What does not fit is left out.
void write_refusals(const std::vector<rt::Refusal>& refusals, std::span<char> text);

/// Whatever the text holds, this ends; unreadable lines are left out.
std::vector<rt::Refusal> read_refusals(std::span<const char> text);

}  // namespace kinloop::run
