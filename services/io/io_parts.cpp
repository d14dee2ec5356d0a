// Opens everything that io needs, in order.
#include "services/io/io_parts.hpp"

#include "services/base/text_file.hpp"
#include "services/host/build_facts.hpp"
#include "services/host/host_name.hpp"
#include "services/io/description.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/io/times.hpp"
#include "services/rig/write_rig.hpp"

namespace kinloop::io {
namespace {

using Errors = std::vector<Error>;

constexpr std::size_t kMaxAttachment = std::size_t{64} << 20U;

/// An io before this one may have changed them.
LiveParameters parameters_in_force(const LoadedRig& rig, rt::PlantMemory& memory) {
  LiveParameters parameters(rig.spec);
  if (const auto set = memory.parameters.take(); set.value != nullptr) {
    parameters.set(from_lines(set.value->text.data()), set.value->number);
  }
  return parameters;
}

v1::Description description_of(const LoadedRig& rig, const rt::PlantMemory& memory, const Sockets* sockets,
                               const std::vector<v1::Endpoint>& stops, const LiveParameters& parameters) {
  v1::Description description = describe(rig, memory.state_size());
  if (sockets != nullptr) {
    for (const v1::Endpoint& endpoint : sockets->endpoints) *description.add_endpoints() = endpoint;
    for (const v1::Endpoint& endpoint : stops) *description.add_endpoints() = endpoint;
  }
  to_wire(parameters.all(), *description.mutable_parameters());
  return description;
}

RecordHead record_head(const LoadedRig& rig, const IoOptions& options, const v1::Description& description) {
  RecordHead head;
  head.folder = options.directory;
  head.facts.description = description;
  head.facts.commit = host::build_facts().commit;
  head.facts.host = host::host_name();
  const auto attach = [&](const std::string& name, const std::filesystem::path& file) {
    if (const auto text = read_text_file(file, kMaxAttachment)) head.files.push_back({name, *text});
  };
  attach("rig.yaml", options.directory / "rig.yaml");
  attach(kept_model_name(rig.spec), rig.spec.model);  // as that rig names it, wherever this one was read from
  return head;
}

}  // namespace

IoParts::IoParts(const LoadedRig& its_rig, const IoOptions& its_options, rt::PlantMemory& its_memory,
                 std::unique_ptr<Sockets> its_sockets)
    : rig(its_rig),
      options(its_options),
      memory(its_memory),
      sockets(std::move(its_sockets)),
      live_parameters(parameters_in_force(rig, memory)),
      description(description_of(rig, memory, sockets.get(), options.stops, live_parameters)),
      commands(description.schema_hash(), rig.spec.plant.actuators.size(), rig.spec.mode, memory),
      plant(memory),
      recorder(record_head(rig, options, description), live_parameters, memory, plant, tasks),
      events(socket(net::Channel::kEvents), rig, memory, commands, recorder) {}

Result<std::unique_ptr<IoParts>, Errors> open_parts(const LoadedRig& rig, const IoOptions& options,
                                                    rt::PlantMemory& memory, log::Logger log) {
  std::unique_ptr<Sockets> sockets;
  if (!options.listen.addresses.empty()) {
    const auto report = [log](const std::string& line) { log.warning(line); };
    auto opened = open_sockets(options.listen, read_endpoints(options.folder), report);
    if (!opened) return opened.error();
    sockets = std::move(opened).value();
  }
  auto parts = std::make_unique<IoParts>(rig, options, memory, std::move(sockets));
  auto adapters = make_adapters(rig, parts->commands);
  if (!adapters) return Errors{adapters.error()};
  parts->adapters = AdapterSet(std::move(adapters).value());
  if (!options.record.empty() && parts->is_first()) {
    if (const auto error = parts->recorder.start_with_the_run(options.record)) return Errors{*error};
  }
  return parts;
}

Result<std::unique_ptr<gateway::Gateway>, Errors> open_page(IoParts& parts, log::Logger log) {
  const IoOptions& options = parts.options;
  if (!options.panel) return std::unique_ptr<gateway::Gateway>();
  auto page = gateway::Gateway::open(*options.panel, parts.description, read_endpoints(options.folder),
                                     log.of("gateway"), rt::beat_of(parts.memory.io_beats, rt::IoThread::kGateway));
  if (!page) return Errors{page.error()};
  v1::Endpoint& endpoint = *parts.description.add_endpoints();
  endpoint.set_socket(gateway::kPanelEndpoint);
  endpoint.set_address((*page)->url());
  return std::move(page).value();
}

std::optional<Error> tell_endpoints(const IoParts& parts, log::Logger log) {
  if (!parts.options.folder.empty()) {
    if (auto error = write_endpoints(parts.options.folder, parts.memory.supervisor, parts.description)) return error;
  }
  for (const v1::Endpoint& endpoint : parts.description.endpoints()) {
    log.debug("serves " + endpoint.socket() + " at " + endpoint.address());
  }
  return std::nullopt;
}

void take_over(IoParts& parts) {
  rt::Request off;
  off.kind = rt::RequestKind::kJournal;
  parts.plant.ask(off, now_ns(), [&parts](const rt::Reply*) {
    for (rt::JournalEntry entry; parts.memory.journal.take(entry);) continue;
    if (parts.options.record.empty()) return;
    const std::string name = "record-after-restart-" + std::to_string(parts.memory.epoch.load() - 1) + ".mcap";
    parts.recorder.start(name, now_ns(), [&parts](const Result<RecordReport>& report) {
      parts.events.tell("recording", 0, 0, report ? report->file : report.error().what);
    });
  });
}

}  // namespace kinloop::io
