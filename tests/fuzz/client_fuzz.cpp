// Feeds any bytes to all that the client reads: replies, frames, events, endpoint files, key files, addresses.
#include <kinloop/client/discovery.hpp>
#include <kinloop/client/keys.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/require.hpp"
#include "services/clients/cpp/src/decode.hpp"

namespace {

using namespace kinloop;

constexpr int kSensors = 3;

void check_frame(std::string_view bytes) {
  static v1::SensorFrame frame;  // kept, as the client keeps it
  const client::FrameShape shape{0, kSensors};
  if (client::decode_frame(bytes, shape, frame) != client::FrameCheck::kGood) return;
  require(frame.value_size() == kSensors, "a good frame has all values");
  require(frame.quality().empty() || frame.quality().size() == kSensors, "a good frame has all qualities");
}

/// What is read without protobuf's oneof must be what protobuf reads.
void check_answer(std::string_view bytes) {
  static client::FrameAnswer answer;
  const bool is_good = client::decode_answer(bytes, {0, kSensors}, answer);
  v1::ActuatorReply reply;
  const bool is_reply = reply.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (!is_good) return;
  require(answer.has_frame != answer.has_error, "an answer is a frame or an error");
  require(!answer.has_frame || answer.frame.value_size() == kSensors, "an answer's frame is whole");
  if (!is_reply) return;
  require(answer.sequence == reply.sequence(), "the sequence is protobuf's");
  require(answer.has_frame == reply.has_frame() && answer.has_error == reply.has_error(), "the kind is protobuf's");
}

void check_texts(const std::string& text) {
  if (const auto plant = client::parse_endpoints(text)) {
    require(plant->pid > 0 && !plant->control.empty(), "endpoints name a process and a control socket");
  }
  const auto keys = client::parse_key_text(text, "fuzz.key");
  require(!keys || !keys->public_key.empty(), "a key file has a public key");
  require(keys || !keys.error().message.empty(), "a refusal says why");
  const std::size_t half = text.size() / 2;
  require(!client::reachable_address(text.substr(0, half), text.substr(half)).empty() || half == 0,
          "an address stays one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  v1::ControlReply reply;
  if (client::decode_reply(bytes, reply)) {
    require(reply.answer_case() != v1::ControlReply::ANSWER_NOT_SET, "a reply has an answer");
  }
  check_frame(bytes);
  check_answer(bytes);
  for (const char* topic : {"event", "status", "timing", "other"}) {
    const auto event = client::decode_event(topic, bytes);
    require(!event || std::string_view(topic) != "other", "other topics are no events");
  }
  check_texts(std::string(bytes));
  return 0;
}
