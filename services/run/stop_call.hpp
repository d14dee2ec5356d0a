// Owns StopCall: a stop that a process asked for and whose confirmation is waited for, whoever wanted it.
#pragma once

#include <kinloop/client/stop.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

#include "rt/loop/plant_memory.hpp"

namespace kinloop::run {

struct StopCall {
  std::uint64_t count = 0;  // that its receipt will have at least
  std::uint64_t asked_tick = 0;
  rt::StopWriter writer = rt::StopWriter::kSupervisor;
  std::chrono::steady_clock::time_point since;
};

/// By the process whose word that is. In force from the next tick on, whatever becomes of the call.
inline StopCall call_stop(rt::PlantMemory& memory, rt::StopWriter writer) noexcept {
  const std::uint64_t count = rt::ask_stop(memory.stops, writer, memory.heartbeat.iterations);
  return {count, memory.heartbeat.iterations.load(std::memory_order_relaxed), writer, std::chrono::steady_clock::now()};
}

/// As the plant's memory has it; nothing: it has not latched the stop yet.
inline std::optional<client::StopReceipt> receipt_of(const StopCall& call, const rt::PlantMemory& memory) {
  const rt::StopReceipt& receipt = memory.stop_receipts[static_cast<std::size_t>(call.writer)];
  if (receipt.count.load(std::memory_order_acquire) < call.count) return std::nullopt;
  // Step and tick are those of this stop, or of a later one.
  return client::StopReceipt{receipt.step.load(std::memory_order_relaxed), receipt.tick.load(std::memory_order_relaxed),
                             call.asked_tick};
}

/// Whether a plant that did not latch by now is not waited for.
inline bool is_over(const StopCall& call) noexcept {
  constexpr std::chrono::seconds kLatchTime{5};
  return std::chrono::steady_clock::now() - call.since > kLatchTime;
}

}  // namespace kinloop::run
