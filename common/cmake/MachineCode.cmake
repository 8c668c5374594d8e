# workbook_machine_code(NAME FILE.cu …): assembles files for several architectures, for what reads machine code: fat
# binaries in build/sass/NAME, and the target NAME. Nothing is linked with them.

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

function(workbook_machine_code name)
  workbook_machine_code_architectures(architectures)
  set(host_compiler "")
  if(CMAKE_CUDA_HOST_COMPILER)
    set(host_compiler -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  # A list in the place of the compiler's own: what nvcc writes with -MD has no escapes for blanks in the target's path.
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/solutions/*/*.cuh" "${PROJECT_SOURCE_DIR}/chapters/*/*.cuh"
    "${PROJECT_SOURCE_DIR}/common/device/*.cuh")
  set(folder "${CMAKE_BINARY_DIR}/sass/${name}")
  file(MAKE_DIRECTORY "${folder}")
  set(outputs "")
  foreach(source IN LISTS ARGN)
    get_filename_component(stem "${source}" NAME_WE)
    set(output "${folder}/${stem}.fatbin")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_CUDA_COMPILER}" -std=c++20 -fatbin --no-compress ${architectures} ${host_compiler} -lineinfo
        --extended-lambda --expt-relaxed-constexpr "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/common"
        "-I${PROJECT_SOURCE_DIR}/chapters" -o "${output}" "${source}"
      DEPENDS "${source}" ${headers} COMMENT "Assembling ${stem}.cu for several architectures" VERBATIM)
    list(APPEND outputs "${output}")
  endforeach()
  add_custom_target(${name} ALL DEPENDS ${outputs})
endfunction()
