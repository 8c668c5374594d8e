# Reads chapters/chapters.json, the only file with the facts about each chapter.
#
#   workbook_read_manifest()                   sets WORKBOOK_CHAPTERS to the chapters' numbers, in order
#   workbook_fact(OUT NUMBER NAME [DEFAULT])   sets OUT to a fact about a chapter; a list becomes a CMake list
#   workbook_write_headers()                   writes chapters/rungs.hpp and chapters/chapterN.hpp to build/generated

set(WORKBOOK_MANIFEST_FILE "${PROJECT_SOURCE_DIR}/chapters/chapters.json")
set(WORKBOOK_GENERATED "${PROJECT_BINARY_DIR}/generated")

function(workbook_read_manifest)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${WORKBOOK_MANIFEST_FILE}")
  file(READ "${WORKBOOK_MANIFEST_FILE}" text)
  # Semicolons are escaped, because CMake would split the text at them.
  string(REPLACE ";" "\\u003b" text "${text}")
  string(JSON count ERROR_VARIABLE wrong LENGTH "${text}" chapters)
  if(wrong)
    message(FATAL_ERROR "${WORKBOOK_MANIFEST_FILE} is not a manifest of chapters: ${wrong}")
  endif()
  set(numbers "")
  math(EXPR last "${count} - 1")
  foreach(k RANGE ${last})
    string(JSON entry GET "${text}" chapters ${k})
    string(JSON number ERROR_VARIABLE wrong GET "${entry}" number)
    if(wrong)
      message(FATAL_ERROR "${WORKBOOK_MANIFEST_FILE}: entry ${k} of the chapters has no number: ${wrong}")
    endif()
    list(APPEND numbers ${number})
    set_property(GLOBAL PROPERTY workbook_chapter_${number} "${entry}")
  endforeach()
  set(WORKBOOK_CHAPTERS "${numbers}" PARENT_SCOPE)
endfunction()

