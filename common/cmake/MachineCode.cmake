# workbook_machine_code(): assembles the kernel instances that the lessons' sections on machine code discuss. The
# manifest lists them. Each is assembled for several architectures: build/sass/machine_code/chapterN.fatbin, and the
# target
# `machine_code`. They are not linked with anything. Each chapter is a separate unit, because functions of different
# chapters may have the same name.

# Sets `out` to those of the architectures sm_75 to sm_90 that this nvcc supports.
function(workbook_machine_code_architectures out)
  execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  set(options "")
  foreach(number 75 80 90)
    if(known MATCHES "compute_${number}\n")
      list(APPEND options -gencode "arch=compute_${number},code=sm_${number}")
    endif()
  endforeach()
  set(${out} "${options}" PARENT_SCOPE)
endfunction()

function(workbook_machine_code)
  workbook_machine_code_architectures(architectures)
  set(host_compiler "")
  if(CMAKE_CUDA_HOST_COMPILER)
    set(host_compiler -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  # nvcc could write the dependencies itself (-MD), but it doesn't escape blanks in the target's path.
  workbook_files(headers "${PROJECT_SOURCE_DIR}/common/reductions/*.cuh"
    "${PROJECT_SOURCE_DIR}/chapters/*/*.cuh")
  # Leaves out the exercises.
  foreach(number IN LISTS WORKBOOK_CHAPTERS)
    workbook_fact(folder ${number} folder)
    workbook_fact(exercise ${number} exercise)
    list(REMOVE_ITEM headers "${PROJECT_SOURCE_DIR}/chapters/${folder}/${exercise}")
  endforeach()
  set(folder "${PROJECT_BINARY_DIR}/sass/machine_code")
  file(MAKE_DIRECTORY "${folder}")
  set(outputs "")
  foreach(number IN LISTS WORKBOOK_CHAPTERS)
    workbook_fact(instances ${number} instances)
    if(NOT instances)
      continue()
    endif()
    set(unit "${WORKBOOK_GENERATED}/machine_code/chapter${number}.cu")
    workbook_fact(chapter_folder ${number} folder)
    workbook_fact(exercise ${number} exercise)
    set(output "${folder}/chapter${number}.fatbin")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_CUDA_COMPILER}" -std=c++20 -fatbin --no-compress ${architectures} ${host_compiler} -lineinfo
        --expt-relaxed-constexpr "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/common"
        "-I${PROJECT_SOURCE_DIR}/chapters" -o "${output}" "${unit}"
      DEPENDS "${unit}" "${PROJECT_SOURCE_DIR}/solutions/${chapter_folder}/${exercise}" ${headers}
      COMMENT "Assembling the kernels of chapter ${number} for several architectures" VERBATIM)
    list(APPEND outputs "${output}")
  endforeach()
  add_custom_target(machine_code ALL DEPENDS ${outputs})
endfunction()
