// Verbs that control a run: start, pause, resume, step, reset, stop, rearm, record, note, shutdown.
#include <kinloop/client/stop.hpp>

#include <CLI/CLI.hpp>
#include <atomic>
#include <ostream>
#include <sstream>
#include <thread>

#include "services/cli/ctl.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/console/exit_code.hpp"

namespace kinloop::cli {
namespace {

/// Fills in the request.
using FillRequest = std::function<void(v1::ControlRequest&)>;

constexpr const char* kStopped = "all actuators are made safe";

/// Of a stop.
std::string in_tick(const v1::ControlReply& reply) {
  return reply.tick() == 0 ? std::string() : ", latched in tick " + std::to_string(reply.tick());
}

Exchange plain_exchange(const FillRequest& fill, const std::string& done) {
  return {[fill](const v1::Description&) -> Result<v1::ControlRequest> {
            v1::ControlRequest request;
            fill(request);
            return request;
          },
          [done](const v1::ControlReply& reply, const v1::Description& plant, const console::Console& console) {
            console.out << plant.rig() << ": " << done << at_step(reply) << in_tick(reply) << "\n";
            return std::optional<Error>();
          }};
}

void add_plain(CLI::App& ctl, const SharedCtlOptions& common, Job& job, const char* name, const char* about,
               const FillRequest& fill, const std::string& done) {
  ctl.add_subcommand(name, about)->fallthrough()->callback([common, &job, fill, done] {
    job = [common, fill, done](const console::Console& console) {
      return run_exchange(*common, plain_exchange(fill, done), console);
    };
  });
}

void report_stop(const client::StoppedPlant& stopped, const CtlOptions& options, const console::Console& console) {
  v1::ControlReply reply;
  reply.set_step(stopped.receipt.step);
  reply.set_tick(stopped.receipt.tick);
  if (options.json) {
    print_json(reply, console);
  } else {
    console.out << (stopped.rig.empty() ? options.plant : stopped.rig) << ": " << kStopped << at_step(reply)
                << in_tick(reply) << "\n";
  }
  console.out.flush();
}

/// By the stop socket and through io at once: the first confirmation counts.
int run_stop(const CtlOptions& options, const Exchange& through_io, const console::Console& console) {
  std::atomic<bool> is_confirmed{false};
  std::atomic<bool> is_over{false};
  Result<client::Options> how = connection_of(options);
  if (!how) {
    console::print_errors(console, {how.error()}, "");
    return console::kBadInput;
  }
  how->gives_up = [&] { return is_over.load(); };
  std::thread asks([&] {
    const client::Result<client::StoppedPlant> direct = client::request_stop(options.plant, *how);
    if (!direct) return;
    report_stop(*direct, options, console);  // now: the other way may take a second to be given up
    is_confirmed.store(true);
  });
  std::ostringstream out;
  std::ostringstream err;
  CtlOptions by_io = options;
  by_io.gives_up = [&] { return is_confirmed.load(); };
  const int code = run_exchange(by_io, through_io, {out, err});
  is_over.store(code == console::kDone);  // else the socket may still do it
  asks.join();
  if (is_confirmed.load()) return console::kDone;
  console.out << out.str();
  console.err << err.str();
  return code;
}

void add_step(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  CLI::App* verb = ctl.add_subcommand("step", "so many steps of a paused plant, then it is paused again");
  auto steps = std::make_shared<std::uint64_t>(1);
  verb->fallthrough();
  verb->add_option("N", *steps, "how many (default: 1)")->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 53U));
  verb->callback([common, &job, steps] {
    job = [common, steps](const console::Console& console) {
      const std::string done = "takes " + std::to_string(*steps) + (*steps == 1 ? " step," : " steps, the first");
      return run_exchange(*common,
                          plain_exchange([steps](auto& request) { request.mutable_step()->set_steps(*steps); }, done),
                          console);
    };
  });
}

