# kinloop_use_xenomai(<target> <source>): compiles the source, which calls Cobalt, with Xenomai's headers, and links what
# uses the target with libcobalt. Nothing is wrapped and nothing runs before main(): see the source.
function(kinloop_use_xenomai target source)
  find_program(XENO_CONFIG xeno-config PATHS /usr/xenomai/bin)
  if(NOT XENO_CONFIG)
    message(FATAL_ERROR "KINLOOP_RT=xenomai needs Xenomai 3 with the Cobalt core: xeno-config is not in PATH")
  endif()
  function(ask result)
    execute_process(COMMAND ${XENO_CONFIG} ${ARGN}
      OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(${result} "${answer}" PARENT_SCOPE)
  endfunction()

  ask(core --core)
  if(NOT core STREQUAL "cobalt")
    message(FATAL_ERROR "KINLOOP_RT=xenomai needs the Cobalt core, and ${XENO_CONFIG} is of ${core}: "
      "Mercury is Linux itself, for which KINLOOP_RT=posix is made")
  endif()
  ask(cflags --skin=cobalt --cflags)
  ask(ldflags --skin=cobalt --no-auto-init --no-mode-check --ldflags)
  ask(libraries --libdir)

  separate_arguments(cflags UNIX_COMMAND "${cflags}")
  set(options "")
  foreach(flag IN LISTS cflags)
    if(flag MATCHES "^-I(.+)")
      list(APPEND options "-isystem${CMAKE_MATCH_1}")  # their warnings are not ours
    else()
      list(APPEND options ${flag})
    endif()
  endforeach()
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_UNITY_BUILD_INCLUSION ON)
  separate_arguments(ldflags UNIX_COMMAND "${ldflags}")
  target_link_libraries(${target} PUBLIC ${ldflags} -Wl,-rpath,${libraries})
endfunction()
