# The module _kinloop, by which Python has models and plants in its own process (docs/python.md). Built where the
# headers of the system's Python and pybind11 are; a program with a sanitizer could not load it.
if(KINLOOP_SANITIZE OR KINLOOP_BUILD_FUZZ)
  return()
endif()
# The system's own, for which the packages of deploy/packages.txt are: another may come first in the PATH.
find_program(KINLOOP_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(Python_EXECUTABLE ${KINLOOP_PYTHON})
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
set(PYBIND11_NOPYTHON ON)
find_package(pybind11 2.10 CONFIG QUIET)
if(NOT Python_Development.Module_FOUND OR NOT pybind11_FOUND)
  message(STATUS "Python's module is not built: it needs python3-dev and pybind11-dev")
  return()
endif()

services_folder(python APART USES base files rig PRIVATE pybind11::headers Python::Module)
Python_add_library(kinloop_module MODULE WITH_SOABI ${PROJECT_SOURCE_DIR}/services/python/main.cpp)
set_target_properties(kinloop_module PROPERTIES OUTPUT_NAME _kinloop
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
kinloop_shareable(kinloop_module)
kinloop_cold(kinloop_module)
target_compile_options(kinloop_module PRIVATE -fstack-protector-strong)
# In the order of the program: what runs in a step comes first.
target_link_libraries(kinloop_module PRIVATE $<FILTER:$<TARGET_OBJECTS:kinloop_core>,EXCLUDE,gch$>
  $<FILTER:$<TARGET_OBJECTS:kinloop_rt>,EXCLUDE,gch$> kinloop_python pybind11::headers kinloop_abi kinloop_warnings)
# Only what is used of the libraries, and nothing of them to be seen from outside.
target_link_options(kinloop_module PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,relro,-z,now)
