# Reads what book/build_files.py makes of chapters/chapters.json, the only file with the facts about each chapter.
#
#   workbook_read_manifest()       writes the generated headers, and sets WORKBOOK_CHAPTERS to the chapters' numbers
#   workbook_fact(OUT NUMBER NAME) sets OUT to a fact about a chapter; it is empty if the manifest has none

set(WORKBOOK_GENERATED "${PROJECT_BINARY_DIR}/generated")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
# The first python3 on the path may be a script that searches for the interpreter at every start (with pyenv, this takes
# 0.1 s each time).
execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable)"
  OUTPUT_VARIABLE Python3_EXECUTABLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(workbook_read_manifest)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/chapters/chapters.json" "${PROJECT_SOURCE_DIR}/common/book/build_files.py"
    "${PROJECT_SOURCE_DIR}/common/book/manifest.py")
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -S -m book build-files "${PROJECT_SOURCE_DIR}" "${WORKBOOK_GENERATED}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/common" ERROR_VARIABLE complaint RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${complaint}")
  endif()
  include("${WORKBOOK_GENERATED}/manifest.cmake")
  set(WORKBOOK_CHAPTERS "${WORKBOOK_CHAPTERS}" PARENT_SCOPE)
endfunction()

function(workbook_fact out number name)
  get_property(value GLOBAL PROPERTY workbook_${number}_${name})
  set(${out} "${value}" PARENT_SCOPE)
endfunction()
