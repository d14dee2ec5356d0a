// Set-up and end of the process; the rest is services/io.
#include "services/run/io_process.hpp"

#include <google/protobuf/stubs/logging.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <latch>
#include <memory>
#include <utility>
#include <vector>

#include "rt/loop/thread_setup.hpp"
#include "services/console/exit_code.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/net/stop_socket.hpp"
#include "services/run/child_process.hpp"
#include "services/run/confinement.hpp"
#include "services/run/log_console.hpp"
#include "services/run/plant_run.hpp"
#include "services/run/remote_stop.hpp"
#include "services/run/stop_server.hpp"
#include "services/run/thread_places.hpp"

namespace kinloop::run {
namespace {

std::atomic<io::IoWish> wish{io::IoWish::kGoOn};
static_assert(std::atomic<io::IoWish>::is_always_lock_free, "a signal's handler writes it");

/// Each takes a descriptor, and libzmq aborts where there are none left.
void permit_many_connections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

void wish_io_to_end(EndedBy by) {
  if (by == EndedBy::kDeathOfSupervisor) {
    wish.store(io::IoWish::kEndForsaken, std::memory_order_relaxed);
  } else if (wish.load(std::memory_order_relaxed) == io::IoWish::kGoOn) {
    wish.store(io::IoWish::kEnd, std::memory_order_relaxed);
  }
}

/// Beside the supervisor's: their threads go before those of io that serve everybody. Nothing where one cannot be had:
/// the stop goes through the others then. One thread after the other: libseccomp knows nothing of threads.
std::unique_ptr<StopServer> serve_local_stops(const io::IoOptions& options, const RigSpec& spec,
                                              rt::PlantMemory& memory) {
  if (options.folder.empty()) return nullptr;
  const std::filesystem::path path = options.folder / net::kIoStopSocket;
  std::error_code was_none;
  std::filesystem::remove(path, was_none);  // of an io before this one
  const int listener = net::listen_unix(path);
  if (listener < 0) return nullptr;
  std::vector<StopDoor> doors;
  doors.push_back({listener, stop_by_line()});
  std::latch is_set_up{1};
  StopServerOptions server{stop_wishes(spec), rt::StopWriter::kIo, [&is_set_up] {
                             confine_io();
                             is_set_up.count_down();
                           }};
  auto stops = std::make_unique<StopServer>(std::move(doors), std::move(server), memory,
                                            rt::beat_of(memory.io_beats, rt::IoThread::kStops), log::Logger());
  is_set_up.wait();
  return stops;
}

std::unique_ptr<RemoteStop> serve_remote_stops(const io::IoOptions& options, const RigSpec& spec,
                                               rt::PlantMemory& memory) {
  if (!RemoteStop::is_wanted(options.listen)) return nullptr;
  RemoteStopOptions how{stop_wishes(spec), rt::StopWriter::kIo, {}, [] { confine_io(); }};
  for (const v1::Endpoint& endpoint : io::read_endpoints(options.folder)) {
    if (endpoint.socket() == net::kIoStopSocket) how.earlier.push_back(endpoint);
  }
  auto stops = RemoteStop::start(options.listen, std::move(how), memory,
                                 rt::beat_of(memory.io_beats, rt::IoThread::kRemoteStops), log::Logger());
  return stops ? std::move(stops).value() : nullptr;
}

}  // namespace

int run_io_process(io::IoOptions options, const console::Console& console) {
  const auto shared = inherited_memory(rt::MemoryOwner::kIo);
  if (!shared) {
    print_errors(console, {{"io", shared.error().what}}, "this verb is not for people: use kinloop run");
    return console::kBadInput;
  }
  rt::PlantMemory& memory = shared->memory();
  for (rt::Beat& beat : memory.io_beats) beat.end();  // of an io before this one
  const SupervisorFollower follower("kinloop-io", wish_io_to_end, memory);
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
  const auto stops = serve_local_stops(options, rig->spec, memory);  // whose threads get priority, then are confined
  const auto remote_stops = serve_remote_stops(options, rig->spec, memory);
  const bool is_confined = confine_io();  // before all other threads
  if (remote_stops) {
    const auto& more = remote_stops->endpoints();
    options.stops.insert(options.stops.end(), more.begin(), more.end());
    options.stops_down = [&remote_stops] { return remote_stops->down(); };
  }
  const auto ready = [&] {
    memory.io_ready.store(memory.epoch.load(std::memory_order_relaxed), std::memory_order_release);  // all is bound
  };
  log::Log log(options.log, log_console(console));  // its thread stays off that core too
  log.open_file(options.directory / "kinloop-io.log");
  const log::Logger logger(log, "io");
  if (!stops && !options.folder.empty()) logger.warning("io serves no stop socket of its own");
  if (!remote_stops && RemoteStop::is_wanted(options.listen)) {
    logger.warning("io serves no stop socket of its own over TCP");
  }
  if (!is_confined) logger.warning("this kernel filters no system calls: io is not confined");
  const std::vector<Error> errors = io::run_io(*rig, options, memory, wish, ready, logger);
  for (const Error& error : errors) logger.error(error);
  return errors.empty() ? console::kDone : console::kBadInput;
}

}  // namespace kinloop::run
