// Feeds any bytes to the reader of rig files; what it accepts must load to the same after it was written.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/rig_text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kinloop::check_rig_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
