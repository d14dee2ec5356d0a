// Owns ClientFixture: a fake plant in a folder of its own, and clients of it.
#pragma once

#include <kinloop/client/plant.hpp>

#include <memory>

#include "tests/services/clients/fake_plant.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::client {

class ClientFixture : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    owned_ = std::make_unique<FakePlant>(folder_);
  }
  void TearDown() override {
    owned_->stop();  // its thread reads the pointer
    owned_.reset();
    TemporaryFolder::TearDown();
  }

  /// For what is answered; nothing is asked twice, however busy the host is.
  static Options patient() {
    Options options;
    options.timeout = std::chrono::milliseconds(20000);
    options.ask_again_after = options.timeout;
    options.holder = "test";
    return options;
  }
  /// For what is not.
  static Options brief() {
    Options options;
    options.timeout = std::chrono::milliseconds(100);
    return options;
  }
  Plant connected() { return connected(patient()); }
  Plant connected(Options options) {
    Result<Plant> plant = Plant::connect(fake().control_address(), std::move(options));
    EXPECT_TRUE(plant) << (plant ? "" : plant.error().message);
    return std::move(plant).value();
  }
  static v1::ControlRequest status_request() {
    v1::ControlRequest request;
    request.mutable_status();
    return request;
  }
  FakePlant& fake() { return *owned_; }

 private:
  std::unique_ptr<FakePlant> owned_;
};

}  // namespace kinloop::client
