// Model parameters of a running plant: get and set.
#include <CLI/CLI.hpp>
#include <ostream>

#include "services/cli/ctl.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

using Texts = std::shared_ptr<std::vector<std::string>>;

Exchange get_exchange(const Texts& names) {
  return {[names](const v1::Description&) -> Result<v1::ControlRequest> {
            v1::ControlRequest request;
            request.mutable_get_parameters()->mutable_names()->Add(names->begin(), names->end());
            return request;
          },
          [](const v1::ControlReply& reply, const v1::Description&,
             const console::Console& console) -> std::optional<Error> {
            console::Table table({{"parameter"}, {"value"}});
            for (const v1::ParameterValue& one : reply.parameters().values()) table.add({one.name(), one.value()});
            table.print(console.out);
            return std::nullopt;
          }};
}

Result<v1::ControlRequest> set_request(const std::vector<std::string>& texts) {
  v1::ControlRequest request;
  for (const std::string& text : texts) {
    const Result<Assignment> assignment = read_assignment(text);
    if (!assignment) return assignment.error();
    v1::ParameterValue& value = *request.mutable_set_parameters()->add_values();
    value.set_name(assignment->name);
    value.set_value(assignment->value);
  }
  return request;
}

Exchange set_exchange(const Texts& texts) {
  return {[texts](const v1::Description&) { return set_request(*texts); },
          [texts](const v1::ControlReply& reply, const v1::Description& plant,
                  const console::Console& console) -> std::optional<Error> {
            console.out << plant.rig() << ": " << texts->size() << (texts->size() == 1 ? " parameter" : " parameters")
                        << " set" << at_step(reply) << "\n";
            return std::nullopt;
          }};
}

}  // namespace

void add_ctl_parameters(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* get = ctl.add_subcommand("get", "the model's parameters as they are in force");
  get->fallthrough();
  get->add_option("NAME", *names, "which (default: all)");
  get->callback([common, &job, names] {
    job = [common, names](const console::Console& console) {
      return run_exchange(*common, get_exchange(names), console);
    };
  });

  auto texts = std::make_shared<std::vector<std::string>>();
  CLI::App* set = ctl.add_subcommand("set", "change parameters, all at the beginning of one step");
  set->fallthrough();
  set->add_option("NAME=VALUE", *texts, "values with units or expressions, as in the model's file")->required();
  set->callback([common, &job, texts] {
    job = [common, texts](const console::Console& console) {
      return run_exchange(*common, set_exchange(texts), console);
    };
  });
}

}  // namespace kinloop::cli
