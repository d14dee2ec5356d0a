// Feeds any bytes to the import of SDF, and what it accepts to compile().
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "services/import/sdf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto imported = kinloop::import_sdf_text(text, "fuzz.sdf");
  if (imported) (void)kinloop::compile(imported->spec);
  return 0;
}
