// Counts messages and gaps in one pass over the record.
#include "services/record/record_summary.hpp"

#include <algorithm>

namespace kinloop::record {
namespace {

/// Counts steps and what lies between them.
struct Steps {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t missing = 0;

  enum class Jump { kGap, kRestore };
  void add(std::uint64_t step, Jump jump) {
    if (count > 0 && step > last && jump == Jump::kGap) missing += step - last - 1;
    if (count == 0) first = step;
    last = step;
    ++count;
  }
};

}  // namespace

RecordSummary summarize(RecordReader& reader) {
  RecordSummary summary;
  Steps inputs;
  Steps frames;
  for (bool is_first = true;; is_first = false) {
    const Result<const RecordItem*> item = reader.next();
    if (!item) summary.damage = item.error();
    if (!item || *item == nullptr) break;
    const RecordItem& found = **item;
    ++summary.messages[static_cast<std::size_t>(found.channel)];
    summary.first_ns = is_first ? found.time_ns : std::min(summary.first_ns, found.time_ns);
    summary.last_ns = std::max(summary.last_ns, found.time_ns);
    if (const auto* input = std::get_if<const v1::StepInput*>(&found.message)) {
      const bool is_restored = (*input)->restored() != 0;
      if (is_restored && inputs.count > 0) ++summary.restores;
      inputs.add((*input)->step(), is_restored ? Steps::Jump::kRestore : Steps::Jump::kGap);
    }
    if (const auto* frame = std::get_if<const v1::SensorFrame*>(&found.message)) {
      frames.add((*frame)->step(), Steps::Jump::kGap);
    }
  }
  const Steps& steps = inputs.count > 0 ? inputs : frames;
  summary.steps = steps.count;
  summary.first_step = steps.first;
  summary.last_step = steps.last;
  summary.missing_steps = steps.missing;
  return summary;
}

}  // namespace kinloop::record
