// Owns the judgement of a host: how fit each part of it is for a real-time loop, and what would mend it.
#pragma once

#include <string>
#include <vector>

#include "services/host/host_facts.hpp"

namespace kinloop::host {

enum class Verdict { kGood, kCouldBeBetter, kBad };

/// "good", "could be better", "bad".
const char* name_of(Verdict verdict) noexcept;

struct Finding {
  std::string topic;
  Verdict verdict = Verdict::kGood;
  std::string what;
  std::string fix;  // a command for root; empty where nothing is to be done or no command helps
};

/// One for each topic, always the same topics in the same order.
std::vector<Finding> judge(const HostFacts& facts);

}  // namespace kinloop::host
