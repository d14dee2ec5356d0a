// Writes and reads lines of "what value".
#include "services/io/endpoints_file.hpp"

#include <kinloop/client/discovery.hpp>

#include "services/base/text_file.hpp"
#include "services/base/write_file.hpp"
#include "services/record/record_facts.hpp"

namespace kinloop::io {
namespace {

constexpr const char* kName = "endpoints";
constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;

}  // namespace

std::optional<Error> write_endpoints(const std::filesystem::path& folder, std::int64_t pid,
                                     const v1::Description& plant) {
  std::string text =
      "pid " + std::to_string(pid) + "\nrig " + plant.rig() + "\nmode " + record::mode_name(plant.mode()) + "\n";
  for (const v1::Endpoint& endpoint : plant.endpoints()) text += endpoint.socket() + " " + endpoint.address() + "\n";
  if (const auto failure = write_file(folder / kName, text)) return failure->error;
  return std::nullopt;
}

std::vector<v1::Endpoint> read_endpoints(const std::filesystem::path& folder) {
  std::vector<v1::Endpoint> endpoints;
  const auto text = read_text_file(folder / kName, kMaxBytes);
  if (!text) return endpoints;
  for (const client::EndpointLine& line : client::endpoint_lines(*text)) {
    if (line.value.find("://") == std::string::npos) continue;
    v1::Endpoint endpoint;
    endpoint.set_socket(line.what);
    endpoint.set_address(line.value);
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

}  // namespace kinloop::io
