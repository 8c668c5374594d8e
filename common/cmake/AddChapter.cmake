# add_chapter(NUMBER 3 NAME sequential_addressing KERNEL reduce_sequential [ANY_WARPS])
#
# Makes the program `chapterN` from chapters/NN_name: the student's kernel (yours), the reference of solutions/NN_name,
# the reference of chapter N - 1 (previous), and the library. Each kernel file is a translation unit of its own, so that
# saving an exercise compiles one small file.
#
# ANY_WARPS: the kernel takes every block size that is a multiple of 32, not only powers of two.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# workbook_add_rung(TARGET FUNCTION FILE NAMESPACE NUMBER KERNEL ROLE ATTEMPTED [ANY_WARPS]): an object library
# that defines `workbook::reduction FUNCTION()` from the kernel file.
function(workbook_add_rung target)
  cmake_parse_arguments(rung "ANY_WARPS"
    "FUNCTION;FILE;NAMESPACE;NUMBER;KERNEL;ROLE;ATTEMPTED_HEADER;REDUCE" "" ${ARGN})
  if(NOT rung_REDUCE)
    set(rung_REDUCE reduce)
  endif()
  set(rung_INCLUDE_ATTEMPTED "")
  set(rung_SET_ATTEMPTED "")
  if(rung_ATTEMPTED_HEADER)
    set(rung_INCLUDE_ATTEMPTED "#include \"${rung_ATTEMPTED_HEADER}\"\n")
    set(rung_SET_ATTEMPTED "  rung.attempted = chapter${rung_NUMBER}::attempted;\n")
  endif()
  set(rung_SET_REJECTS "")
  if(rung_ANY_WARPS)
    # An exercise that nobody has touched is the chapter before's kernel.
    set(rung_SET_REJECTS "  if (rung.attempted) rung.rejects = reject_unless_whole_warps;\n")
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cu")
  configure_file("${PROJECT_SOURCE_DIR}/common/cmake/rung.cu.in" "${source}" @ONLY)
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE workbook_flags workbook_cuda_flags)
endfunction()

function(add_chapter)
  cmake_parse_arguments(chapter "ANY_WARPS" "NUMBER;NAME;KERNEL" "" ${ARGN})
  set(number ${chapter_NUMBER})
  set(any_warps "")
  if(chapter_ANY_WARPS)
    set(any_warps ANY_WARPS)
  endif()
  set(folder "0${number}_${chapter_NAME}")
  set(exercise "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/reduce.cuh")
  set(solution "${PROJECT_SOURCE_DIR}/solutions/${folder}/reduce.cuh")
  set(attempted "${CMAKE_CURRENT_BINARY_DIR}/chapter${number}_attempted.hpp")
  set(generator "${PROJECT_SOURCE_DIR}/common/tools/exercises/generate.py")

  # Whether the exercise has been touched; a student's file is never written by the build.
  file(GLOB all_solutions CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/solutions/*/reduce.cuh")
  add_custom_command(OUTPUT "${attempted}"
    COMMAND "${Python3_EXECUTABLE}" "${generator}" --attempted-header ${number} "${attempted}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${attempted}"
    DEPENDS "${exercise}" ${all_solutions} "${generator}"
    COMMENT "" VERBATIM)
  add_custom_target(chapter${number}_attempted DEPENDS "${attempted}")

  workbook_add_rung(chapter${number}_solution FUNCTION chapter${number}_solution FILE "${solution}"
    NAMESPACE "chapter${number}::solution" NUMBER ${number} KERNEL ${chapter_KERNEL} ROLE reference ${any_warps})
  workbook_add_rung(chapter${number}_exercise FUNCTION chapter${number}_exercise FILE "${exercise}"
    NAMESPACE "chapter${number}::exercise" NUMBER ${number} KERNEL ${chapter_KERNEL} ROLE yours
    ATTEMPTED_HEADER "${attempted}" ${any_warps})
  add_dependencies(chapter${number}_exercise chapter${number}_attempted)

  add_executable(chapter${number} ${folder}/chapter.cpp)
  target_link_libraries(chapter${number} PRIVATE workbook_flags workbook
    chapter${number}_solution chapter${number}_exercise)
  if(number GREATER 0)
    math(EXPR previous "${number} - 1")
    target_link_libraries(chapter${number} PRIVATE chapter${previous}_solution)
  endif()
  set_property(GLOBAL APPEND PROPERTY workbook_chapters ${number})
endfunction()