# Sets `out` to the strings in a list of a manifest object; empty if it has no such list.
function(workbook_words out object name)
  string(JSON count ERROR_VARIABLE missing LENGTH "${object}" ${name})
  set(words "")
  if(NOT missing AND count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(k RANGE ${last})
      string(JSON word GET "${object}" ${name} ${k})
      list(APPEND words "${word}")
    endforeach()
  endif()
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

function(workbook_fact out number name)
  get_property(entry GLOBAL PROPERTY workbook_chapter_${number})
  string(JSON value ERROR_VARIABLE missing GET "${entry}" ${name})
  string(JSON type ERROR_VARIABLE no_type TYPE "${entry}" ${name})
  if(missing OR "${type}" STREQUAL "NULL")
    if(ARGC LESS 4)
      message(FATAL_ERROR "${WORKBOOK_MANIFEST_FILE}: chapter ${number} has no `${name}`.")
    endif()
    set(value "${ARGV3}")
  elseif("${type}" STREQUAL "ARRAY")
    workbook_words(value "${entry}" ${name})
  endif()
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

# workbook_declare_rung(FUNCTION NUMBER KERNEL ROLE): appends a C++ function that returns the rung of one kernel to the
# caller's variable `rungs`.
function(workbook_declare_rung function number kernel role)
  workbook_fact(block_sizes ${number} block_sizes "powers of two")
  workbook_fact(longest_path ${number} longest_path "tree")
  set(text "kernel_table ${function}_table();\ninline reduction ${function}() {\n")
  string(APPEND text "  reduction r = make_rung(\"${kernel}\", role::${role}, ${number}, ${function}_table());\n")
  if("${block_sizes}" STREQUAL "whole warps")
    # An exercise that hasn't been edited still has the previous chapter's kernel, so it is not limited to whole warps.
    string(APPEND text "  if (r.attempted) r.rejects = reject_unless_whole_warps;\n")
  elseif(NOT "${block_sizes}" STREQUAL "powers of two")
    message(FATAL_ERROR "${WORKBOOK_MANIFEST_FILE}: chapter ${number}: block_sizes are \"powers of two\" or "
      "\"whole warps\", not \"${block_sizes}\".")
  endif()
  if("${longest_path}" STREQUAL "every element")
    string(APPEND text "  r.depth = [](std::size_t n, unsigned) { return n; };\n")
  endif()
  string(APPEND text "  return r;\n}\n")
  set(rungs "${rungs}${text}" PARENT_SCOPE)
endfunction()

function(workbook_write_headers)
  set(rungs "")
  set(solutions "")
  set(references "")
  foreach(number IN LISTS WORKBOOK_CHAPTERS)
    workbook_fact(kind ${number} kind)
    workbook_fact(title ${number} title)
    workbook_fact(exercise ${number} exercise)
    workbook_fact(folder ${number} folder)
    set(rows "")
    if("${kind}" STREQUAL "ladder")
      workbook_fact(kernel ${number} kernel)
      workbook_fact(parent ${number} parent "")
      workbook_declare_rung(chapter${number}_solution ${number} ${kernel} reference)
      workbook_declare_rung(chapter${number}_exercise ${number} ${kernel} yours)
      string(APPEND references "chapter${number}_solution(), ")
      if(NOT "${parent}" STREQUAL "")
        string(APPEND solutions "chapter${number}_solution(), ")
        string(APPEND rows "  reduction previous = chapter${parent}_solution();\n  previous.as = role::previous;\n"
          "  c.ladder = {previous, chapter${number}_solution(), chapter${number}_exercise()};\n")
      else()
        string(APPEND rows "  c.ladder = {chapter${number}_solution(), chapter${number}_exercise()};\n")
      endif()
      workbook_fact(beside ${number} beside "")
      foreach(one IN LISTS beside)
        string(JSON name GET "${one}" name)
        string(JSON kernel GET "${one}" kernel)
        string(JSON role GET "${one}" role)
        workbook_declare_rung(chapter${number}_${name} ${number} ${kernel} ${role})
        if("${role}" STREQUAL "reference")
          string(APPEND references "chapter${number}_${name}(), ")
        endif()
      endforeach()
    endif()
    file(CONFIGURE OUTPUT "${WORKBOOK_GENERATED}/chapters/chapter${number}.hpp" @ONLY CONTENT
"#pragma once
/// \\file
/// Made by the build from chapters/chapters.json: what is known of chapter @number@ before its program says more.

#include \"chapters/rungs.hpp\"
#include \"workbook/chapter.hpp\"

namespace chapter@number@ {
/// Returns the SHA-256 of the exercise that is compiled in; not defined in a program without it, such as judge@number@.
[[gnu::weak]] const char* exercise_sha256();
}  // namespace chapter@number@

namespace workbook {

/// Returns what the manifest says of the chapter: previous, reference and exercise are the first rows of a ladder.
inline chapter make_chapter@number@() {
  chapter c;
  c.number = @number@;
  c.title = R\"title(@title@)title\";
  c.exercise = \"@exercise@\";
  c.exercise_path = R\"path(@PROJECT_SOURCE_DIR@/chapters/@folder@/@exercise@)path\";
  if (chapter@number@::exercise_sha256 != nullptr) c.exercise_sha256 = chapter@number@::exercise_sha256();
@rows@  return c;
}

}  // namespace workbook
")
  endforeach()
  file(CONFIGURE OUTPUT "${WORKBOOK_GENERATED}/chapters/rungs.hpp" @ONLY CONTENT
"#pragma once
/// \\file
/// Made by the build from chapters/chapters.json: every kernel of the ladder as a rung. Each is defined by the object
/// library of its name, `chapterN_solution` ...

#include <vector>

#include \"workbook/rung.hpp\"

namespace workbook {

@rungs@
/// The solutions of the ladder but the first chapter's, in order.
inline std::vector<reduction> ladder_solutions() {
  return {@solutions@};
}

/// Every kernel of the ladder that is right.
inline std::vector<reduction> ladder_references() {
  return {@references@};
}

}  // namespace workbook
")
endfunction()
