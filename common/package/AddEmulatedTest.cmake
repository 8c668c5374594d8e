# reduction_workbook_add_emulated_test(NAME name COMMAND target [argument…] [OPTIONS option…])
#
# Adds a test that runs one of your executable targets on the emulator, without a GPU. It passes if the program exits
# with 0 and no check has a finding. OPTIONS are those of `emulate` (`--suppress FILE`, `--check memcheck` …).
#
# The target itself doesn't change. The test runs the target TARGET_emulated. This has the same sources, options and
# libraries, but is linked with the emulator instead of the CUDA runtime, and is compiled for sm_90 with source lines.
# So call this function only when your target is complete. `all` builds both targets.

function(_reduction_workbook_emulated_copy target copy)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(own "")
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE "${source}" AND NOT source MATCHES "^\\$<" AND EXISTS "${folder}/${source}")
      set(source "${folder}/${source}")
    endif()
    list(APPEND own "${source}")
  endforeach()
  add_executable(${copy} ${own})
  # If a source is generated, only one of the two targets may run the generator.
  add_dependencies(${copy} ${target})
  foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_FEATURES COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_DIRECTORIES
      LINK_LIBRARIES LINK_OPTIONS CUDA_EXTENSIONS CUDA_RESOLVE_DEVICE_SYMBOLS CUDA_SEPARABLE_COMPILATION CUDA_STANDARD
      CUDA_STANDARD_REQUIRED CXX_EXTENSIONS CXX_STANDARD CXX_STANDARD_REQUIRED)
    get_target_property(value ${target} ${property})
    # If a target doesn't have a property, its value ends with NOTFOUND.
    if(NOT "${value}" MATCHES "NOTFOUND$")
      set_target_properties(${copy} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(libraries ${copy} LINK_LIBRARIES)
  if("${libraries}" MATCHES "NOTFOUND$")
    set(libraries "")
  endif()
  list(REMOVE_ITEM libraries CUDA::cudart CUDA::cudart_static cudart cudart_static)
  get_target_property(separable ${copy} CUDA_SEPARABLE_COMPILATION)
  if(separable)
    # Kernels that launch kernels need cudadevrt, but CMake leaves it out if there is no CUDA runtime.
    find_library(REDUCTION_WORKBOOK_CUDADEVRT cudadevrt HINTS "${CUDAToolkit_LIBRARY_DIR}" REQUIRED)
    list(APPEND libraries "${REDUCTION_WORKBOOK_CUDADEVRT}")
  endif()
  # The emulator has to be first, so that no library that links the CUDA runtime can add it.
  set_target_properties(${copy} PROPERTIES LINK_LIBRARIES "reduction_workbook::emulator;${libraries}"
    CUDA_RUNTIME_LIBRARY None CUDA_ARCHITECTURES 90)
  # The PTX must be uncompressed because the emulator can't read it otherwise. Findings need the source lines of kernels
  # and of host code.
  target_compile_options(${copy} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:--no-compress;-lineinfo;-Xcompiler=-gdwarf-4,-g1>"
    "$<$<COMPILE_LANGUAGE:CXX>:-gdwarf-4;-g1>")
endfunction()

function(reduction_workbook_add_emulated_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "COMMAND;OPTIONS")
  set(usage "reduction_workbook_add_emulated_test(NAME name COMMAND target [argument...] [OPTIONS option...])")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "reduction_workbook_add_emulated_test does not know ${arg_UNPARSED_ARGUMENTS}: ${usage}")
  endif()
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "reduction_workbook_add_emulated_test needs NAME and COMMAND: ${usage}")
  endif()
  list(POP_FRONT arg_COMMAND target)
  set(type "")
  if(TARGET ${target})
    get_target_property(original ${target} ALIASED_TARGET)
    if(original)
      set(target ${original})
    endif()
    get_target_property(type ${target} TYPE)
    get_target_property(imported ${target} IMPORTED)
  endif()
  if(NOT type STREQUAL "EXECUTABLE" OR imported)
    message(FATAL_ERROR "reduction_workbook_add_emulated_test(NAME ${arg_NAME}): ${target} is no executable target of "
      "this project. Call it after add_executable(${target} ...).")
  endif()
  if(NOT TARGET ${target}_emulated)
    _reduction_workbook_emulated_copy(${target} ${target}_emulated)
  endif()
  add_test(NAME "${arg_NAME}" COMMAND "$<TARGET_FILE:reduction_workbook::emulate>" ${arg_OPTIONS}
    "$<TARGET_FILE:${target}_emulated>" -- ${arg_COMMAND})
endfunction()
