#include "services/gateway/panel_files.hpp"

namespace kinloop::gateway {

const PanelFile* find_panel_file(std::string_view path) noexcept {
  if (path == "/") path = "/index.html";
  for (const PanelFile& file : panel_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace kinloop::gateway
