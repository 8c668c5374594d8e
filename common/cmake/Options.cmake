# Every switch of the build, in one place.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
option(WORKBOOK_NATIVE "Compile the emulator for this machine's own vector instructions" ON)
option(WORKBOOK_WERROR "Treat warnings as errors" OFF)
set(WORKBOOK_SANITIZE "" CACHE STRING "Sanitizers for host code, as -fsanitize= takes them: address,undefined or thread")

# What the bootstrap found or installed: the CUDA compiler above all. An own -D on the command line wins.
include("${CMAKE_CURRENT_BINARY_DIR}/bootstrap.cmake" OPTIONAL RESULT_VARIABLE _facts)
if(NOT _facts)
  include("${CMAKE_CURRENT_SOURCE_DIR}/build/bootstrap.cmake" OPTIONAL)
endif()

# The emulator reads compute_90; a GPU takes the machine code of 90, or compiles the PTX when it is newer. An older GPU
# than that gets its own entry, asked of the driver.
if(NOT DEFINED CACHE{WORKBOOK_CUDA_ARCHITECTURES})
  set(_architectures 90)
  find_program(WORKBOOK_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(WORKBOOK_NVIDIA_SMI)
  if(WORKBOOK_NVIDIA_SMI)
    execute_process(COMMAND "${WORKBOOK_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE _capabilities ERROR_QUIET RESULT_VARIABLE _failed)
    if(_failed EQUAL 0 AND _capabilities MATCHES "([0-9]+)\\.([0-9])")
      if(NOT "${CMAKE_MATCH_1}${CMAKE_MATCH_2}" STREQUAL "90")
        list(APPEND _architectures "${CMAKE_MATCH_1}${CMAKE_MATCH_2}-real")
      endif()
    endif()
  endif()
  set(WORKBOOK_CUDA_ARCHITECTURES "${_architectures}" CACHE STRING
    "What .cu files are compiled for, as CMAKE_CUDA_ARCHITECTURES takes it; the emulator needs 90 among them")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
