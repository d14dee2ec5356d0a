// Two files, and a word on where each of them belongs.
#include "services/cli/keygen.hpp"

#include <CLI/CLI.hpp>
#include <ostream>

#include "core/base/nearest_name.hpp"
#include "services/console/exit_code.hpp"
#include "services/gateway/tokens.hpp"
#include "services/security/keys.hpp"

namespace kinloop::cli {
namespace {

constexpr const char* kServer = "server";

void print_next_steps(const security::KeyFiles& files, const KeygenOptions& options, const console::Console& console) {
  const bool is_server = options.role == kServer;
  const char* secret_place = is_server ? "stays on the plant's host: kinloop run --server-key"
                                       : "stays with its owner, on the client's host; show it to nobody";
  const std::string public_place = is_server ? "goes to every client, who knows the plant by it"
                                             : "goes into the plant's folder of allowed keys, as " + options.role;
  console.out << console.on_out(files.secret_file.string(), console::Style::kBold) << "  " << secret_place << "\n"
              << console.on_out(files.public_file.string(), console::Style::kBold) << "  " << public_place << "\n";
}

/// A line for the file of --panel-tokens. It is printed once and kept nowhere.
int print_panel_token(const KeygenOptions& options, const console::Console& console) {
  const std::optional<std::string> token = gateway::make_token();
  if (!token || options.role == kServer) {
    console::print_errors(console,
                          {{"--panel", token ? "a page's user is observer, operator or admin" : "no randomness"}}, "");
    return console::kBadInput;
  }
  console.out << options.role << " " << options.name << " " << *token << "\n";
  console.err << "append the line to a file that only you may read (chmod 600): kinloop run --panel-tokens FILE\n";
  return console::kDone;
}

}  // namespace

int run_keygen(const KeygenOptions& options, const console::Console& console) {
  if (!security::is_key_name(options.name)) {
    console::print_errors(console,
                          {{"NAME " + in_quotes(options.name),
                            "wants 1 to 64 letters, digits, '_', '.' or '-', the first a letter or a digit"}},
                          "");
    return console::kBadInput;
  }
  if (options.is_for_panel) return print_panel_token(options, console);
  const std::optional<security::Role> role = security::find_role(options.role);
  const Result<security::KeyPair> pair = security::make_key_pair(options.name);
  if (!pair) {
    console::print_errors(console, {pair.error()}, "");
    return console::kInternalError;
  }
  const Result<security::KeyFiles> files = security::write_key_files(options.folder, *pair, role);
  if (!files) {
    console::print_errors(console, {files.error()}, "");
    return console::kBadInput;
  }
  print_next_steps(*files, options, console);
  return console::kDone;
}

void add_keygen(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("keygen", "make keys for a plant that is reached over a network");
  auto options = std::make_shared<KeygenOptions>();
  verb->add_option("NAME", options->name, "whose keys: a person, a machine, a plant")->required();
  verb->add_option("--folder", options->folder, "where NAME.secret and NAME.public are written (default: here)");
  verb->add_option("--role", options->role,
                   "of a client: observer (default), operator or admin; of the plant itself: server")
      ->check(CLI::IsMember({"observer", "operator", "admin", kServer}));
  verb->add_flag("--panel", options->is_for_panel, "print a token for the page instead: a line of its file of tokens");
  verb->footer(
      "Each side makes its own pair, keeps the secret file and gives the public one to the other:\n"
      "\n"
      "  plant's host    server.secret          kinloop run --server-key\n"
      "                  keys/alice.public      one file for each client; kinloop run --keys. Deleting it withdraws "
      "it\n"
      "  client's host   alice.secret           who she is\n"
      "                  server.public          whom she talks to\n"
      "\n"
      "An observer reads, and may stop in an emergency; an operator also moves actuators and starts, pauses and\n"
      "resets; an admin also changes parameters, injects faults and ends the run. What the role is stands in the file\n"
      "on the plant's host, where it can be changed. Nothing is ever overwritten. More: docs/security.md\n"
      "\n"
      "examples:\n"
      "  kinloop keygen server --role server\n"
      "  kinloop keygen alice --role operator\n"
      "  kinloop keygen alice --role operator --panel >> tokens\n"
      "  kinloop run rig.yaml --listen tcp://*:5600 --server-key server.secret --keys keys");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_keygen(*options, console); }; });
}

}  // namespace kinloop::cli
