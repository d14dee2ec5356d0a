# Compiler options as two targets: kinloop_abi must be the same in everything that is linked together,
# kinloop_warnings is private to our own code.

find_program(KINLOOP_CCACHE ccache)
mark_as_advanced(KINLOOP_CCACHE)
if(KINLOOP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The tests' precompiled headers: ccache is to trust that no macro of ours reaches into them.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${KINLOOP_CCACHE})
endif()

include(CheckCXXCompilerFlag)
# x86-64-v3 (AVX2, FMA) where both the compiler and the building machine have it.
if(NOT DEFINED KINLOOP_ARCH)
  check_cxx_compiler_flag(-march=x86-64-v3 KINLOOP_COMPILER_HAS_V3)
  set(cpu_flags "")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
  endif()
  set(default_arch "")
  if(KINLOOP_COMPILER_HAS_V3)
    set(default_arch x86-64-v3)
    foreach(feature IN ITEMS avx2 fma bmi1 bmi2 f16c movbe abm)
      if(NOT "${cpu_flags} " MATCHES " ${feature} ")
        set(default_arch "")
      endif()
    endforeach()
  endif()
  set(KINLOOP_ARCH "${default_arch}" CACHE STRING "Instruction set, as in -march=; empty for the compiler's default")
endif()

add_library(kinloop_abi INTERFACE)
target_include_directories(kinloop_abi INTERFACE ${PROJECT_SOURCE_DIR})
# Neither changes a result, unlike fast-math: they only free the compiler from errno and floating-point traps.
target_compile_options(kinloop_abi INTERFACE -fno-math-errno -fno-trapping-math)
if(KINLOOP_ARCH)
  target_compile_options(kinloop_abi INTERFACE -march=${KINLOOP_ARCH})
endif()
# Matrices of the sweeps are copied in whole vectors: by default gcc 12 copies them in halves, through the stack.
check_cxx_compiler_flag(-mmove-max=256 KINLOOP_COMPILER_HAS_MOVE_MAX)
if(KINLOOP_COMPILER_HAS_MOVE_MAX)
  target_compile_options(kinloop_abi INTERFACE -mmove-max=256 -mstore-max=256)
endif()
if(KINLOOP_SANITIZE)
  target_compile_options(kinloop_abi INTERFACE -fsanitize=${KINLOOP_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(kinloop_abi INTERFACE -fsanitize=${KINLOOP_SANITIZE})
endif()
if(KINLOOP_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KINLOOP_BUILD_FUZZ needs clang: use the preset fuzz")
  endif()
  target_compile_options(kinloop_abi INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(kinloop_warnings INTERFACE)
target_compile_options(kinloop_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees an overlap in every `"text" + std::string` (its bug 105329).
  target_compile_options(kinloop_warnings INTERFACE -Wno-restrict)
endif()
if(KINLOOP_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumented code hides initialisations from gcc 12's analysis.
  target_compile_options(kinloop_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# kinloop_library(<target> [PUBLIC libraries...] [PRIVATE libraries...] [EXCLUDE regex]): a static library of all sources
# below the current folder but main.cpp and the excluded; while there are only headers, an interface of the same name.
function(kinloop_library target)
  cmake_parse_arguments(arg "" "EXCLUDE" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC kinloop_abi ${arg_PUBLIC} PRIVATE kinloop_warnings ${arg_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE kinloop_abi ${arg_PUBLIC})
  endif()
endfunction()
