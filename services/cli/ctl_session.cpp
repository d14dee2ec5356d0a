// One connection, one request, one report.
#include "services/cli/ctl_session.hpp"

#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>

#include "services/cli/interrupt.hpp"
#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"

namespace kinloop::cli {
namespace {

using client::ErrorKind;

std::string_view hint_for(const client::Error& error) {
  switch (error.code) {
    case v1::ERROR_CODE_UNKNOWN_NAME:
      return "kinloop ctl describe lists the names";
    case v1::ERROR_CODE_LEASED:
      return "kinloop ctl status tells who holds the lease, and for how long";
    case v1::ERROR_CODE_FORBIDDEN:
      return "ask with a key of a role that permits it (--key)";
    case v1::ERROR_CODE_NOT_NOW:
      return "kinloop ctl status tells the plant's state";
    case v1::ERROR_CODE_VERSION:
      return "compare kinloop version here and there";
    default:
      return {};
  }
}

int exit_code_of(const client::Error& error) {
  if (error.kind == ErrorKind::kUsage) return console::kBadInput;
  const bool is_plants = error.code == v1::ERROR_CODE_PLANT || error.code == v1::ERROR_CODE_INTERNAL;
  return error.kind == ErrorKind::kRefused && !is_plants ? console::kBadInput : console::kInternalError;
}

google::protobuf::util::JsonPrintOptions json_options() {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;  // scripts need not know the defaults
  return options;
}

Result<client::Keys> keys_of(const CtlOptions& options) {
  client::Keys keys;
  if (options.key.empty() && options.server_key.empty()) return keys;
  if (options.server_key.empty()) return Error{"--key", "goes with --server-key: the server's public key"};
  if (!options.key.empty()) {
    const auto own = client::read_key_file(options.key);
    if (!own) return Error{"--key", own.error().message};
    if (own->secret_key.empty()) return Error{"--key", options.key + " has no secret key: name the secret file"};
    keys.public_key = own->public_key;
    keys.secret_key = own->secret_key;
  }
  std::error_code ignored;
  keys.server_key = options.server_key;
  if (std::filesystem::exists(options.server_key, ignored)) {
    const auto server = client::read_key_file(options.server_key);
    if (!server) return Error{"--server-key", server.error().message};
    keys.server_key = server->public_key;
  }
  const auto checked = client::checked_keys(keys);
  if (!checked) return Error{"--server-key", "is neither a file nor a key of 40 characters"};
  return keys;
}

}  // namespace

void add_connection_options(CLI::App& app, CtlOptions& options) {
  const std::map<std::string, client::Transport> transports = {{"auto", client::Transport::kAutomatic},
                                                               {"sockets", client::Transport::kSockets}};
  app.add_option("--transport", options.transport, "of frames: auto (shared memory where it can be), sockets")
      ->transform(CLI::CheckedTransformer(transports).description("auto|sockets"));
  app.add_option("--timeout", options.timeout, "for an answer, with or without a unit (default: 5 s)");
  app.add_option("--key", options.key, "file of your secret key, where the plant asks for one");
  app.add_option("--server-key", options.server_key, "file of the plant's public key, or the key itself");
}

Result<client::Options> connection_of(const CtlOptions& options) {
  client::Options connection;
  connection.holder = "kinloop ctl";
  connection.transport = options.transport;
  if (!options.timeout.empty()) {
    const Result<double> timeout_s = read_time("--timeout", options.timeout);
    if (!timeout_s) return timeout_s.error();
    constexpr double kMaxTimeout_s = 1e6;
    if (*timeout_s > kMaxTimeout_s) return Error{"--timeout", "'" + options.timeout + "' is longer than anybody waits"};
    connection.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*timeout_s * 1e3)));
    connection.job_timeout = std::max(connection.job_timeout, connection.timeout);
  }
  Result<client::Keys> keys = keys_of(options);
  if (!keys) return keys.error();
  connection.keys = std::move(*keys);
  return connection;
}

int with_plant(const CtlOptions& options, const console::Console& console, const Use& use) {
  Result<client::Options> connection = connection_of(options);
  if (!connection) {
    console::print_errors(console, {connection.error()}, "");
    return console::kBadInput;
  }
  const Interrupt interrupt;
  // Who has seen the wish to stop winds up, and wants the plant's answers for that; a second Ctrl-C ends all.
  bool is_winding_up = false;
  const auto stops = [&] { return is_winding_up = interrupt.signal() != 0; };
  connection->gives_up = [&] {
    return (interrupt.signal() != 0 && !is_winding_up) || (options.gives_up && options.gives_up());
  };
  auto plant = client::Plant::connect(options.plant, *connection);
  const int code = plant ? use(*plant, stops) : fail(options, plant.error(), console);
  return code != console::kDone && interrupt.signal() != 0 ? console::kSignalBase + interrupt.signal() : code;
}

int run_exchange(const CtlOptions& options, const Exchange& exchange, const console::Console& console) {
  return with_plant(options, console, [&](client::Plant& plant, const std::function<bool()>&) -> int {
    Result<v1::ControlRequest> request = exchange.request(plant.description());
    if (!request) {
      console::print_errors(console, {request.error()}, "");
      return console::kBadInput;
    }
    const auto reply = plant.request(std::move(*request));
    if (!reply) return fail(options, reply.error(), console);
    if (options.json) print_json(*reply, console);
    std::ostream nowhere(nullptr);
    const console::Console silent{nowhere, console.err};
    const std::optional<Error> error = exchange.report(*reply, plant.description(), options.json ? silent : console);
    if (!error) return console::kDone;
    console::print_errors(console, {*error}, "");
    return console::kInternalError;
  });
}

int fail(const CtlOptions& options, const client::Error& error, const console::Console& console) {
  if (options.json && error.kind == ErrorKind::kRefused) {
    v1::ControlReply reply;
    reply.mutable_error()->set_code(error.code);
    reply.mutable_error()->set_message(error.message);
    reply.mutable_error()->set_field(error.field);
    print_json(reply, console);
  } else {
    console::print_errors(console, {{error.field, error.message}}, hint_for(error));
  }
  return exit_code_of(error);
}

void print_json(const google::protobuf::Message& message, const console::Console& console) {
  google::protobuf::util::JsonPrintOptions options = json_options();
  options.add_whitespace = true;
  std::string text;
  if (google::protobuf::util::MessageToJsonString(message, &text, options).ok()) console.out << text;
}

std::string json_line(const google::protobuf::Message& message) {
  std::string text;
  (void)google::protobuf::util::MessageToJsonString(message, &text, json_options());
  return text;
}

std::string at_step(const v1::ControlReply& reply) {
  std::string text = reply.step() == 0 ? "" : " at step " + std::to_string(reply.step());
  if (reply.repeated_answer()) text += " (it was done when asked before)";
  return text;
}

}  // namespace kinloop::cli