void add_stop(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  ctl.add_subcommand("stop", "emergency stop: all actuators are made safe, until rearm")
      ->fallthrough()
      ->callback([common, &job] {
        job = [common](const console::Console& console) {
          const Exchange through_io = plain_exchange([](auto& request) { request.mutable_emergency_stop(); }, kStopped);
          return run_stop(*common, through_io, console);
        };
      });
}

void add_rearm(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  CLI::App* verb = ctl.add_subcommand("rearm", "actuators that were made safe may be moved again");
  auto names = std::make_shared<std::vector<std::string>>();
  verb->fallthrough();
  verb->add_option("ACTUATOR", *names, "which (default: all)");
  verb->callback([common, &job, names] {
    job = [common, names](const console::Console& console) {
      Exchange exchange = plain_exchange(
          [names](auto& request) { request.mutable_rearm()->mutable_actuators()->Add(names->begin(), names->end()); },
          "re-armed");
      exchange.request = [names, plain = exchange.request](const v1::Description& plant) -> Result<v1::ControlRequest> {
        for (const std::string& name : *names) {
          if (const Result<int> index = actuator_index(plant, name); !index) return index.error();
        }
        return plain(plant);
      };
      return run_exchange(*common, exchange, console);
    };
  });
}

void add_record(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  struct RecordOptions {
    std::string name;
    bool stop = false;
  };
  CLI::App* verb = ctl.add_subcommand("record", "begin a record in the directory of the run, or end it");
  auto options = std::make_shared<RecordOptions>();
  verb->fallthrough();
  CLI::Option* name =
      verb->add_option("NAME", options->name, "of the file, without folders (default: record-<n>.mcap)");
  verb->add_flag("--stop", options->stop, "end the record that is being made")->excludes(name);
  verb->callback([common, &job, options] {
    job = [common, options](const console::Console& console) {
      Exchange exchange = plain_exchange(
          [options](auto& request) {
            request.mutable_record()->set_stop(options->stop);
            request.mutable_record()->set_name(options->name);
          },
          "");
      exchange.report = [stop = options->stop](const v1::ControlReply& reply, const v1::Description& plant,
                                               const console::Console& to) -> std::optional<Error> {
        const v1::RecordReply& record = reply.record();
        to.out << plant.rig() << ": " << (stop ? "recorded " : "records to ") << record.file();
        if (stop) to.out << ", " << record.steps() << " steps, " << record.dropped() << " dropped";
        to.out << (stop ? "" : at_step(reply)) << "\n";
        return std::nullopt;
      };
      return run_exchange(*common, exchange, console);
    };
  });
}

void add_note(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  CLI::App* verb = ctl.add_subcommand("note", "a remark, into events and record");
  auto text = std::make_shared<std::string>();
  verb->fallthrough();
  verb->add_option("TEXT", *text, "in quotes")->required();
  verb->callback([common, &job, text] {
    job = [common, text](const console::Console& console) {
      return run_exchange(*common,
                          plain_exchange([text](auto& request) { request.mutable_note()->set_text(*text); }, "noted"),
                          console);
    };
  });
}

}  // namespace

void add_ctl_run(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  using Request = v1::ControlRequest;
  const auto add = [&](const char* name, const char* about, const FillRequest& fill, const std::string& done) {
    add_plain(ctl, common, job, name, about, fill, done);
  };
  add(
      "start", "let a plant begin that waits for it", [](Request& r) { r.mutable_start(); }, "started");
  add(
      "pause", "the plant stands still", [](Request& r) { r.mutable_pause(); }, "paused");
  add(
      "resume", "the plant goes on", [](Request& r) { r.mutable_resume(); }, "goes on");
  add_step(ctl, common, job);
  add(
      "reset", "back to the state in which the run began", [](Request& r) { r.mutable_reset(); }, "reset");
  add_stop(ctl, common, job);
  add_rearm(ctl, common, job);
  add_record(ctl, common, job);
  add_note(ctl, common, job);
  add(
      "shutdown", "end the run", [](Request& r) { r.mutable_shutdown(); }, "ends");
}

}  // namespace kinloop::cli
