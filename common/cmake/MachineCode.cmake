# workbook_machine_code(NAME machine_code SOURCES FILE.cu … HEADERS FILE.cuh …): assembles files for several
# architectures, for what reads machine code: fat binaries in build/sass/NAME, and the target NAME. Nothing is linked
# with them. HEADERS are what they are made from besides common/device; what nvcc could write itself (-MD) has no
# escapes for blanks in the target's path.

# sm_75 to sm_90, as far as this nvcc knows them.
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
  cmake_parse_arguments(code "" "NAME" "SOURCES;HEADERS" ${ARGN})
  workbook_machine_code_architectures(architectures)
  set(host_compiler "")
  if(CMAKE_CUDA_HOST_COMPILER)
    set(host_compiler -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  file(GLOB device_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/common/device/*.cuh")
  set(folder "${CMAKE_BINARY_DIR}/sass/${code_NAME}")
  file(MAKE_DIRECTORY "${folder}")
  set(outputs "")
  foreach(source IN LISTS code_SOURCES)
    get_filename_component(stem "${source}" NAME_WE)
    set(output "${folder}/${stem}.fatbin")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_CUDA_COMPILER}" -std=c++20 -fatbin --no-compress ${architectures} ${host_compiler} -lineinfo
        --extended-lambda --expt-relaxed-constexpr "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/common"
        "-I${PROJECT_SOURCE_DIR}/chapters" -o "${output}" "${source}"
      DEPENDS "${source}" ${code_HEADERS} ${device_headers}
      COMMENT "Assembling ${stem}.cu for several architectures" VERBATIM)
    list(APPEND outputs "${output}")
  endforeach()
  add_custom_target(${code_NAME} ALL DEPENDS ${outputs})
endfunction()
