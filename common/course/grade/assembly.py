"""Checks the host code of a submission in the form of assembly. It may contain only what a compiler writes, because
assembly that a student has written could read any file of this system while it is assembled, for example another
student's."""

from __future__ import annotations

import pathlib
import re

# The directives that compilers write: data, symbols, sections, and tables for debuggers and unwinders.
DIRECTIVES = """
2byte 4byte 8byte align ascii asciz base64 bss byte comm data double file float globl global hidden hword
ident init inst int internal lcomm loc local long octa p2align popsection previous protected pushsection quad
rodata section set short single size skip sleb128 space string subsection symver text tbss tdata type uleb128
value weak weakref word xword zero arch arch_extension cpu tlsdesccall variant_pcs
"""
KNOWN = frozenset(DIRECTIVES.split())
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
LABEL = re.compile(r"^\s*(?:[^\s:;]+|\x00)\s*:(?!=)")
WORD = re.compile(r"^\s*\.([A-Za-z_]\w*)")
# Matches most lines: an instruction, or a directive with numbers, whose operands have no quote, comment or separator.
PLAIN = re.compile(
    r"^[ \t]*(?:[a-z]\w*|\.(?:byte|cfi_\w+|loc|long|quad|value|zero))(?:[ \t][\w$%@+*(),. \t-]*)?\n", re.M
)
# Directives that read files or generate other statements. They are forbidden anywhere in a line.
NEVER = re.compile(r"\.\s*(?:incbin|include|(?:alt|noalt|end|purge)?m(?:acro)?|irpc?|rept?|if\w*|else\w*)\b", re.I)


def foreign_line(text: str) -> str | None:
    """Returns the first line with a directive that compilers do not write, or with something that could hide one.
    Returns None if there is no such line."""
    for line in PLAIN.sub("", text).split("\n"):
        bare = STRING.sub("\0", line)
        # A comment or a character constant that contains a quote could make the code after it look like a string.
        if '"' in bare or "/*" in bare or "'" in bare or NEVER.search(bare):
            return line.strip()
        for statement in bare.split(";"):
            rest = statement
            while label := LABEL.match(rest):
                rest = rest[label.end() :]
            word = WORD.match(rest)
            if word and not (word[1] in KNOWN or word[1].startswith("cfi_")):
                return line.strip()
    return None


def refuse_foreign(folder: pathlib.Path) -> str | None:
    """Checks all assembly in `folder`. Returns the first foreign line, or None. Raises OSError if the folder contains
    no assembly, because the check would then pass without having seen anything."""
    files = sorted(folder.glob("*.s"))
    if not files:
        raise OSError(f"the compiler has left no assembly in {folder.name}")
    for path in files:
        if line := foreign_line(path.read_text(encoding="latin-1")):
            return line
    return None
