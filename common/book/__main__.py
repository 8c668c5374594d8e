"""python3 -m book COMMAND …: the book's programs in Python, with PYTHONPATH=common. `make` calls them."""

from __future__ import annotations

import sys

from book.version import version_text

# Command: the module whose main() gets the other arguments. Only the module of the given command is imported.
COMMANDS = {
    "build-files": "book.build_files",
    "class": "course.grade.class_page",
    "elsewhere": "student.elsewhere",
    "exercises": "book.exercises",
    "grade": "course.grade.run",
    "sass": "student.sass",
    "zoo": "student.zoo",
    **dict.fromkeys(
        ("hint", "diff", "reset", "watch", "live", "predict", "page", "progress", "next", "review"),
        "student.command_line",
    ),
}


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in ("-h", "--help"):
        print(f"{__doc__}\n\nCommands: {', '.join(sorted(COMMANDS))}")
        return 0
    if words == ["--version"]:
        print(version_text("book"))
        return 0
    if not words or words[0] not in COMMANDS:
        given = f"no command {words[0]!r}" if words else "a command is missing"
        print(f"book: {given}; the commands are {', '.join(sorted(COMMANDS))}", file=sys.stderr)
        return 2
    module = COMMANDS[words[0]]
    # The student's commands are a single program, which gets the command as its first argument.
    rest = words if module == "student.command_line" else words[1:]
    __import__(module)
    return int(sys.modules[module].main(rest))


if __name__ == "__main__":
    sys.exit(main())
