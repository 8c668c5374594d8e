# Tests have two levels. `make test` checks for newcomers, in minutes, that everything works here. It builds the target
# `quick` and runs the tests marked QUICK. `make test-all` builds and runs everything.
#
# add_unit_test(NAME name [QUICK] SOURCES a.cpp … LIBRARIES lib …)
#   Adds one Catch2 program as one ctest entry.
# add_command_test(NAME sentence [QUICK] [NEEDS target …] [PROPERTIES name value …] COMMAND …)
#   One ctest entry that runs a command. NEEDS: the targets that it needs. Python finds the packages
#   `book`, `course`, `student` and `plots`, and the modules that their tests share. In ctest, a short name comes before
#   the sentence: the folder below tests/, and the script. So `ctest -R course/grade` runs all tests of the grader.

# The COST of tests that mostly wait. With this cost, they start together with tests that keep all cores busy.
set(WORKBOOK_COST_OF_WAITING 250)

add_custom_target(quick)
set(_tree "${PROJECT_SOURCE_DIR}")
set(WORKBOOK_PYTHONPATH "PYTHONPATH=${_tree}/common:${_tree}:${_tree}/tests/book:${PROJECT_BINARY_DIR}/python")

function(workbook_set_depth name quick)
  if(quick)
    set_tests_properties("${name}" PROPERTIES LABELS quick)
    if(ARGN)
      add_dependencies(quick ${ARGN})
    endif()
  else()
    set_tests_properties("${name}" PROPERTIES LABELS thorough)
  endif()
endfunction()

function(add_unit_test)
  cmake_parse_arguments(arg "QUICK" "NAME" "SOURCES;LIBRARIES" ${ARGN})
  # Only `quick` and `all` build it, so that tests don't slow down a build of one chapter.
  add_executable(test_${arg_NAME} ${arg_SOURCES})
  target_link_libraries(test_${arg_NAME} PRIVATE workbook_flags workbook_test_main ${arg_LIBRARIES})
  target_compile_options(test_${arg_NAME} PRIVATE ${WORKBOOK_TEST_OPTIONS})
  target_include_directories(test_${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}")
  # Catch2's header takes longer to compile than most tests.
  target_precompile_headers(test_${arg_NAME} REUSE_FROM workbook_test_header)
  add_test(NAME ${arg_NAME} COMMAND test_${arg_NAME})
  workbook_set_depth(${arg_NAME} "${arg_QUICK}" test_${arg_NAME})
endfunction()

# Sets `out` to the name in ctest of a test in the current folder.
function(workbook_test_name out sentence)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests" OUTPUT_VARIABLE name)
  foreach(word IN LISTS ARGN)
    string(FIND "${word}" "${CMAKE_CURRENT_SOURCE_DIR}/" at)
    if(at EQUAL 0 AND word MATCHES "/(test_)?([^/]+)\\.(py|sh)$")
      string(APPEND name "/${CMAKE_MATCH_2}")
      break()
    endif()
  endforeach()
  set(${out} "${name}: ${sentence}" PARENT_SCOPE)
endfunction()

function(add_command_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "QUICK" "NAME" "NEEDS;PROPERTIES;COMMAND")
  if(arg_NAME MATCHES " ")
    workbook_test_name(arg_NAME "${arg_NAME}" ${arg_COMMAND})
  endif()
  add_test(NAME "${arg_NAME}" COMMAND ${arg_COMMAND} COMMAND_EXPAND_LISTS)
  # Scripts call the interpreter `python3`. This makes sure that they call the one that AddChapter.cmake has found.
  cmake_path(GET Python3_EXECUTABLE PARENT_PATH python_folder)
  set_tests_properties("${arg_NAME}" PROPERTIES ENVIRONMENT "${WORKBOOK_PYTHONPATH}"
    ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${python_folder}" ${arg_PROPERTIES})
  workbook_set_depth("${arg_NAME}" "${arg_QUICK}" ${arg_NEEDS})
endfunction()
