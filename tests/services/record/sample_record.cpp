// Owns the making of the sample record.
#include "tests/services/record/sample_record.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace kinloop::record {

RecordFacts sample_facts() {
  RecordFacts facts;
  facts.commit = "0123456789ab";
  facts.host = "bench";
  v1::Description& plant = facts.description;
  plant.set_program("0.1.0");
  plant.set_rig("four_bar");
  plant.set_model("linkage");
  plant.set_schema_hash(0xFEDCBA9876543210U);
  plant.set_plant_hash(7);
  plant.set_dt_s(0.001);
  plant.set_mode(v1::MODE_REAL_TIME);
  v1::Actuator& motor = *plant.add_actuators();
  motor.set_name("motor");
  motor.set_unit("Nm");
  for (const char* name : {"crank", "motor"}) {  // one named as the actuator
    v1::Sensor& sensor = *plant.add_sensors();
    sensor.set_name(name);
    sensor.set_unit("rad");
  }
  return facts;
}

std::vector<RecordedFile> sample_files() { return {{"rig.yaml", "rig: four_bar\n"}, {"model.json", "{}"}}; }

v1::SensorFrame sample_frame(std::uint64_t step) {
  v1::SensorFrame frame;
  frame.set_step(step);
  frame.set_sequence(step);
  frame.set_time_s(0.001 * static_cast<double>(step));
  frame.set_flags(step % 10 == 0 ? v1::FRAME_FLAG_OVERRUN : 0);
  frame.add_value(0.1 * static_cast<double>(step));
  frame.add_value(-1.0);
  return frame;
}

v1::StepInput sample_input(std::uint64_t step) {
  v1::StepInput input;
  input.set_step(step);
  input.set_state_hash(step * 0x9E3779B97F4A7C15U);
  input.add_command(0.5 * static_cast<double>(step));
  return input;
}

v1::RecordedSnapshot sample_snapshot() {
  v1::RecordedSnapshot snapshot;
  snapshot.set_number(1);
  snapshot.mutable_snapshot()->set_version(1);
  snapshot.mutable_snapshot()->add_block(0.25);
  return snapshot;
}

RecordTime sample_time(std::uint64_t step) {
  return {kSampleStart.monotonic_ns + static_cast<std::int64_t>(step) * kSamplePeriod_ns, step};
}

RecordWriter begin_sample(const std::filesystem::path& path, std::uint64_t steps, std::uint64_t steps_a_chunk) {
  Result<RecordWriter> writer = RecordWriter::begin(path, sample_facts(), sample_files(), kSampleStart);
  require(writer.has_value(), "the sample can be written");
  writer->write(sample_snapshot(), sample_time(0));
  v1::RecordedParameters parameters;
  parameters.set_number(1);
  writer->write(parameters, sample_time(0));
  v1::Event event;
  event.set_kind("started");
  writer->write(event, sample_time(0));
  v1::ActuatorFrame command;
  command.set_sequence(1);
  command.add_value(0.5);
  writer->write(command, sample_time(0));
  for (std::uint64_t step = 1; step <= steps; ++step) {
    writer->write(sample_input(step), sample_time(step));
    writer->write(sample_frame(step), sample_time(step));
    if (step % steps_a_chunk == 0) writer->flush();
  }
  return std::move(writer).value();
}

void write_sample(const std::filesystem::path& path, std::uint64_t steps, std::uint64_t steps_a_chunk) {
  EXPECT_TRUE(begin_sample(path, steps, steps_a_chunk).finish().has_value());
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void put_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::remove(path);  // a new file: ext4 flushes those that were made empty first
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace kinloop::record
