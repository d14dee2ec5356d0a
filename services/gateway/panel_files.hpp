// Owns the files of the page, which lie in the program itself.
#pragma once

#include <span>
#include <string_view>

namespace kinloop::gateway {

struct PanelFile {
  std::string_view path;  // "/index.html"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view bytes;
};

/// Written by the build from services/gateway/panel/dist; a page that says how to build it where there is none.
std::span<const PanelFile> panel_files() noexcept;
/// By the path of a request; nullptr where there is none. "/" is the page itself.
const PanelFile* find_panel_file(std::string_view path) noexcept;

}  // namespace kinloop::gateway
