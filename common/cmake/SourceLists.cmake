# workbook_files(OUT [RECURSE] PATTERN…): sets OUT to the files that match, for targets that depend on every file of a
# kind. CMake searches for them only when it configures, not in each build. To detect new files,
# build/source_lists.cmake repeats the search and fails if the result has changed. The bootstrap runs it before it
# builds anything other than a chapter, and a test runs it, too.

file(WRITE "${CMAKE_BINARY_DIR}/source_lists.cmake"
  "# Made by the build: cmake -P source_lists.cmake fails where files have come or gone since CMake configured.\n")

function(workbook_files out)
  set(patterns "")
  set(kind GLOB)
  foreach(word IN LISTS ARGN)
    if("${word}" STREQUAL "RECURSE")
      set(kind GLOB_RECURSE)
    else()
      get_filename_component(pattern "${word}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      list(APPEND patterns "${pattern}")
    endif()
  endforeach()
  file(${kind} found LIST_DIRECTORIES false ${patterns})
  set(${out} "${found}" PARENT_SCOPE)
  file(APPEND "${CMAKE_BINARY_DIR}/source_lists.cmake" "
set(known [==[${found}]==])
set(patterns [==[${patterns}]==])
file(${kind} now LIST_DIRECTORIES false \${patterns})
if(NOT \"\${now}\" STREQUAL \"\${known}\")
  set(new \"\${now}\")
  list(REMOVE_ITEM new \${known} \"\")
  list(REMOVE_ITEM known \${now} \"\")
  message(FATAL_ERROR \"Files have come or gone since CMake configured: \${new} \${known}. \"
    \"Run `cmake ${CMAKE_BINARY_DIR}`.\")
endif()
")
endfunction()
