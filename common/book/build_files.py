"""Writes what CMake and the C++ programs need to know from chapters/chapters.json:

python3 -m book build-files SOURCE OUT

SOURCE is the root of the source tree, and OUT a folder of the build. manifest.cmake sets a global property
workbook_N_FACT for each fact of chapter N; a list of objects becomes the list of their names. chapters/chapterN.hpp and
chapters/rungs.hpp describe the chapters to their programs, and machine_code/chapterN.cu instantiates the kernels whose
machine code is tested. A file is only written if its text has changed.
"""

from __future__ import annotations

import pathlib
import sys
import typing

from book import manifest
from book.files import write_if_changed
from book.manifest import Chapter

HEADER = """#pragma once
/// \\file
/// Made by the build from chapters/chapters.json: what is known of chapter {number} before its program says more.

#include "chapters/rungs.hpp"
#include "workbook/chapter.hpp"

namespace chapter{number} {{
/// Returns the SHA-256 of the exercise that is compiled in; not defined in a program without it, such as judge{number}.
[[gnu::weak]] const char* exercise_sha256();
}}  // namespace chapter{number}

namespace workbook {{

/// Returns what the manifest says of the chapter: previous, reference and exercise are the first rows of a ladder.
inline chapter make_chapter{number}() {{
  chapter c;
  c.number = {number};
  c.title = R"title({title})title";
  c.exercise = "{exercise}";
  c.exercise_path = R"path({path})path";
  if (chapter{number}::exercise_sha256 != nullptr) c.exercise_sha256 = chapter{number}::exercise_sha256();
{rows}  return c;
}}

}}  // namespace workbook
"""
PREVIOUS = """  reduction previous = chapter{parent}_solution();
  previous.as = role::previous;
  c.ladder = {{previous, chapter{number}_solution(), chapter{number}_exercise()}};
"""
FIRST = "  c.ladder = {{chapter{number}_solution(), chapter{number}_exercise()}};\n"
RUNG = """kernel_table {function}_table();
inline reduction {function}() {{
  reduction r = make_rung("{kernel}", role::{role}, {number}, {function}_table());
{more}  return r;
}}
"""
# An exercise that hasn't been edited still has the previous chapter's kernel, so it is not limited to whole warps.
WHOLE_WARPS = "  if (r.attempted) r.rejects = reject_unless_whole_warps;\n"
EVERY_ELEMENT = "  r.depth = [](std::size_t n, unsigned) { return n; };\n"
RUNGS = """#pragma once
/// \\file
/// Made by the build from chapters/chapters.json: every kernel of the ladder as a rung. Each is defined by the object
/// library of its name, `chapterN_solution` ...

#include <vector>

#include "workbook/rung.hpp"

namespace workbook {{

{rungs}
/// The solutions of the ladder but the first chapter's, in order.
inline std::vector<reduction> ladder_solutions() {{
  return {{{solutions}}};
}}

/// Every kernel of the ladder that is right.
inline std::vector<reduction> ladder_references() {{
  return {{{references}}};
}}

}}  // namespace workbook
"""


def of_cmake(value: typing.Any) -> str:
    """Returns the value as an argument in CMake's language."""
    if isinstance(value, (list, tuple)):
        items = [one["name"] if isinstance(one, dict) else str(one) for one in value]
        value = ";".join(item.replace(";", "\\;") for item in items)
    return f"[==[{'' if value is None else value}]==]"


def facts_of(chapter: Chapter) -> dict[str, typing.Any]:
    """Returns the facts about a chapter that the build uses."""
    names = ("folder", "kind", "exercise", "parent", "sources", "libraries", "nvcc_options", "shows", "beside")
    facts = {name: getattr(chapter, name) for name in names}
    for one in chapter.beside:
        facts |= {f"beside_{one['name']}_{name}": value for name, value in one.items()}
    facts["instances"] = chapter.machine_code.get("instances", ())
    facts["tests_machine_code"] = bool(chapter.machine_code.get("kernels"))
    return facts


def cmake_text(chapters: dict[int, Chapter]) -> str:
    lines = ["# Made by the build from chapters/chapters.json.", f"set(WORKBOOK_CHAPTERS {of_cmake(tuple(chapters))})"]
    for number, chapter in chapters.items():
        for name, value in facts_of(chapter).items():
            lines.append(f"set_property(GLOBAL PROPERTY workbook_{number}_{name} {of_cmake(value)})")
    return "".join(f"{line}\n" for line in lines)


def header_of(chapter: Chapter, source: str) -> str:
    """Returns the header that describes a chapter to its program."""
    rows = "" if chapter.kind != "ladder" else FIRST if chapter.parent is None else PREVIOUS
    return HEADER.format(
        number=chapter.number,
        title=chapter.title,
        exercise=chapter.exercise,
        path=f"{source}/chapters/{chapter.folder}/{chapter.exercise}",
        rows=rows.format(number=chapter.number, parent=chapter.parent),
    )


def rungs_text(chapters: dict[int, Chapter]) -> str:
    """Returns the header with all kernels of the ladder."""
    rungs, solutions, references = "", "", ""
    for number, chapter in chapters.items():
        if chapter.kind != "ladder":
            continue
        more = WHOLE_WARPS * (chapter.block_sizes == "whole warps")
        more += EVERY_ELEMENT * (chapter.longest_path == "every element")
        kernels = [("solution", chapter.kernel, "reference"), ("exercise", chapter.kernel, "yours")]
        for name, kernel, role in kernels + [(one["name"], one["kernel"], one["role"]) for one in chapter.beside]:
            function = f"chapter{number}_{name}"
            rungs += RUNG.format(function=function, kernel=kernel, role=role, number=number, more=more)
            references += f"{function}(), " * (role == "reference")
        solutions += f"chapter{number}_solution(), " * (chapter.parent is not None)
    return RUNGS.format(rungs=rungs, solutions=solutions, references=references)


def instances_text(chapter: Chapter) -> str:
    """Returns the source file that instantiates the kernels whose machine code is tested."""
    includes = "".join(f'#include "{header}"\n' for header in chapter.machine_code.get("headers", ()))
    instances = "".join(f"template __global__ void {one};\n" for one in chapter.machine_code["instances"])
    return f"// Made by the build from chapters/chapters.json.\n{includes}\n{instances}"


def texts(chapters: dict[int, Chapter], source: str) -> dict[str, str]:
    """Returns the text of each file by its path in the folder."""
    files = {"manifest.cmake": cmake_text(chapters), "chapters/rungs.hpp": rungs_text(chapters)}
    for number, chapter in chapters.items():
        files[f"chapters/chapter{number}.hpp"] = header_of(chapter, source)
        if chapter.machine_code.get("instances"):
            files[f"machine_code/chapter{number}.cu"] = instances_text(chapter)
    return files


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, out = given[0], pathlib.Path(given[1])
    try:
        for name, text in texts(manifest.load(pathlib.Path(source)), source).items():
            write_if_changed(out / name, text)
    except (manifest.ManifestError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
