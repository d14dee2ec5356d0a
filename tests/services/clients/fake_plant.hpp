// Owns FakePlant: the four sockets of a plant with answers made up by the test, which sees every byte that arrives.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/v1/frames.pb.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kinloop {

/// Serves in a thread of its own, over ipc in a folder. All members may be called while it runs.
class FakePlant {
 public:
  using Answer = std::function<std::optional<v1::ControlReply>(const v1::ControlRequest&)>;
  using FrameAnswer = std::function<std::optional<v1::ActuatorReply>(const v1::ActuatorFrame&)>;

  /// Running at once; also writes "<folder>/four_bar-<pid>/endpoints", as a plant does.
  explicit FakePlant(std::filesystem::path folder);
  ~FakePlant();
  FakePlant(const FakePlant&) = delete;
  FakePlant& operator=(const FakePlant&) = delete;

  /// As if io died, and came back.
  void stop();
  void start();

  std::string control_address() const { return address_of("control"); }
  /// A rig with an actuator "motor" and sensors "angle", "speed".
  static v1::Description description();
  void set_description(v1::Description description);

  /// Goes before the usual answers; where it gives nothing, nothing is answered.
  void answer_with(Answer answer);
  /// The next requests are heard but not answered.
  void ignore_next(int requests);
  void answer_frames_with(FrameAnswer answer);
  /// What every verb is answered with by default.
  v1::ControlReply usual_answer(const v1::ControlRequest& request) const;

  std::vector<v1::ControlRequest> requests() const;
  std::vector<v1::ActuatorFrame> frames() const;
  /// The last request that is no describe.
  v1::ControlRequest last_request() const;

  /// Whether somebody subscribed to the topic.
  bool has_subscriber(const std::string& topic) const;
  void publish(const std::string& topic, const v1::SensorFrame& frame);
  void publish_bytes(const std::string& topic, std::string bytes);
  void tell(const std::string& topic, const google::protobuf::MessageLite& message);
  /// A frame with these values, of step and sequence `number`.
  static v1::SensorFrame frame(std::uint64_t number, double angle = 0.0, double speed = 0.0);

 private:
  struct Outgoing {
    bool is_event = false;
    std::string topic, bytes;
  };
  struct Sockets;
  std::string address_of(const std::string& socket) const { return "ipc://" + (folder_ / socket).string(); }
  void serve();
  void serve_control(void* socket);
  void serve_actuators(void* socket);
  void serve_publisher(void* socket, bool is_event);

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  v1::Description description_;
  Answer answer_;
  FrameAnswer frame_answer_;
  int ignored_ = 0;
  std::vector<v1::ControlRequest> requests_;
  std::vector<v1::ActuatorFrame> frames_;
  std::vector<std::string> topics_;
  std::vector<Outgoing> outgoing_;
  std::atomic<bool> runs_{false};
  std::thread thread_;
};

/// Polls until it holds, at most 20 s.
bool comes_true(const std::function<bool()>& condition);

}  // namespace kinloop
