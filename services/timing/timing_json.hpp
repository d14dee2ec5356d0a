// Owns the report on timing for programs. Its keys are public: docs/timing-report.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "rt/loop/thread_setup.hpp"
#include "services/timing/timing_summary.hpp"

namespace kinloop::timing {

/// All but the histograms.
nlohmann::ordered_json timing_json(const TimingSummary& summary);

/// For each duration its buckets that are not empty: [[lower_ns, count], ...].
nlohmann::ordered_json histograms_json(const TimingSummary& summary);

nlohmann::ordered_json refusals_json(std::span<const rt::Refusal> refusals);

/// Never throws: what is no UTF-8 is replaced. `indent` as in nlohmann::json::dump.
std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace kinloop::timing
