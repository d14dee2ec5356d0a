// Set-up and end of the process; the rest is services/io.
#include "services/run/io_process.hpp"

#include <google/protobuf/stubs/logging.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>

#include "rt/loop/thread_setup.hpp"
#include "services/console/exit_code.hpp"
#include "services/run/child_process.hpp"
#include "services/run/confinement.hpp"
#include "services/run/log_console.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::run {
namespace {

std::atomic<bool> stops{false};

/// Each takes a descriptor, and libzmq aborts where there are none left.
void permit_many_connections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

extern "C" void wish_io_to_stop(int /*number*/) { stops.store(true, std::memory_order_relaxed); }

}  // namespace

int run_io_process(const io::IoOptions& options, const console::Console& console) {
  const auto shared = inherited_memory(rt::MemoryOwner::kIo);
  if (!shared) {
    print_errors(console, {{"io", shared.error().what}}, "this verb is not for people: use kinloop run");
    return console::kBadInput;
  }
  rt::PlantMemory& memory = shared->memory();
  for (rt::Beat& beat : memory.io_beats) beat.end();  // of an io before this one
  follow_supervisor("kinloop-io", wish_io_to_stop, memory);
  std::signal(SIGPIPE, SIG_IGN);
  google::protobuf::SetLogHandler(nullptr);  // it would write a line for every message that is no UTF-8
  permit_many_connections();
  std::signal(SIGXFSZ, SIG_IGN);  // a record that grows too large is reported by the write
  const auto rig = load_rig(options.directory / "rig.yaml");
  if (!rig) {
    print_errors(console, rig.error(), "");
    return console::kBadInput;
  }
  rt::stay_off_core(wishes_of(rig->spec).core);
  const bool is_confined = confine_io();  // before the first thread
  const auto ready = [&] {
    memory.io_ready.store(memory.epoch.load(std::memory_order_relaxed), std::memory_order_release);  // all is bound
  };
  log::Log log(options.log, log_console(console));  // its thread stays off that core too
  log.open_file(options.directory / "kinloop-io.log");
  const log::Logger logger(log, "io");
  if (!is_confined) logger.warning("this kernel filters no system calls: io is not confined");
  const std::vector<Error> errors = io::run_io(*rig, options, memory, stops, ready, logger);
  for (const Error& error : errors) logger.error(error);
  return errors.empty() ? console::kDone : console::kBadInput;
}

}  // namespace kinloop::run
