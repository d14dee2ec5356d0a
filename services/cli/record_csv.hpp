// Owns the CSV of a record: one row a step, numbers that read back exactly.
#pragma once

#include <iosfwd>
#include <string>

#include "services/record/record_reader.hpp"
#include "services/record/step_rows.hpp"

namespace kinloop::cli {

/// Columns: t (s), step, flags (FrameFlag bits), command.<actuator>, sensor.<sensor>; what was not recorded is empty.
/// Whether writing worked is the stream's state.
class RecordCsv {
 public:
  /// The record's facts name the columns.
  RecordCsv(const record::RecordFacts& facts, std::ostream& out);

  void write_header();
  /// An error where the row has other columns than the header.
  Result<bool> write(const record::StepRow& row);

 private:
  const v1::Description& plant_;
  std::ostream& out_;
  std::string line_;
};

/// Writes the whole record, the header included; true once all of it is written, false where the stream failed. An
/// error is about the record: the rows before it are written.
Result<bool> write_record_csv(record::RecordReader& reader, std::ostream& out);

}  // namespace kinloop::cli
