# embed_panel(<target> <folder>): puts the page of <folder> into the program, as services/gateway/panel_files.hpp declares
# it. With KINLOOP_PANEL the page is built on the way, beside the C++; else what is in <folder>/dist is taken. Where there
# is none, services/gateway/unbuilt.html says how to get it.
function(embed_panel target folder)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/panel_files_data.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/write_panel.cmake)
  find_program(KINLOOP_NPM npm)
  mark_as_advanced(KINLOOP_NPM)
  set(builds OFF)
  set(inputs "")
  if(KINLOOP_PANEL AND KINLOOP_NPM)
    set(builds ON)
    file(GLOB inputs CONFIGURE_DEPENDS ${folder}/*.json ${folder}/*.html ${folder}/*.ts ${folder}/*.sh
      ${folder}/scripts/* ${PROJECT_SOURCE_DIR}/proto/kinloop/v1/*.proto)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/src/*)
    list(FILTER sources EXCLUDE REGEX "/src/generated/")
    list(APPEND inputs ${sources})
  else()
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${folder}/dist/*)
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DPANEL=${folder} -DBUILD=${builds} -DOUTPUT=${output} -P ${script}
    DEPENDS ${inputs} ${script} ${folder}/../unbuilt.html
    COMMENT "Building the page" VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()
