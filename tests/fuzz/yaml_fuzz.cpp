// Feeds any bytes to the YAML reader, and what it accepts to the reader of parameters.
#include <cstddef>
#include <cstdint>
#include <string>

#include "services/files/parameters.hpp"
#include "services/files/yaml_document.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto document = kinloop::parse_yaml(text, "fuzz.yaml");
  if (document) {
    kinloop::Diagnostics diagnostics("fuzz.yaml");
    (void)kinloop::read_parameters(document->root, diagnostics);
  }
  return 0;
}
