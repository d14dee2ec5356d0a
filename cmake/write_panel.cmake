# Builds the page in PANEL if BUILD is on, then writes its files as the C++ source OUTPUT. Run by the build.
if(BUILD)
  execute_process(COMMAND ${PANEL}/build.sh RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(NOTICE "${said}\nThe page could not be built: the program will say so instead of showing it.")
  endif()
endif()

set(type_of.html "text/html; charset=utf-8")
set(type_of.js "text/javascript; charset=utf-8")
set(type_of.css "text/css; charset=utf-8")
set(type_of.svg "image/svg+xml")
set(type_of.png "image/png")
set(root ${PANEL}/dist)
file(GLOB_RECURSE files ${root}/*)
if(failed OR NOT EXISTS ${root}/index.html)
  get_filename_component(root ${PANEL}/.. ABSOLUTE)
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
  # The digest makes ccache see a new page under an old name.
  file(SHA256 ${file} digest)
  string(APPEND blobs "// ${digest}\n"
    "asm(\".section .rodata\\n.global kinloop_panel_${number}\\nkinloop_panel_${number}:\\n\"\n"
    "    \".incbin \\\"${file}\\\"\\n.global kinloop_panel_${number}_end\\nkinloop_panel_${number}_end:\\n.previous\\n\");\n")
  string(APPEND externs "extern const char kinloop_panel_${number}[], kinloop_panel_${number}_end[];\n")
  string(APPEND rows "      {\"/${path}\", \"${type}\",\n"
    "       {kinloop_panel_${number}, static_cast<std::size_t>(kinloop_panel_${number}_end - kinloop_panel_${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT}
"// Written by cmake/write_panel.cmake.
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
if(failed)
  # Older than all it is made from: the next build tries again.
  execute_process(COMMAND touch -d @0 ${OUTPUT})
endif()
