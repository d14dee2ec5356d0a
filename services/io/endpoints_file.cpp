// Writes and reads lines of "what value".
#include "services/io/endpoints_file.hpp"

#include <fstream>

#include "services/base/write_file.hpp"
#include "services/record/record_facts.hpp"

namespace kinloop::io {
namespace {

constexpr const char* kName = "endpoints";

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
  std::ifstream file(folder / kName);
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos || line.find("://") == std::string::npos) continue;
    v1::Endpoint endpoint;
    endpoint.set_socket(line.substr(0, space));
    endpoint.set_address(line.substr(space + 1));
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

}  // namespace kinloop::io
