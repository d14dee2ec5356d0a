// Owns the set of mechanisms that the contestants are measured on, and their random states.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/peers/mechanism.hpp"

namespace kinloop::bench {

/// Joint frames parallel to the bodies' axes, as most models are drawn, or arbitrary on both sides.
enum class Frames { kAligned, kRandom };

/// A chain of `body_count` revolute joints whose axes go round x, y, z.
Mechanism serial_chain(int body_count, Frames frames);

/// A binary tree of `body_count` revolute joints, the first of them on ground.
Mechanism binary_tree(int body_count, Frames frames);

/// A free trunk with 30 revolute joints: two legs of 6, a waist of 3, two arms of 7, a head of 1; 36 dofs.
Mechanism floating_humanoid(Frames frames);

/// Every mechanism of the benchmark, in the order of the report.
std::vector<Mechanism> benchmark_mechanisms();

/// `count` different states with angles and rates within ±1, the same on every machine.
std::vector<MotionState> random_states(const Mechanism& mechanism, int count, std::uint64_t seed);

}  // namespace kinloop::bench
