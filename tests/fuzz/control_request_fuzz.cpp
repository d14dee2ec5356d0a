// Feeds any bytes to the handler of control requests, with a plant behind it that answers at once. States that it lets
// in are stepped from; what it hands to the builder names parameters of the model alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>

#include "core/base/require.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/plant/plant.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/io/description.hpp"
#include "services/io/request_handler.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/wire/request_head.hpp"
#include "tests/support/private_memory.hpp"

namespace {

using namespace kinloop;

constexpr const char* kRig = "configs/rigs/four_bar.yaml";  // fuzzers are started in the root of the tree

/// Everything that io has, without sockets; the plant's side is played by answer_requests().
class Handler {
 public:
  Handler() : rig_(load_rig(kRig).value()), plant_(Plant::make(rig_.model.model, rig_.spec.plant).value()) {
    description_ = io::describe(rig_, memory_->state_size());
  }

  void take(v1::ControlRequest& request) {
    if (request.has_restore()) make_nearly_true(*request.mutable_restore()->mutable_snapshot());
    bound_work(request);
    const std::string bytes = request.SerializeAsString();
    take(std::string_view(bytes));
    for (int i = 0; i < 4; ++i) {  // what is asked for may lead to more
      answer_requests();
      answer_builds();
      channel_.poll(now_ns_);
      tasks_.run();
    }
    while (sent_ == 0 && (request.has_linearize() || request.has_rollout() || request.has_restore())) {
      std::this_thread::yield();
      tasks_.run();
      answer_requests();
      answer_builds();
      channel_.poll(now_ns_);
    }
    capture_.expire(INT64_MAX);
    tasks_.run();
    require(sent_ == 1, "every request is answered once");
  }
  void take(std::string_view bytes) {
    sent_ = 0;
    now_ns_ += 1'000'000;
    const wire::Bytes message{bytes.data(), bytes.size()};
    control_.take(
        {{"somebody"}, message, wire::read_request_head(message), {security::Role::kAdmin, "somebody"}, {}, now_ns_});
  }

 private:
  /// The start of this plant, with pairs of a place and a value from the block as changes.
  void make_nearly_true(v1::Snapshot& snapshot) const {
    const std::vector<double> changes(snapshot.block().begin(), snapshot.block().end());
    snapshot.set_version(io::kSnapshotVersion);
    snapshot.set_plant_hash(description_.plant_hash());
    State first = plant_->initial_state();
    snapshot.mutable_block()->Assign(first.block().data(), first.block().data() + first.block().size());
    for (std::size_t i = 0; i + 1 < changes.size(); i += 2) {
      const double place = std::isfinite(changes[i]) ? std::abs(changes[i]) : 0.0;
      const auto at = static_cast<int>(std::fmod(place, static_cast<double>(snapshot.block_size())));
      snapshot.set_block(at, changes[i + 1]);
    }
    std::copy(snapshot.block().begin(), snapshot.block().end(), first.block().data());
    snapshot.set_state_hash(rt::state_hash(first));  // who means harm can compute it
    while (snapshot.policies_size() < description_.actuators_size()) snapshot.add_policies();
    snapshot.set_hash(io::hash_of(snapshot));
  }

  void bound_work(v1::ControlRequest& request) {
    if (request.has_record()) request.mutable_status();  // makes files
    if (request.has_rollout() && request.rollout().steps_per_command() > 3) {
      request.mutable_rollout()->set_steps_per_command(3);
    }
  }

  void answer_requests() {
    rt::Request request;
    while (memory_->requests.pop(request)) {
      rt::Reply reply{request.id, rt::ReplyStatus::kDone, 0, state_.step() + 1};
      if (request.kind == rt::RequestKind::kSnapshot) let_out();
      if (request.kind == rt::RequestKind::kRestore && !let_in()) reply.status = rt::ReplyStatus::kRefused;
      if (request.kind == rt::RequestKind::kChange) apply(request.change, reply);
      memory_->replies.push(reply);
    }
  }

  void let_out() {
    const std::span<double> block = memory_->outgoing_block;
    std::copy_n(state_.block().data(), block.size(), block.begin());
    memory_->outgoing.actuators = static_cast<std::uint32_t>(rig_.spec.plant.actuators.size());
  }

  /// As rt::Loop does.
  bool let_in() {
    const SteppingMode floating_point;
    const std::span<const double> block = memory_->incoming_block;
    State state = plant_->initial_state();
    std::copy(block.begin(), block.end(), state.block().data());
    if (!plant_->accepts(block)) return false;
    StepInput input;
    input.count = static_cast<std::uint32_t>(rig_.spec.plant.actuators.size());
    for (int i = 0; i < 3; ++i) (void)plant_->step(input, state);  // with other commands it may fail, never crash
    std::array<Reading, rt::kMaxSensors> readings{};
    plant_->sense(state, std::span(readings).first(plant_->sensor_count()));
    return true;
  }

  void apply(const StepChange& change, rt::Reply& reply) {
    const SteppingMode floating_point;
    if (!plant_->can_apply(change, state_)) {
      reply.status = rt::ReplyStatus::kRefused;
      return;
    }
    StepInput input;
    input.count = static_cast<std::uint32_t>(rig_.spec.plant.actuators.size());
    input.changes = 1;
    input.change[0] = change;
    if (!is_done(plant_->step(input, state_))) state_ = plant_->initial_state();
  }

  void answer_builds() {
    rt::BuildRequest build;
    while (memory_->builds.pop(build)) {
      for (const ParameterSetting& setting : io::from_lines(build.text.data())) {
        require(live_parameters_.find(setting.name) != nullptr, "only parameters of the model reach the builder");
      }
      memory_->replies.push({build.id, rt::ReplyStatus::kDone, 0, 1});
    }
  }

  LoadedRig rig_;
  std::unique_ptr<Plant> plant_;
  State state_ = plant_->initial_state();
  std::unique_ptr<rt::PrivateMemory> memory_ =
      std::make_unique<rt::PrivateMemory>(static_cast<std::size_t>(state_.block().size()));
  v1::Description description_;
  io::CommandArbiter commands_{1, rig_.spec.plant.actuators.size(), rt::Mode::kRealTime, *memory_};
  io::PlantChannel channel_{*memory_};
  io::TaskQueue tasks_;
  io::Capture capture_;
  io::LiveParameters live_parameters_{rig_.spec};
  io::Recorder recorder_{{}, live_parameters_, *memory_, channel_, tasks_};
  io::JobThread jobs_{"jobs"}, trials_{"trials"};
  int sent_ = 0;
  std::int64_t now_ns_ = 0;
  io::RequestHandler control_{{rig_, kRig, description_, *memory_, commands_, channel_, capture_, jobs_, trials_,
                               recorder_, tasks_, live_parameters_,
                               [this](const io::Envelope&, const io::Answer& answer) {
                                 ++sent_;
                                 v1::ControlReply again;
                                 require(again.ParseFromString(*answer), "answers can be read");
                               },
                               [](std::string_view, std::uint64_t, std::int64_t, const std::string&) {},
                               [] { return v1::Status(); }, [] { return v1::Timing(); }}};
};

}  // namespace

/// The first byte chooses: the bytes as they are, or as a request that passes the first checks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto& handler = *new Handler;  // its threads live until the process ends
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if ((data[0] & 1U) != 0) {
    v1::ControlRequest raw;
    if (raw.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) && raw.version() == 1) return 0;
    handler.take(bytes);
    return 0;
  }
  v1::ControlRequest request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return 0;
  request.set_version(1);
  request.set_client(0);  // each is new
  handler.take(request);
  return 0;
}
