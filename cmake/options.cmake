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
# The first two change no result, unlike fast-math: they only free the compiler from errno and floating-point traps.
# The third makes results independent of how much is optimised and what is inlined where: by default gcc joins a * b + c
# into one rounding wherever it happens to see both. Where a fused operation is wanted, it is written: fused() of
# core/spatial/vec3.hpp.
target_compile_options(kinloop_abi INTERFACE -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(KINLOOP_ARCH)
  target_compile_options(kinloop_abi INTERFACE -march=${KINLOOP_ARCH})
endif()
# Matrices of the sweeps are copied in whole vectors: by default gcc 12 copies them in halves, through the stack.
check_cxx_compiler_flag(-mmove-max=256 KINLOOP_COMPILER_HAS_MOVE_MAX)
if(KINLOOP_COMPILER_HAS_MOVE_MAX)
  target_compile_options(kinloop_abi INTERFACE -mmove-max=256 -mstore-max=256)
endif()
if(KINLOOP_SANITIZE)
  set(instrumented 1)
  if(NOT KINLOOP_SANITIZE_CORE)
    set(instrumented $<NOT:$<IN_LIST:$<TARGET_PROPERTY:NAME>,kinloop_core$<SEMICOLON>kinloop_core_cold>>)
  endif()
  target_compile_options(kinloop_abi INTERFACE
    $<${instrumented}:-fsanitize=${KINLOOP_SANITIZE}> $<${instrumented}:-fno-sanitize-recover=all>)
  target_link_options(kinloop_abi INTERFACE -fsanitize=${KINLOOP_SANITIZE})
endif()
if(KINLOOP_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KINLOOP_BUILD_FUZZ needs clang: use the preset fuzz")
  endif()
  target_compile_options(kinloop_abi INTERFACE -fsanitize=fuzzer-no-link)
endif()

# For what reads bytes of others, and the program: a flaw there ends it instead of letting somebody in. Canaries, checked
# copies, and tables of the linker that nobody can write; the compiler makes position-independent code by itself.
# tests/deploy/binary_test.sh looks at the result.
add_library(kinloop_hardening INTERFACE)
target_compile_options(kinloop_hardening INTERFACE -fstack-protector-strong)
target_link_options(kinloop_hardening INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
  -Wl,-z,relro,-z,now,-z,noexecstack)
if(NOT KINLOOP_SANITIZE)
  # The sanitizers check more. Without optimisation nothing is known of sizes.
  target_compile_definitions(kinloop_hardening INTERFACE $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
endif()

add_library(kinloop_warnings INTERFACE)
target_compile_options(kinloop_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Part of clang's -Wconversion and not of gcc's: an index may be signed, as those of the mechanics and of Eigen are.
  target_compile_options(kinloop_warnings INTERFACE -Wno-sign-conversion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without AVX, vectors of four lanes are passed otherwise than with it; all of a program is compiled the same way.
  target_compile_options(kinloop_warnings INTERFACE -Wno-psabi)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees an overlap in every `"text" + std::string` (its bug 105329).
  target_compile_options(kinloop_warnings INTERFACE -Wno-restrict)
endif()
if(KINLOOP_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumented code hides initialisations from gcc 12's analysis.
  target_compile_options(kinloop_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# kinloop_unity(<target> <lines> <sources...>): compiles the sources of a folder together, in batches of about so many
# lines: small files under big headers cost far more to parse than to compile. A batch bounds what one touched file
# rebuilds. Names in unnamed namespaces are therefore unique within a folder (tests/architecture).
function(kinloop_unity target lines)
  if(NOT KINLOOP_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(last_folder "")
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    # Strings of a file are about its lines; counting them is cheap, and configuring again gives the same batches.
    file(STRINGS ${source} content)
    list(LENGTH content length)
    if(content MATCHES "#include <boost/")
      math(EXPR length "${length} + 800")  # what its templates cost
    endif()
    if(NOT folder STREQUAL last_folder)
      set(last_folder ${folder})
      set(batch 0)
      set(filled 0)
    endif()
    math(EXPR filled "${filled} + ${length}")
    if(filled GREATER lines)
      math(EXPR batch "${batch} + 1")
      set(filled ${length})
    endif()
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
    string(REPLACE "/" "_" name ${name})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
  endforeach()
endfunction()

# kinloop_cold(<target>): nothing of it is called in a step; it compiles in less time with less optimisation, and with
# -ffp-contract=off to the same results.
function(kinloop_cold target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1 -g0)
  endif()
endfunction()

# kinloop_shareable(<target>): its objects may become part of a shared library, Python's module. Nothing of ours is to be
# seen or replaced from outside of that, so hidden: calls and inlining are then those of a program.
function(kinloop_shareable target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# kinloop_precompiled(<target> <headers...>), (<target> REUSE_FROM <other>): reads what all batches include once. Files
# compiled by themselves do without, to show that each includes what it uses.
function(kinloop_precompiled target)
  if(NOT KINLOOP_UNITY OR NOT ARGN)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  # gcc 12 forgets with precompiled headers that std::string is not ours to be warned about.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# kinloop_library(<target> UNITY_LINES lines [PUBLIC libraries...] [PRIVATE libraries...] [EXCLUDE regex] [COLD regex]
# [PRECOMPILED headers...]): a static library of all sources below the current folder but main.cpp and the excluded, and
# of the cold ones among the excluded.
function(kinloop_library target)
  cmake_parse_arguments(arg "" "EXCLUDE;UNITY_LINES;COLD" "PUBLIC;PRIVATE;PRECOMPILED" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(cold ${sources})
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target} PUBLIC kinloop_abi ${arg_PUBLIC} PRIVATE kinloop_warnings ${arg_PRIVATE})
  kinloop_shareable(${target})
  kinloop_unity(${target} ${arg_UNITY_LINES} ${sources})
  kinloop_precompiled(${target} ${arg_PRECOMPILED})
  if(arg_COLD)
    list(FILTER cold INCLUDE REGEX "${arg_COLD}")
    add_library(${target}_cold OBJECT ${cold})
    target_link_libraries(${target}_cold PRIVATE kinloop_abi ${arg_PUBLIC} kinloop_warnings ${arg_PRIVATE})
    kinloop_shareable(${target}_cold)
    kinloop_cold(${target}_cold)
    kinloop_unity(${target}_cold ${arg_UNITY_LINES} ${cold})
    kinloop_precompiled(${target}_cold ${arg_PRECOMPILED})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_cold>)
  endif()
endfunction()
