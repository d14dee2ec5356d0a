// Owns the verdict on a run: whether its deadlines were kept, and what that is worth.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rt/loop/thread_setup.hpp"
#include "services/host/findings.hpp"
#include "services/timing/timing_summary.hpp"

namespace kinloop::timing {

enum class Verdict {
  kNone,      // no step was made, or none had a deadline
  kKept,      // every deadline after the grace
  kDegraded,  // kept, but without what makes that more than luck
  kNotKept,
};

/// "none", "kept", "degraded", "not_kept".
std::string_view name_of(Verdict verdict) noexcept;

struct Judgement {
  Verdict verdict = Verdict::kNone;
  std::vector<std::string> reasons;  // all that speaks against the run, whatever the verdict
};

/// A refused wish, a finding that is bad, or a step that failed (the plant may stand still since then, which costs
/// little time) degrade a run.
Judgement judge(const TimingSummary& summary, std::span<const rt::Refusal> refusals,
                std::span<const host::Finding> findings);

/// "all 60000 steps ended in time, the latest 312 us before its deadline".
std::string deadline_sentence(const TimingSummary& summary);

/// Three digits and the unit that suits: "640 ns", "31.2 us", "1.05 ms", "12.0 s".
std::string duration_text(std::int64_t duration_ns);

/// "1 release", "3 releases".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural);

}  // namespace kinloop::timing
