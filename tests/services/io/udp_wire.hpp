// Owns Wire: a UDP adapter with a controller at its other end, for tests.
#pragma once

#include <functional>

#include "services/io/udp_adapter.hpp"
#include "tests/services/io/adapter_fixture.hpp"
#include "tests/services/io/udp_client.hpp"

namespace kinloop::io {

/// An adapter on any port, with a controller beside it. Its time is the test's.
struct Wire {
  explicit Wire(
      const std::string& mode = "real_time", const std::string& keys = "",
      const std::function<void(UdpAdapterSpec&)>& change = [](UdpAdapterSpec&) {})
      : rig(cart_rig("mode: " + mode + "\nadapters: [{kind: udp, port: 9999, reply: true" + keys + "}]\n")),
        bench(rig),
        spec(std::get<UdpAdapterSpec>(rig.spec.adapters[0])) {
    spec.port = 0;
    change(spec);
    layout = make_udp_layout(rig, spec);
    auto opened = UdpAdapter::open("adapters[0]", spec, layout, rig.spec.mode, bench.arbiter);
    if (!opened) ADD_FAILURE() << opened.error().what;
    adapter = std::move(opened).value();
  }

  void command(std::uint64_t sequence, const std::vector<double>& values, std::uint64_t rearm = 0) {
    put(command_bytes(layout.hash, sequence, values, rearm));
  }
  void put(std::span<const std::byte> bytes) { put(bytes, controller); }
  void put(std::span<const std::byte> bytes, const UdpClient& from) {
    from.send(bytes, adapter->address());
    adapter->receive(now_ns);
  }

  LoadedRig rig;
  Bench bench;
  UdpAdapterSpec spec;
  UdpLayout layout;
  std::unique_ptr<UdpAdapter> adapter;
  UdpClient controller;
  std::int64_t now_ns = 1'000'000'000;
};

}  // namespace kinloop::io
