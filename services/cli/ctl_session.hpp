// Owns what the verbs of ctl share: connecting, one request and its answer, errors and their exit codes.
#pragma once

#include <kinloop/client/plant.hpp>

#include <functional>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "services/console/console.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kinloop::cli {

struct CtlOptions {
  std::string plant;       // as Plant::connect takes it
  std::string timeout;     // empty: that of the client
  std::string key;         // file of the client's secret key
  std::string server_key;  // file of the server's public key, or the key itself
  client::Transport transport = client::Transport::kAutomatic;
  bool json = false;
  std::function<bool()> gives_up;  // besides Ctrl-C: the answer is no longer wanted
};

/// --plant and what else says where the plant is and how to reach it.
void add_connection_options(CLI::App& app, CtlOptions& options);

/// The client's options; an error is bad usage.
Result<client::Options> connection_of(const CtlOptions& options);

/// What a verb asks for, and how the answer reads.
struct Exchange {
  std::function<Result<v1::ControlRequest>(const v1::Description&)> request;
  /// On console.out, for people. An error is about what was to be done with the answer.
  std::function<std::optional<Error>(const v1::ControlReply&, const v1::Description&, const console::Console&)> report;
};

/// Connects, asks, reports: the exit code. Ctrl-C cancels the request.
int run_exchange(const CtlOptions& options, const Exchange& exchange, const console::Console& console);

/// Connects and gives the plant to `use`, which returns the exit code. Ctrl-C makes `stops` true.
using Use = std::function<int(client::Plant& plant, const std::function<bool()>& stops)>;
int with_plant(const CtlOptions& options, const console::Console& console, const Use& use);

/// Prints the error and what to do about it; with --json as a ControlReply. Returns the exit code.
int fail(const CtlOptions& options, const client::Error& error, const console::Console& console);

/// protobuf's JSON mapping, on console.out.
void print_json(const google::protobuf::Message& message, const console::Console& console);
/// On one line.
std::string json_line(const google::protobuf::Message& message);

/// " at step 4711", or nothing where the step means nothing.
std::string at_step(const v1::ControlReply& reply);

}  // namespace kinloop::cli
