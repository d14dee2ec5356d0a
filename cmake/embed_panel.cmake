# embed_panel(<target> <folder>): puts the files of the built page into the program, as services/gateway/panel_files.hpp
# declares them. Where the page is not built, <folder>/../../unbuilt.html says how to.
function(embed_panel target folder)
  set(type_of.html "text/html; charset=utf-8")
  set(type_of.js "text/javascript; charset=utf-8")
  set(type_of.css "text/css; charset=utf-8")
  set(type_of.svg "image/svg+xml")
  set(type_of.png "image/png")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  set(root ${folder})
  if(NOT EXISTS ${folder}/index.html)
    message(STATUS "The page is not built (./dev does that): the program will say so instead")
    get_filename_component(root ${folder}/../.. ABSOLUTE)
    set(files ${root}/unbuilt.html)
  endif()
  set(blobs "")
  set(externs "")
  set(rows "")
  set(number 0)
  foreach(file IN LISTS files)
    file(RELATIVE_PATH path ${root} ${file})
    string(REPLACE "unbuilt.html" "index.html" path ${path})
    get_filename_component(ending ${path} LAST_EXT)
    set(type "application/octet-stream")
    if(DEFINED type_of${ending})
      set(type "${type_of${ending}}")
    endif()
    string(APPEND blobs "asm(\".section .rodata\\n.global kinloop_panel_${number}\\nkinloop_panel_${number}:\\n\"\n"
      "    \".incbin \\\"${file}\\\"\\n.global kinloop_panel_${number}_end\\nkinloop_panel_${number}_end:\\n.previous\\n\");\n")
    string(APPEND externs "extern const char kinloop_panel_${number}[], kinloop_panel_${number}_end[];\n")
    string(APPEND rows "      {\"/${path}\", \"${type}\",\n"
      "       {kinloop_panel_${number}, static_cast<std::size_t>(kinloop_panel_${number}_end - kinloop_panel_${number})}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/panel_files_data.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Written by cmake/embed_panel.cmake.
#include <array>
#include <cstddef>

#include \"services/gateway/panel_files.hpp\"

${blobs}
extern \"C\" {
${externs}}

namespace kinloop::gateway {

std::span<const PanelFile> panel_files() noexcept {
  static const std::array<PanelFile, ${number}> kFiles{{
${rows}  }};
  return kFiles;
}

}  // namespace kinloop::gateway
")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${source})
endfunction()
