# add_chapters(): adds each chapter in chapters/chapters.json, in order, as the program `chapterN`. Each kernel file is
# a separate translation unit, so saving an exercise recompiles only one small file.
#
#   ladder  The student's kernel, the reference in solutions/, and the parent's kernel. Targets: chapterN_solution,
#           chapterN_exercise, chapterN_NAME for each of its kernels in `beside`, and chapterN_study for its `sources`.
#   study   Several kernels to compare (workbook/study.hpp). `kernel.cu.in` in the chapter's folder includes the
#           solution and the exercise. Everything except chapter.cpp is in chapterN_study, which tests link with.

# workbook_depends_on_kernel(SOURCE FILE): makes SOURCE depend on FILE explicitly. The compiler's own list of headers
# can be lost when a build is killed, and then a stale kernel would be used.
function(workbook_depends_on_kernel source file)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
endfunction()

# workbook_add_rung(TARGET FILE NAMESPACE ENTRY [ATTEMPTED]): adds an object library that defines
# `workbook::kernel_table TARGET_table()` with the kernel in FILE. ATTEMPTED is a C++ expression.
function(workbook_add_rung target rung_FILE rung_NAMESPACE rung_REDUCE)
  set(rung_FUNCTION "${target}")
  set(rung_ATTEMPTED ${ARGV4})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cu")
  configure_file("${PROJECT_SOURCE_DIR}/common/cmake/rung.cu.in" "${source}" @ONLY)
  workbook_depends_on_kernel("${source}" "${rung_FILE}")
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE workbook_flags workbook_cuda_flags)
endfunction()

# workbook_snapshot(NUMBER EXERCISE SNAPSHOT): adds the target chapterN_snapshot, which copies the exercise to SNAPSHOT
# for the compiler. Only the copy is compiled, so it does not matter if the student saves the file during the build. The
# copy also states its hash, and if the exercise has been edited. The target runs in every build, because an editor may
# restore an older file; the copy is only written if the text has changed. The build never writes to a student's file.
function(workbook_snapshot number exercise snapshot)
  add_custom_target(chapter${number}_snapshot BYPRODUCTS "${snapshot}"
    COMMAND "${Python3_EXECUTABLE}" -S -m book exercises --snapshot ${number} "${exercise}" "${snapshot}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/common" COMMENT "" VERBATIM)
endfunction()

# Adds the solution and the exercise of a ladder chapter, and the kernels in `beside`.
function(workbook_add_ladder_kernels number snapshot solution)
  workbook_add_rung(chapter${number}_solution "${solution}" chapter${number}::solution reduce)
  workbook_add_rung(chapter${number}_exercise "${snapshot}" chapter${number}::exercise reduce
    chapter${number}::attempted)
  workbook_fact(beside ${number} beside)
  set(targets "")
  foreach(name IN LISTS beside)
    foreach(fact file namespace entry)
      workbook_fact(${fact} ${number} beside_${name}_${fact})
    endforeach()
    workbook_add_rung(chapter${number}_${name} "${PROJECT_SOURCE_DIR}/${file}" chapter${number}::${namespace} ${entry})
    list(APPEND targets chapter${number}_${name})
  endforeach()
  workbook_fact(parent ${number} parent)
  if(NOT "${parent}" STREQUAL "")
    list(APPEND targets chapter${parent}_solution)
  endif()
  workbook_fact(shows ${number} shows)
  foreach(shown IN LISTS shows)
    list(APPEND targets chapter${shown}_solution)
  endforeach()
  set(chapter_targets ${targets} PARENT_SCOPE)
endfunction()

# Adds the solution and the exercise of a chapter that compares several kernels.
function(workbook_add_study_kernels number folder snapshot solution)
  foreach(study_ROLE solution exercise)
    set(study_FILE "${solution}")
    set(study_ATTEMPTED true)
    if("${study_ROLE}" STREQUAL "exercise")
      set(study_FILE "${snapshot}")
      set(study_ATTEMPTED "chapter${number}::attempted")
    endif()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/chapter${number}_${study_ROLE}.cu")
    configure_file("${folder}/kernel.cu.in" "${source}" @ONLY)
    workbook_depends_on_kernel("${source}" "${study_FILE}")
    add_library(chapter${number}_${study_ROLE} OBJECT "${source}")
    target_link_libraries(chapter${number}_${study_ROLE} PRIVATE workbook_flags workbook_cuda_flags)
    target_include_directories(chapter${number}_${study_ROLE} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
endfunction()

function(workbook_add_chapter number)
  workbook_fact(folder ${number} folder)
  workbook_fact(kind ${number} kind)
  workbook_fact(exercise_file ${number} exercise)
  workbook_fact(sources ${number} sources)
  workbook_fact(libraries ${number} libraries)
  workbook_fact(options ${number} nvcc_options)
  set(exercise "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${exercise_file}")
  set(solution "${PROJECT_SOURCE_DIR}/solutions/${folder}/${exercise_file}")
  set(snapshot "${CMAKE_CURRENT_BINARY_DIR}/chapter${number}_exercise.cuh")
  workbook_snapshot(${number} "${exercise}" "${snapshot}")

  set(chapter_targets "")
  if("${kind}" STREQUAL "ladder")
    workbook_add_ladder_kernels(${number} "${snapshot}" "${solution}")
  else()
    workbook_add_study_kernels(${number} ${folder} "${snapshot}" "${solution}")
  endif()
  add_dependencies(chapter${number}_exercise chapter${number}_snapshot)
  # The student's own headers are next to the exercise.
  target_include_directories(chapter${number}_exercise PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
  list(APPEND chapter_targets chapter${number}_solution chapter${number}_exercise)
  if(sources)
    list(TRANSFORM sources PREPEND "${folder}/")
    add_library(chapter${number}_study OBJECT ${sources})
    target_link_libraries(chapter${number}_study
      PRIVATE workbook_flags workbook_cuda_flags workbook_runs_once workbook ${libraries})
    target_include_directories(chapter${number}_study PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND chapter_targets chapter${number}_study)
  endif()
  foreach(target chapter${number}_solution chapter${number}_exercise)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${options}>")
  endforeach()

  set(launcher ${CMAKE_CUDA_COMPILER_LAUNCHER})
  list(INSERT launcher 2 --of "${snapshot}")  # after `sh` and the script, see Cuda.cmake
  set_target_properties(chapter${number}_exercise PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")

  add_executable(chapter${number} ${folder}/chapter.cpp)
  target_include_directories(chapter${number} PRIVATE "${WORKBOOK_GENERATED}" "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(chapter${number}
    PRIVATE workbook_flags workbook_runs_once workbook ${libraries} ${chapter_targets})
endfunction()

# workbook_references(OUT): sets OUT to the libraries that a program needs to run the references of the whole ladder
# (chapters/rungs.hpp).
function(workbook_references out)
  set(targets chapter_rungs)
  foreach(number IN LISTS WORKBOOK_CHAPTERS)
    workbook_fact(kind ${number} kind)
    if("${kind}" STREQUAL "ladder")
      list(APPEND targets chapter${number}_solution)
      workbook_fact(beside ${number} beside)
      foreach(name IN LISTS beside)
        list(APPEND targets chapter${number}_${name})
      endforeach()
    endif()
  endforeach()
  set(${out} "${targets}" PARENT_SCOPE)
endfunction()

function(add_chapters)
  add_library(chapter_rungs INTERFACE)
  target_include_directories(chapter_rungs INTERFACE "${WORKBOOK_GENERATED}")
  foreach(number IN LISTS WORKBOOK_CHAPTERS)
    workbook_add_chapter(${number})
  endforeach()
endfunction()
