# add_judges(): for every chapter, adds the program `judgeN`. It is chapterN, but a candidate in a different process
# takes the place of the exercise. Also writes what the grader needs to compile such a candidate:
# build/grade/chapterN.json and the unit build/grade/units/chapterN.cu. It is called only once, after the manifest has
# been read, so that chapters need not repeat anything.

# Writes the unit for a ladder chapter, which calls the chapter's `reduce`.
function(workbook_ladder_unit number kernel_file unit)
  file(CONFIGURE OUTPUT "${unit}" @ONLY CONTENT [[
// Made by the build: an exercise as a library that the host process opens.
#include "@kernel_file@"
#include "course/judge/exercise_entry.cuh"

extern "C" std::uint64_t workbook_exercise_reduce(unsigned type, std::uint64_t in, std::uint64_t partials,
                                                  std::uint64_t n, unsigned block_size) {
  return judge::call_reduce(type, in, partials, n, block_size,
                            [](const auto* from, auto* to, std::size_t count, unsigned threads) {
                              return chapter@number@::exercise::reduce(from, to, count, threads);
                            });
}
]])
endfunction()

# Writes the unit for a chapter that compares kernels. It contains the table of kernels from the chapter's own
# kernel.cu.in, and the functions that the host process calls: those in judged.cu.in or, if the chapter has no such
# file, functions for the table's kernels.
function(workbook_study_unit number folder kernel_file unit)
  set(study_ROLE exercise)
  set(study_FILE "${kernel_file}")
  set(study_ATTEMPTED true)
  file(READ "${folder}/kernel.cu.in" table)
  string(CONFIGURE "${table}" table @ONLY)
  if(EXISTS "${folder}/judged.cu.in")
    file(READ "${folder}/judged.cu.in" entries)
    file(CONFIGURE OUTPUT "${unit}" @ONLY CONTENT "@table@\n@entries@")
    return()
  endif()
  file(CONFIGURE OUTPUT "${unit}" @ONLY CONTENT [[
@table@
#include "course/judge/exercise_entry.cuh"

extern "C" const void* workbook_exercise_kernel(unsigned type) {
  return chapter@number@::exercise_kernel().kernels[type % 5];
}
extern "C" std::uint64_t workbook_exercise_shared_bytes(unsigned type, unsigned x, unsigned y, unsigned z) {
  return judge::call_shared_bytes(chapter@number@::exercise_kernel(), type % 5, dim3(x, y, z));
}
]])
endfunction()

function(add_judges)
  if(NOT TARGET exercise_host)
    return()
  endif()
  set(tables "")
  foreach(number IN LISTS WORKBOOK_CHAPTERS)
    workbook_fact(kind ${number} kind)
    workbook_fact(chapter_folder ${number} folder)
    workbook_fact(exercise_file ${number} exercise)
    set(folder "${PROJECT_SOURCE_DIR}/chapters/${chapter_folder}")
    set(kernel_file "chapters/${chapter_folder}/${exercise_file}")
    set(unit "${PROJECT_BINARY_DIR}/grade/units/chapter${number}.cu")
    set(sources "")
    if("${kind}" STREQUAL "ladder")
      string(APPEND tables "kernel_table chapter${number}_exercise_table() {\n  return judge::candidate_table();\n}\n")
      workbook_ladder_unit(${number} "${kernel_file}" "${unit}")
    elseif(EXISTS "${folder}/judged.cpp")
      workbook_study_unit(${number} "${folder}" "${kernel_file}" "${unit}")
      set(sources "${folder}/judged.cpp")
    else()
      continue()
    endif()
    add_executable(judge${number} $<TARGET_OBJECTS:chapter${number}> ${sources})
    get_target_property(libraries chapter${number} LINK_LIBRARIES)
    list(REMOVE_ITEM libraries chapter${number}_exercise)
    if("${kind}" STREQUAL "ladder")
      list(APPEND libraries judged_tables)
    endif()
    target_link_libraries(judge${number} PRIVATE ${libraries} judge_candidate)
    target_include_directories(judge${number} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    add_dependencies(grader judge${number})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/grade/chapter${number}.json" @ONLY CONTENT
      "{\"number\": @number@, \"exercise\": \"@kernel_file@\", \"unit\": \"@unit@\"}\n")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/judged_tables.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
    "// Made by the build.\n#include \"course/judge/candidate.hpp\"\n\nnamespace workbook {\n@tables@}\n")
  add_library(judged_tables OBJECT "${source}")
  target_link_libraries(judged_tables PRIVATE workbook_flags workbook)
  set(sanitized false)
  if(WORKBOOK_SANITIZE)
    set(sanitized true)
  endif()
  set(tools "\"nvcc\": \"${CMAKE_CUDA_COMPILER}\", \"host_compiler\": \"${CMAKE_CXX_COMPILER}\"")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/grade/compiler.json" @ONLY CONTENT
    "{@tools@, \"linker\": \"@WORKBOOK_LINKER@\", \"sanitized\": @sanitized@}\n")
endfunction()
