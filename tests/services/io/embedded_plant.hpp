// Owns EmbeddedPlant: a rig, by default of configs/rigs, in lockstep, its loop and its io as threads of the test,
// reached by inproc.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <kinloop/client/plant.hpp>

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "services/base/write_file.hpp"
#include "services/rig/write_rig.hpp"
#include "services/run/io_runner.hpp"
#include "services/run/plant_runner.hpp"
#include "tests/support/model_files.hpp"

namespace kinloop::io {

class EmbeddedPlant {
 public:
  /// `folder` is for the files of the run.
  EmbeddedPlant(const char* rig, const std::filesystem::path& folder) : EmbeddedPlant(test::rig_path(rig), folder) {}
  /// `listen`: besides inproc. `for_clients`: the folder where clients look for the plant; empty: nowhere.
  EmbeddedPlant(const std::filesystem::path& rig_file, const std::filesystem::path& folder, ListenOptions listen = {},
                const std::filesystem::path& for_clients = {})
      : rig_(std::make_shared<LoadedRig>(load_rig(rig_file).value())) {
    rig_->spec.mode = rt::Mode::kLockstep;
    EXPECT_FALSE(write_file(folder / "rig.yaml", write_rig(rig_->spec, rig_->spec.model.string())));
    const auto plant = Plant::make(rig_->model.model, rig_->spec.plant);
    const auto state_size = static_cast<std::size_t>((*plant)->initial_state().block().size());
    files_.emplace(rt::MemoryFiles::create("kinloop-test", state_size, rt::MemoryFiles::Processes::kOne).value());
    memory_ = &files_->memory();
    memory_->supervisor = ::getpid();

    IoOptions options;
    options.directory = folder;
    options.folder = for_clients;
    options.listen = std::move(listen);
    options.listen.addresses.insert(options.listen.addresses.begin(), net::listen_within("plant").value());
    options.listen.context = context_;
    io_ = run::start_io_thread(rig_, options, *memory_, log::Logger(log_, "io")).value();
    run::PlantRunOptions run;
    run.degraded = run::Degraded::kAllowed;
    plant_ = run::start_thread(rig_, folder / "rig.yaml", run, *memory_);
  }
  ~EmbeddedPlant() {
    memory_->stop.store(1);
    memory_->to_plant.notify();
    plant_.reset();
    io_->stop();
    log_.close();
    EXPECT_EQ(warnings_.str(), "");
  }
  EmbeddedPlant(const EmbeddedPlant&) = delete;
  EmbeddedPlant& operator=(const EmbeddedPlant&) = delete;

  zmq::context_t& context() { return *context_; }
  rt::PlantMemory& memory() { return *memory_; }
  /// A client, which must not outlive the plant.
  client::Result<client::Plant> connect() {
    client::Options options;
    options.context = context_->handle();
    options.timeout = std::chrono::seconds(20);
    return client::Plant::connect("inproc://plant/control", options);
  }

 private:
  std::ostringstream warnings_;
  log::Log log_{{log::Level::kWarning, log::Format::kText}, {&warnings_}};
  std::shared_ptr<zmq::context_t> context_ = std::make_shared<zmq::context_t>(1);
  std::shared_ptr<LoadedRig> rig_;
  std::optional<rt::MemoryFiles> files_;
  rt::PlantMemory* memory_ = nullptr;
  std::unique_ptr<run::IoRunner> io_;
  std::unique_ptr<run::PlantRunner> plant_;
};

}  // namespace kinloop::io
