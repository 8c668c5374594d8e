# add_chapter(NUMBER 3 NAME sequential_addressing KERNEL reduce_sequential [ANY_WARPS] [PREVIOUS 2])
#
# Makes the program `chapterN` from chapters/NN_name: the student's kernel (yours), the reference of solutions/NN_name,
# the reference of chapter N - 1 or PREVIOUS (previous), and the library. Each kernel file is a translation unit of its
# own, so that saving an exercise compiles one small file.
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

# workbook_attempted_header(NUMBER EXERCISE HEADER): the target chapterN_attempted, which writes a header that says
# whether the exercise has been touched; a student's file is never written by the build.
function(workbook_attempted_header number exercise attempted)
  set(generator "${PROJECT_SOURCE_DIR}/common/tools/exercises/generate.py")
  file(GLOB all_solutions CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/solutions/*/*.cuh")
  add_custom_command(OUTPUT "${attempted}"
    COMMAND "${Python3_EXECUTABLE}" "${generator}" --attempted-header ${number} "${attempted}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${attempted}"
    DEPENDS "${exercise}" ${all_solutions} "${generator}"
    COMMENT "" VERBATIM)
  add_custom_target(chapter${number}_attempted DEPENDS "${attempted}")
endfunction()

function(add_chapter)
  cmake_parse_arguments(chapter "ANY_WARPS" "NUMBER;NAME;KERNEL;PREVIOUS" "" ${ARGN})
  set(number ${chapter_NUMBER})
  set(any_warps "")
  set(takes_any_warps false)
  if(chapter_ANY_WARPS)
    set(any_warps ANY_WARPS)
    set(takes_any_warps true)
  endif()
  set(folder "${number}_${chapter_NAME}")
  if(number LESS 10)
    set(folder "0${folder}")
  endif()
  set(exercise "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/reduce.cuh")
  set(solution "${PROJECT_SOURCE_DIR}/solutions/${folder}/reduce.cuh")
  set(attempted "${CMAKE_CURRENT_BINARY_DIR}/chapter${number}_attempted.hpp")

  workbook_attempted_header(${number} "${exercise}" "${attempted}")

  workbook_add_rung(chapter${number}_solution FUNCTION chapter${number}_solution FILE "${solution}"
    NAMESPACE "chapter${number}::solution" NUMBER ${number} KERNEL ${chapter_KERNEL} ROLE reference ${any_warps})
  workbook_add_rung(chapter${number}_exercise FUNCTION chapter${number}_exercise FILE "${exercise}"
    NAMESPACE "chapter${number}::exercise" NUMBER ${number} KERNEL ${chapter_KERNEL} ROLE yours
    ATTEMPTED_HEADER "${attempted}" ${any_warps})
  add_dependencies(chapter${number}_exercise chapter${number}_attempted)

  add_executable(chapter${number} ${folder}/chapter.cpp)
  target_include_directories(chapter${number} PRIVATE "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(chapter${number} PRIVATE workbook_flags workbook
    chapter${number}_solution chapter${number}_exercise)
  if(number GREATER 0)
    math(EXPR previous "${number} - 1")
    if(DEFINED chapter_PREVIOUS)
      set(previous ${chapter_PREVIOUS})
    endif()
    target_link_libraries(chapter${number} PRIVATE chapter${previous}_solution)
  endif()
  # For AddJudges.cmake.
  set_target_properties(chapter${number} PROPERTIES WORKBOOK_EXERCISE "${exercise}" WORKBOOK_KERNEL ${chapter_KERNEL}
    WORKBOOK_ANY_WARPS ${takes_any_warps})
  set_property(GLOBAL APPEND PROPERTY workbook_chapters ${number})
endfunction()

# add_study(NUMBER 10 NAME private_arrays SOURCES chapter.cpp …)
#
# Makes the program `chapterN` of a chapter that is no rung of the ladder: it sets kernels side by side
# (workbook/study.hpp). Solution and exercise are NAME.cuh in the two folders; `kernel.cu.in` there says how the
# chapter takes them in. Everything but chapter.cpp is the object library `chapterN_study`, which tests take.
function(add_study)
  cmake_parse_arguments(chapter "" "NUMBER;NAME" "SOURCES" ${ARGN})
  set(number ${chapter_NUMBER})
  set(folder "${number}_${chapter_NAME}")
  set(attempted "${CMAKE_CURRENT_BINARY_DIR}/chapter${number}_attempted.hpp")
  set(exercise "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${chapter_NAME}.cuh")
  workbook_attempted_header(${number} "${exercise}" "${attempted}")
  foreach(study_ROLE solution exercise)
    set(study_FILE "${PROJECT_SOURCE_DIR}/solutions/${folder}/${chapter_NAME}.cuh")
    set(study_INCLUDE_ATTEMPTED "")
    set(study_ATTEMPTED true)
    if("${study_ROLE}" STREQUAL "exercise")
      set(study_FILE "${exercise}")
      set(study_INCLUDE_ATTEMPTED "#include \"${attempted}\"\n")
      set(study_ATTEMPTED "chapter${number}::attempted")
    endif()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/chapter${number}_${study_ROLE}.cu")
    configure_file("${folder}/kernel.cu.in" "${source}" @ONLY)
    add_library(chapter${number}_${study_ROLE} OBJECT "${source}")
  endforeach()
  add_dependencies(chapter${number}_exercise chapter${number}_attempted)
  list(TRANSFORM chapter_SOURCES PREPEND "${folder}/")
  add_library(chapter${number}_study OBJECT ${chapter_SOURCES})
  foreach(target solution exercise study)
    target_link_libraries(chapter${number}_${target} PRIVATE workbook_flags workbook_cuda_flags workbook)
    target_include_directories(chapter${number}_${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
  add_executable(chapter${number} ${folder}/chapter.cpp)
  target_include_directories(chapter${number} PRIVATE "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(chapter${number} PRIVATE workbook_flags workbook
    chapter${number}_study chapter${number}_solution chapter${number}_exercise)
  set_target_properties(chapter${number} PROPERTIES WORKBOOK_EXERCISE "${exercise}")
  set_property(GLOBAL APPEND PROPERTY workbook_chapters ${number})
endfunction()
