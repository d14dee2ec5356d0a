// Owns the report on timing for people: at the end of a run, and when asked in between.
#pragma once

#include <span>

#include "rt/loop/thread_setup.hpp"
#include "services/console/console.hpp"
#include "services/timing/timing_summary.hpp"

namespace kinloop::timing {

/// On console.out: whether deadlines were kept, how durations spread, the worst steps, what the policies did; last and
/// loud, what the run had to do without.
void print_timing(const TimingSummary& summary, std::span<const rt::Refusal> refusals, const console::Console& console);

}  // namespace kinloop::timing
