// Reads the name with gethostname.
#include "services/host/host_name.hpp"

#include <unistd.h>

#include <array>

namespace kinloop::host {

std::string host_name() {
  std::array<char, 256> buffer{};  // the last byte stays zero, also where the name is cut
  if (::gethostname(buffer.data(), buffer.size() - 1) != 0 || buffer[0] == '\0') return "unknown";
  return buffer.data();
}

}  // namespace kinloop::host
