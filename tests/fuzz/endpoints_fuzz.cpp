// Feeds any bytes to the readers of lines: the file by which clients find a plant, and parameters for its builder.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <unistd.h>

#include "core/base/require.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/io/live_parameters.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinloop;
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("endpoints-fuzz-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::ofstream(folder / "endpoints", std::ios::binary) << text;
  for (const v1::Endpoint& endpoint : io::read_endpoints(folder)) {
    require(endpoint.socket().find(' ') == std::string::npos, "a socket is one word");
    require((endpoint.socket() + endpoint.address()).find("://") != std::string::npos, "an address has a transport");
  }
  const io::ParameterList list = io::from_lines(text);
  for (const ParameterSetting& setting : list) {
    require(setting.name.find_first_of("\t\n") == std::string::npos, "a name is one word");
    require(setting.value.find('\n') == std::string::npos, "a value is on one line");
  }
  require(io::to_lines(io::from_lines(io::to_lines(list))) == io::to_lines(list), "lines read back");
  return 0;
}
