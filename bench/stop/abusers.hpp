// Owns Abusers: those of the abuse tests, at it in a process of Python.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/stop/attacks.hpp"

namespace kinloop::bench {

/// As tests/system/abuse/attack.py reads them: "slow_subscribers:60". Returns once they are at it; nothing where Python
/// lacks what they need, which is said.
std::unique_ptr<Attack> begin_abuse(const RigProcess& run, const std::vector<std::string>& abusers);

}  // namespace kinloop::bench
