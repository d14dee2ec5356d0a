// Tests the header for controllers by compiling it as strictly as can be, and by a controller in C that uses it.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/constraints/compile.hpp"
#include "services/io/udp_adapter.hpp"
#include "services/io/udp_header_text.hpp"
#include "tests/services/io/adapter_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

using testing::HasSubstr;

constexpr const char* kCompiler = "cc -std=c99 -Wall -Wextra -Werror -pedantic -O1";

// In lockstep: sends the belt's force, checks what comes back. Its exit code is the line that went wrong.
constexpr const char* kController = R"(#define _POSIX_C_SOURCE 200809L
#include "plant.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int main(void) {
  const struct timeval patience = {20, 0};
  struct sockaddr_in plant;
  struct kinloop_command command;
  struct kinloop_sensors frame;
  unsigned char datagram[2048];
  uint64_t last = 0;
  const int wire = socket(AF_INET, SOCK_DGRAM, 0);
  memset(&plant, 0, sizeof plant);
  plant.sin_family = AF_INET;
  plant.sin_port = htons(KINLOOP_UDP_PORT);
  if (inet_pton(AF_INET, KINLOOP_UDP_ADDRESS, &plant.sin_addr) != 1) return 1;
  if (setsockopt(wire, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) return 2;
  if (connect(wire, (const struct sockaddr *)&plant, sizeof plant) != 0) return 3;
  for (uint64_t i = 1; i <= 100; ++i) {
    ssize_t size;
    kinloop_fill_command(&command, i);
    command.value[KINLOOP_ACTUATOR_belt] = 0.25 * (double)i;
    command.value[KINLOOP_ACTUATOR_hand] = -1.0;
    if (send(wire, &command, sizeof command, 0) != (ssize_t)sizeof command) return 4;
    size = recv(wire, datagram, sizeof datagram, 0);
    if (size < 0) return 5;
    if (kinloop_check_sensors(datagram, (size_t)size - 1, last, &frame)) return 6;
    if (!kinloop_check_sensors(datagram, (size_t)size, last, &frame)) return 7;
    last = frame.sequence;
    if (kinloop_check_sensors(datagram, (size_t)size, last, &frame)) return 8;
    if (frame.step != i || frame.command_sequence != i) return 9;
    if (frame.value[KINLOOP_SENSOR_speed] != 0.25 * (double)i) return 10;
    if (!(frame.flags & KINLOOP_FLAG_DEGRADED) || (frame.flags & KINLOOP_FLAG_FROZEN)) return 11;
  }
  return close(wire) == 0 ? 0 : 12;
}
)";

class UdpHeaderTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    if (run("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C compiler";
  }
  static int run(const std::string& command) {
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a compiler, and what it made
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Whether a C file of the folder compiles.
  int compile(const std::string& source, const std::string& options) const {
    return run("cd '" + folder_.string() + "' && " + kCompiler + " " + options + " " + source);
  }
};

/// Answers every released step as a plant would: the speed shows what the belt was told.
void answer_all(Bench& bench, UdpAdapter& adapter, std::uint64_t& step) {
  while (const auto release = bench.release()) {
    rt::SensorFrame frame = frame_of(++step);
    frame.release = release->release;
    frame.command_sequence = release->sequence;
    frame.flags = rt::frame_flag::kDegraded;
    frame.value[1] = release->value[0];
    adapter.send(frame, 0);
  }
}

TEST_F(UdpHeaderTest, AControllerInCDrivesTheAdapter) {
  const LoadedRig rig = cart_rig("mode: lockstep\nadapters: [{kind: udp, port: 9999, reply: true, lease: 60 s}]\n");
  Bench bench(rig);
  auto spec = std::get<UdpAdapterSpec>(rig.spec.adapters[0]);
  spec.port = 0;
  const UdpLayout layout = make_udp_layout(rig, spec);
  auto adapter = UdpAdapter::open("adapters[0]", spec, layout, rig.spec.mode, bench.arbiter);
  ASSERT_TRUE(adapter);
  spec.port = adapter.value()->address().port();
  write("plant.h", udp_header_text("adapters[0]", spec, layout, rig.spec));
  write("controller.c", kController);
  ASSERT_EQ(compile("controller.c", "-o controller"), 0);

  std::atomic<int> code{-1000};
  std::thread controller([&] { code.store(run("'" + (folder_ / "controller").string() + "'")); });
  std::uint64_t step = 0;
  const auto start = std::chrono::steady_clock::now();
  while (code.load() == -1000) {  // the controller gives up by itself
    const auto now = std::chrono::steady_clock::now() - start;
    adapter.value()->receive(std::chrono::nanoseconds(now).count());
    answer_all(bench, **adapter, step);
    std::this_thread::yield();
  }
  controller.join();

  EXPECT_EQ(code.load(), 0);
  EXPECT_EQ(step, 100U);
  EXPECT_EQ(adapter.value()->refused(), 0);
}

TEST_F(UdpHeaderTest, HeadersOfOddRigsCompileToo) {
  LoadedRig rig = cart_rig("adapters: [{kind: udp, port: 9500, peer: 127.0.0.1, peer_port: 9501, sensors: []}]\n");
  rig.spec.name = "ends */ a comment \\ and\n#error the line";
  const auto& spec = std::get<UdpAdapterSpec>(rig.spec.adapters[0]);
  write("plant.h", udp_header_text("adapters[0]", spec, make_udp_layout(rig, spec), rig.spec));
  write("empty.c",
        "#include \"plant.h\"\n#include \"plant.h\"\n"
        "int main(void) { return sizeof(struct kinloop_sensors) == 64 && KINLOOP_UDP_PEER_PORT == 9501 ? 0 : 1; }\n");

  ASSERT_EQ(compile("empty.c", "-o empty"), 0);
  EXPECT_EQ(run("'" + (folder_ / "empty").string() + "'"), 0);
}

TEST_F(UdpHeaderTest, UnitsAndLimitsStandBesideTheNames) {
  const LoadedRig rig = cart_rig("adapters: [{kind: udp, port: 9500, reply: true}]\n");
  const auto& spec = std::get<UdpAdapterSpec>(rig.spec.adapters[0]);

  const std::string text = udp_header_text("adapters[0]", spec, make_udp_layout(rig, spec), rig.spec);

  EXPECT_THAT(text, HasSubstr("#define KINLOOP_ACTUATOR_belt 0  /* N, -30 to 30 */"));
  EXPECT_THAT(text, HasSubstr("#define KINLOOP_ACTUATOR_hand 1  /* Nm */"));
  EXPECT_THAT(text, HasSubstr("#define KINLOOP_SENSOR_angle 2  /* rad */"));
  EXPECT_THAT(text, HasSubstr("#define KINLOOP_SENSORS 3  /* how many */"));
}

}  // namespace
}  // namespace kinloop::io
