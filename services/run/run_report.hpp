// Owns RunReport: what a supervisor says of its run, to people and in files.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "rt/loop/loop_status.hpp"
#include "services/console/console.hpp"
#include "services/log/log.hpp"
#include "services/rig/rig_spec.hpp"
#include "services/run/run_directory.hpp"
#include "services/timing/certificate.hpp"

namespace kinloop::run {

class RunReport {
 public:
  /// All must outlive it.
  RunReport(const RigSpec& spec, const timing::CertificateFacts& facts, const console::Console& console,
            const log::Logger& log)
      : spec_(spec), facts_(facts), console_(console), log_(log) {}

  /// What is wrong, then what to do about it, which may take several lines.
  void say_errors(const std::vector<Error>& errors, const std::string& hint) const;
  /// How it is reached; `folder` is where clients find it, empty: nowhere.
  void say_hello(const RunDirectory& directory, const std::filesystem::path& folder) const;
  /// Why this host does not run it.
  void say_refusals() const;
  /// Who reads the output may do so when he likes: what finds no room within that time is not said.
  void print(const timing::TimingSummary& summary, const rt::LoopStatus& status,
             std::chrono::milliseconds patience) const;
  /// timing.json and the certificate, where one is wanted. What could not be written is told, and false.
  bool write(const timing::TimingSummary& summary, int exit_code, const RunDirectory& directory,
             const std::string& certificate) const;

 private:
  const RigSpec& spec_;
  const timing::CertificateFacts& facts_;
  const console::Console& console_;
  const log::Logger& log_;
};

}  // namespace kinloop::run
