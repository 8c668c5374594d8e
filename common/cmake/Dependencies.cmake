# A student waits for a link after every edit: the fastest linker that is here.
include(CheckLinkerFlag)
foreach(_linker mold lld gold)
  check_linker_flag(CXX -fuse-ld=${_linker} WORKBOOK_LINKS_WITH_${_linker})
  if(WORKBOOK_LINKS_WITH_${_linker})
    add_link_options(-fuse-ld=${_linker})
    set(WORKBOOK_LINKER ${_linker})
    break()
  endif()
endforeach()

# A system's libraries may need a newer libstdc++ than the one that an older g++ links with; the loader takes the newer.
add_link_options(LINKER:--allow-shlib-undefined)

find_package(Threads REQUIRED)
include(Cuda)
find_package(CUDAToolkit 12.4 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
# Optional: without it `--benchmark` is refused, and the programs that time the emulator are left out.
find_package(benchmark QUIET)
# Only the tests need it: where it is missing they are left out, until `make test` installs it.
find_package(Catch2 QUIET)

# compile_in_groups(TARGET SIZE|GROUP): most of what a compiler does for our files is to read the same headers. It reads
# them once for SIZE files, or for those with the same property UNITY_GROUP.
function(compile_in_groups target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WORKBOOK_GROUPS})
  if(size STREQUAL GROUP)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  else()
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
  endif()
  # Newer CMake groups CUDA files, too; kernel files keep their names to themselves.
  get_target_property(_sources ${target} SOURCES)
  list(FILTER _sources INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# For what must run fast; -O3 and sanitizers together compile for minutes.
set(WORKBOOK_FAST_OPTIMISATION -O3)
if(WORKBOOK_SANITIZE)
  set(WORKBOOK_FAST_OPTIMISATION -O1)
endif()

# Flags that every target of ours takes.
add_library(workbook_flags INTERFACE)
target_compile_options(workbook_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wno-restrict;$<$<BOOL:${WORKBOOK_WERROR}>:-Werror>>)
target_include_directories(workbook_flags INTERFACE "${PROJECT_SOURCE_DIR}/common")
if(WORKBOOK_SANITIZE)
  # What a sanitizer finds ends the program: a test must not pass in spite of it.
  target_compile_options(workbook_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${WORKBOOK_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(workbook_flags INTERFACE -fsanitize=${WORKBOOK_SANITIZE})
endif()
# For what runs once for each command: compiling it for speed takes longer than it ever runs.
add_library(workbook_runs_once INTERFACE)
target_compile_options(workbook_runs_once INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
if(WORKBOOK_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(workbook_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
find_package(asmjit CONFIG QUIET)  # optional: without it the emulator makes no machine code, and interprets everything
find_package(Z3)  # optional: without it the superoptimiser proves nothing, and says so
find_package(Seccomp)  # optional: without it there is no grader, and common/judge says so
find_package(MPI QUIET COMPONENTS CXX)  # optional: without it chapter 16 runs in one process, and says so
