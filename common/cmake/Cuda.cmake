# CUDA support: how all .cu files of this project are compiled.
#
# A .cu file is compiled once, as PTX and as machine code for one device architecture. The host compiler links it
# without NVIDIA's runtime, because the target `emulator` defines the runtime's symbols. See docs/decisions/001.

if(NOT CMAKE_CUDA_COMPILER)
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS "${CUDAToolkit_ROOT}/bin" ENV CUDA_HOME ENV CUDACXX
    PATHS /usr/local/cuda PATH_SUFFIXES bin)
endif()
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "No CUDA compiler (nvcc 12.4 or newer). `make chapter1` installs one into the build folder; "
    "with your own, pass -DCMAKE_CUDA_COMPILER=/path/to/nvcc.")
endif()

# Sets `out` to the architecture of this machine's GPU, for which machine code is generated in addition to 90. `out` is
# empty if there is no GPU, if its architecture is 90, or if this nvcc does not know its architecture. In the last case,
# the driver compiles the PTX.
function(workbook_own_architecture out)
  set(${out} "" PARENT_SCOPE)
  find_program(WORKBOOK_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(WORKBOOK_NVIDIA_SMI)
  if(NOT WORKBOOK_NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND "${WORKBOOK_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capability ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  if(failed EQUAL 0 AND capability MATCHES "^([0-9]+)\\.([0-9])")
    set(own "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
    if(NOT own STREQUAL "90" AND known MATCHES "compute_${own}\n")
      set(${out} "${own}-real" PARENT_SCOPE)
    endif()
  endif()
endfunction()

if(NOT DEFINED CACHE{WORKBOOK_CUDA_ARCHITECTURES})
  workbook_own_architecture(_own)
  set(WORKBOOK_CUDA_ARCHITECTURES 90 ${_own} CACHE STRING
    "Architectures of .cu files, in the format of CMAKE_CUDA_ARCHITECTURES; the emulator needs 90")
endif()
# The architectures for kernels whose number of registers isn't needed. Without a GPU only their PTX is run, so it isn't
# assembled, which would take a quarter of nvcc's time.
set(WORKBOOK_RACED_ARCHITECTURES ${WORKBOOK_CUDA_ARCHITECTURES})
if(NOT WORKBOOK_NVIDIA_SMI)
  list(TRANSFORM WORKBOOK_RACED_ARCHITECTURES REPLACE "^90$" "90-virtual")
endif()

# This must be set before the compiler test, because the default of older CMake versions is an architecture that CUDA 13
# no longer supports.
set(CMAKE_CUDA_ARCHITECTURES ${WORKBOOK_CUDA_ARCHITECTURES})
# The device code isn't compressed, so that the object file contains the PTX as text, which the emulator reads.
string(APPEND CMAKE_CUDA_FLAGS_INIT " --no-compress")
# nvcc's -O affects only host code, and the device code is identical. The host code of a kernel file is only a launch.
set(CMAKE_CUDA_FLAGS_RELEASE "-O1 -DNDEBUG")
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
  message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: the workbook needs 12.4. "
    "`make chapter1` installs a newer one into the build folder.")
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  # CMake before 3.25.2 does not know that nvcc 12 supports C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()

# This has to be before any launcher of the user, such as ccache.
list(PREPEND CMAKE_CUDA_COMPILER_LAUNCHER sh "${PROJECT_SOURCE_DIR}/common/cmake/kernel_file.sh")

# workbook_cuda_flags: for every target with .cu sources, in addition to `workbook_flags`. It adds warnings of nvcc and
# of the host compiler, source lines for the emulator's reports, and sanitizers for host code.
add_library(workbook_cuda_flags INTERFACE)
set(_cuda_options -lineinfo --expt-relaxed-constexpr -Xcompiler=-Wall -Xcompiler=-Wextra)
if(WORKBOOK_WERROR)
  list(APPEND _cuda_options -Werror=all-warnings)
endif()
string(REPLACE "," ";" _sanitizers "${WORKBOOK_SANITIZE}")
foreach(_sanitizer IN LISTS _sanitizers)
  list(APPEND _cuda_options -Xcompiler=-fsanitize=${_sanitizer})
endforeach()
target_compile_options(workbook_cuda_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${_cuda_options}>")
target_include_directories(workbook_cuda_flags INTERFACE "${PROJECT_SOURCE_DIR}/common")
