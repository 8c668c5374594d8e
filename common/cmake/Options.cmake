# All options of the build, in one place.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
option(WORKBOOK_NATIVE "Compile the emulator for this machine's own vector instructions" ON)
option(WORKBOOK_MACHINE_CODE "Compile kernels to x86-64 machine code, if AsmJit is installed" ON)
option(WORKBOOK_GROUPS "Compile files in groups: faster for a full build, slower after a change" ON)
option(WORKBOOK_WERROR "Treat warnings as errors" OFF)
set(WORKBOOK_SANITIZE "" CACHE STRING
  "Sanitizers for host code, as -fsanitize= takes them: address,undefined or thread")
option(WORKBOOK_FUZZ "Compile tests/fuzz for fuzzing: with libFuzzer if the compiler is clang, and with sanitizers" OFF)
if(WORKBOOK_FUZZ AND NOT WORKBOOK_SANITIZE)
  set(WORKBOOK_SANITIZE "address,undefined")
endif()

# Reads the results of the bootstrap, most importantly the CUDA compiler. A -D on the command line takes precedence.
include("${CMAKE_CURRENT_BINARY_DIR}/bootstrap.cmake" OPTIONAL RESULT_VARIABLE _facts)
if(NOT _facts)
  include("${CMAKE_CURRENT_SOURCE_DIR}/build/bootstrap.cmake" OPTIONAL)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
