# Use the fastest linker that is installed, because a student waits for it after every edit.
include(CheckLinkerFlag)
foreach(_linker mold lld gold)
  check_linker_flag(CXX -fuse-ld=${_linker} WORKBOOK_LINKS_WITH_${_linker})
  if(WORKBOOK_LINKS_WITH_${_linker})
    add_link_options(-fuse-ld=${_linker})
    set(WORKBOOK_LINKER ${_linker})
    break()
  endif()
endforeach()

# A system library may need a newer libstdc++ than the one with which an older g++ links. This option allows that,
# because the newer one is used at run time.
add_link_options(LINKER:--allow-shlib-undefined)

find_package(Threads REQUIRED)
include(Cuda)
find_package(CUDAToolkit 12.4 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
# google-benchmark is optional. Without it, `--benchmark` is refused, and the programs that time the emulator are not
# built.
find_package(benchmark QUIET)
# Catch2 is needed only for tests, which are not built without it; `make test` installs it.
find_package(Catch2 QUIET)

# compile_in_groups(TARGET SIZE|GROUP): lets the compiler read headers once for SIZE files, or once for the files with
# the same property UNITY_GROUP. Our files spend most of their compile time on the same headers.
function(compile_in_groups target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WORKBOOK_GROUPS})
  if(size STREQUAL GROUP)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  else()
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
  endif()
  # Newer CMake versions would group CUDA files, too, but names in different kernel files may collide.
  get_target_property(_sources ${target} SOURCES)
  list(FILTER _sources INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# The optimisation level of code that must run fast. With sanitizers, -O3 would take minutes to compile.
set(WORKBOOK_FAST_OPTIMISATION -O3)
if(WORKBOOK_SANITIZE)
  set(WORKBOOK_FAST_OPTIMISATION -O1)
endif()

# The flags for all of our own targets.
add_library(workbook_flags INTERFACE)
target_compile_options(workbook_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wno-restrict;$<$<BOOL:${WORKBOOK_WERROR}>:-Werror>>)
target_include_directories(workbook_flags INTERFACE "${PROJECT_SOURCE_DIR}/common")
if(WORKBOOK_SANITIZE)
  # Every error that a sanitizer finds ends the program, so that no test can pass in spite of it.
  target_compile_options(workbook_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${WORKBOOK_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(workbook_flags INTERFACE -fsanitize=${WORKBOOK_SANITIZE})
endif()
# The flags for code that runs once per command. Optimising it would take longer than the code ever runs.
add_library(workbook_runs_once INTERFACE)
target_compile_options(workbook_runs_once INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
if(WORKBOOK_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(workbook_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
find_package(asmjit CONFIG QUIET)  # optional: without it the emulator interprets everything
find_package(Z3)  # optional: without it the superoptimiser cannot prove anything, and reports that
find_package(Seccomp)  # optional: without it there is no grader; see the message in common/course/judge
find_package(MPI QUIET COMPONENTS CXX)  # optional: without it chapter 16 runs in one process, and reports that
