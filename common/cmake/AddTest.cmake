# add_unit_test(NAME name SOURCES a.cpp … LIBRARIES lib …): one Catch2 program, one ctest entry.
function(add_unit_test)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(test_${arg_NAME} ${arg_SOURCES})
  target_link_libraries(test_${arg_NAME} PRIVATE workbook_flags workbook_test_main ${arg_LIBRARIES})
  # A test's own source spends no time; half of its compilation would be the optimiser's.
  target_compile_options(test_${arg_NAME} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  target_include_directories(test_${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}")
  add_test(NAME ${arg_NAME} COMMAND test_${arg_NAME})
endfunction()
