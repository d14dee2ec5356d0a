// Tests the client over TCP with CURVE: keys are used on every socket, wildcard hosts are replaced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.h>
#include <kinloop/client/plant.hpp>

#include <array>
#include <atomic>
#include <thread>

#include "tests/services/clients/fake_plant.hpp"

namespace kinloop::client {
namespace {

using namespace std::chrono_literals;

struct KeyPair {
  std::array<char, 41> public_key{}, secret_key{};
};

KeyPair curve_made_pair() {
  KeyPair pair;
  EXPECT_EQ(zmq_curve_keypair(pair.public_key.data(), pair.secret_key.data()), 0);
  return pair;
}

/// A control socket and a publisher of sensor frames, both with CURVE, on ports that the system chose.
class SecretPlant {
 public:
  SecretPlant() {
    control_address_ = bound(control_, "tcp://127.0.0.1:*");
    const std::string sensors = bound(sensors_, "tcp://0.0.0.0:*");
    description_ = FakePlant::description();
    v1::Endpoint& endpoint = *description_.add_endpoints();
    endpoint.set_socket("sensors");
    endpoint.set_address(sensors);
    endpoint.set_server_key(keys_.public_key.data());
    thread_ = std::thread([this] { serve(); });
  }
  ~SecretPlant() {
    runs_ = false;
    thread_.join();
    zmq_close(control_);
    zmq_close(sensors_);
    zmq_ctx_term(context_);
  }
  SecretPlant(const SecretPlant&) = delete;
  SecretPlant& operator=(const SecretPlant&) = delete;

  const std::string& control_address() const { return control_address_; }
  std::string public_key() const { return keys_.public_key.data(); }

 private:
  std::string bound(void* socket, const char* address) const {
    const int yes = 1;
    const int linger = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &yes, sizeof yes);
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys_.secret_key.data(), keys_.secret_key.size());
    EXPECT_EQ(zmq_bind(socket, address), 0);
    std::array<char, 256> place{};
    std::size_t size = place.size();
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, place.data(), &size);
    return place.data();
  }

  void serve() {
    for (std::uint64_t i = 1; runs_; ++i) {
      zmq_pollitem_t item{control_, 0, ZMQ_POLLIN, 0};
      if (zmq_poll(&item, 1, 2) > 0) answer();
      const std::string topic = "sensors/1/";
      const std::string frame = FakePlant::frame(i).SerializeAsString();
      zmq_send(sensors_, topic.data(), topic.size(), ZMQ_SNDMORE);
      zmq_send(sensors_, frame.data(), frame.size(), 0);
    }
  }

  void answer() {
    std::array<char, 256> identity{};
    std::array<char, 4096> bytes{};
    const int identity_size = zmq_recv(control_, identity.data(), identity.size(), 0);
    const int size = zmq_recv(control_, bytes.data(), bytes.size(), 0);
    v1::ControlRequest request;
    if (!request.ParseFromArray(bytes.data(), size)) return;
    v1::ControlReply reply;
    reply.set_request_id(request.request_id());
    *reply.mutable_description() = description_;
    const std::string text = reply.SerializeAsString();
    zmq_send(control_, identity.data(), static_cast<std::size_t>(identity_size), ZMQ_SNDMORE);
    zmq_send(control_, text.data(), text.size(), 0);
  }

  KeyPair keys_ = curve_made_pair();
  void* context_ = zmq_ctx_new();
  void* control_ = zmq_socket(context_, ZMQ_ROUTER);
  void* sensors_ = zmq_socket(context_, ZMQ_PUB);
  std::string control_address_;
  v1::Description description_;
  std::atomic<bool> runs_{true};
  std::thread thread_;
};

TEST(Curve, AClientWithTheServersKeyIsAnsweredAndHearsFrames) {
  const SecretPlant secret;
  const KeyPair own = curve_made_pair();
  Options options;
  options.timeout = 20s;
  options.keys = {secret.public_key(), own.public_key.data(), own.secret_key.data()};

  Result<Plant> plant = Plant::connect(secret.control_address(), options);

  ASSERT_TRUE(plant) << plant.error().message;
  EXPECT_NE(plant->recv(20s), nullptr);
}

TEST(Curve, AClientWithoutKeysIsNotAnswered) {
  const SecretPlant secret;
  Options options;
  options.timeout = 200ms;

  const Result<Plant> plant = Plant::connect(secret.control_address(), options);

  ASSERT_FALSE(plant);
  EXPECT_EQ(plant.error().kind, ErrorKind::kNoAnswer);
  EXPECT_THAT(plant.error().message, testing::HasSubstr("does it ask for keys?"));
}

TEST(Curve, AnotherServersKeyIsNotAnswered) {
  const SecretPlant secret;
  Options options;
  options.timeout = 200ms;
  options.keys.server_key = curve_made_pair().public_key.data();

  EXPECT_FALSE(Plant::connect(secret.control_address(), options));
}

}  // namespace
}  // namespace kinloop::client
