// Owns the record that tests are made with: every channel, attachments, several chunks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "services/record/record_writer.hpp"

namespace kinloop::record {

inline constexpr RecordStart kSampleStart{1'700'000'000'000'000'000, 5'000'000'000};
inline constexpr std::int64_t kSamplePeriod_ns = 1'000'000;

RecordFacts sample_facts();
std::vector<RecordedFile> sample_files();
v1::SensorFrame sample_frame(std::uint64_t step);
v1::StepInput sample_input(std::uint64_t step);
v1::RecordedSnapshot sample_snapshot();
RecordTime sample_time(std::uint64_t step);

/// A snapshot, parameters, an event and a command, then inputs and frames of steps 1 to `steps`, a chunk for each
/// `steps_a_chunk`. Not finished.
RecordWriter begin_sample(const std::filesystem::path& path, std::uint64_t steps, std::uint64_t steps_a_chunk);
void write_sample(const std::filesystem::path& path, std::uint64_t steps, std::uint64_t steps_a_chunk);

std::string bytes_of(const std::filesystem::path& path);
void put_bytes(const std::filesystem::path& path, std::string_view bytes);

}  // namespace kinloop::record
