# Reads chapters/chapters.json, the one place where the facts of a chapter stand.
#
# workbook_read_manifest(): sets in the caller's scope
#   WORKBOOK_CHAPTERS                   the numbers, in order
#   WORKBOOK_CHAPTER_<N>_<FACT>         of each chapter, where the manifest has it: FOLDER, TITLE, KIND, EXERCISE,
#                                       KERNEL, PARENT, BLOCK_SIZES, and the lists SOURCES and LIBRARIES
#   WORKBOOK_CHAPTER_<N>_BESIDE         names of further kernels in the table; of each
#   WORKBOOK_CHAPTER_<N>_BESIDE_<NAME>_<FACT>   KERNEL, FILE, NAMESPACE, ENTRY, ROLE

# Sets `out` to the member of `json` under the path `…`, or to nothing where there is none or it is null.
function(workbook_json_member out json)
  string(JSON type ERROR_VARIABLE missing TYPE "${json}" ${ARGN})
  set(value "")
  if(NOT missing AND NOT type STREQUAL "NULL")
    string(JSON value GET "${json}" ${ARGN})
  endif()
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

# The same for an array, as a list.
function(workbook_json_list out json)
  set(values "")
  string(JSON count ERROR_VARIABLE missing LENGTH "${json}" ${ARGN})
  if(NOT missing AND count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(k RANGE ${last})
      string(JSON value GET "${json}" ${ARGN} ${k})
      list(APPEND values "${value}")
    endforeach()
  endif()
  set(${out} "${values}" PARENT_SCOPE)
endfunction()

macro(workbook_read_manifest)
  set(_manifest "${PROJECT_SOURCE_DIR}/chapters/chapters.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_manifest}")
  file(READ "${_manifest}" _manifest)
  set(WORKBOOK_CHAPTERS "")
  string(JSON _count LENGTH "${_manifest}" chapters)
  math(EXPR _last "${_count} - 1")
  foreach(_k RANGE ${_last})
    # Not from a list of entries: their text may have semicolons.
    string(JSON _entry GET "${_manifest}" chapters ${_k})
    string(JSON _number GET "${_entry}" number)
    list(APPEND WORKBOOK_CHAPTERS ${_number})
    set(_prefix WORKBOOK_CHAPTER_${_number})
    foreach(_fact folder title kind exercise kernel parent block_sizes)
      string(TOUPPER ${_fact} _name)
      workbook_json_member(${_prefix}_${_name} "${_entry}" ${_fact})
    endforeach()
    workbook_json_list(${_prefix}_SOURCES "${_entry}" sources)
    workbook_json_list(${_prefix}_LIBRARIES "${_entry}" libraries)
    set(${_prefix}_BESIDE "")
    workbook_json_list(_besides "${_entry}" beside)
    foreach(_beside IN LISTS _besides)
      string(JSON _name GET "${_beside}" name)
      list(APPEND ${_prefix}_BESIDE ${_name})
      foreach(_fact kernel file namespace entry role)
        string(TOUPPER ${_fact} _upper)
        workbook_json_member(${_prefix}_BESIDE_${_name}_${_upper} "${_beside}" ${_fact})
      endforeach()
    endforeach()
  endforeach()
endmacro()

# workbook_chapter_header(number): writes build/generated/chapters/chapterN.hpp, what a chapter.cpp takes from the
# manifest. The folder to include from is build/generated.
function(workbook_chapter_header number)
  set(prefix WORKBOOK_CHAPTER_${number})
  set(declarations "")
  set(rows "")
  if(${prefix}_KIND STREQUAL "ladder")
    set(declared chapter${number}_solution chapter${number}_exercise)
    set(ladder "chapter${number}_solution(), chapter${number}_exercise()")
    if(NOT ${prefix}_PARENT STREQUAL "")
      list(PREPEND declared chapter${${prefix}_PARENT}_solution)
      string(PREPEND ladder "previous, ")
      string(APPEND rows "  reduction previous = chapter${${prefix}_PARENT}_solution();\n"
        "  previous.as = role::previous;\n")
    endif()
    string(APPEND rows "  c.ladder = {${ladder}};\n")
    foreach(name IN LISTS ${prefix}_BESIDE)
      list(APPEND declared chapter${number}_${name})
    endforeach()
    foreach(name IN LISTS declared)
      string(APPEND declarations "reduction ${name}();\n")
    endforeach()
    string(APPEND declarations "\n")
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/chapters/chapter${number}.hpp" @ONLY CONTENT
"// Made by the build from chapters/chapters.json.
#pragma once

#include \"workbook/chapter.hpp\"

namespace workbook {

${declarations}/// Returns what the manifest says of the chapter: previous, reference and exercise are the ladder's first rows.
inline chapter make_chapter${number}() {
  chapter c;
  c.number = ${number};
  c.title = R\"title(${${prefix}_TITLE})title\";
  c.exercise = \"${${prefix}_EXERCISE}\";
${rows}  return c;
}

}  // namespace workbook
")
endfunction()
