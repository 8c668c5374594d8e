"""The host's half of a submission as assembly: it must be a compiler's own. What somebody has written into it could
read any file of this system while it is assembled, such as a neighbour's."""

from __future__ import annotations

import pathlib
import re

# What the compiler writes: data, symbols, sections, and what debuggers and unwinders read.
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
# Most lines: one instruction, or numbers, whose operands hold no quote, comment or second statement.
PLAIN = re.compile(
    r"^[ \t]*(?:[a-z]\w*|\.(?:byte|cfi_\w+|loc|long|quad|value|zero))(?:[ \t][\w$%@+*(),. \t-]*)?\n", re.M
)
# What reads files or writes other statements, wherever it stands in a line.
NEVER = re.compile(r"\.\s*(?:incbin|include|(?:alt|noalt|end|purge)?m(?:acro)?|irpc?|rept?|if\w*|else\w*)\b", re.I)


def foreign_line(text: str) -> str | None:
    """Returns the first line that is not a compiler's own: with a directive that compilers do not write, or with what
    could hide one. None where there is none."""
    for line in PLAIN.sub("", text).split("\n"):
        bare = STRING.sub("\0", line)
        # Comments and characters that hold a quote would make what stands behind them look like a string.
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
    """Looks at all assembly in `folder`. Returns what is foreign in it, or None. Raises OSError where there is none to
    look at, for then nothing is known."""
    files = sorted(folder.glob("*.s"))
    if not files:
        raise OSError(f"the compiler has left no assembly in {folder.name}")
    for path in files:
        if line := foreign_line(path.read_text(encoding="latin-1")):
            return line
    return None
