// Feeds any bytes to the reader of model files, and what it accepts to compile(); what compiles must be finite.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/model_text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kinloop::check_model_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
