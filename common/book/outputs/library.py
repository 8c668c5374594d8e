"""The tables of docs/pages/library.md. They are made from the headers of common/reductions, so that none is forgotten
or stale.

`<!-- library:functions begin rows.cuh segments.cuh -->`: the functions of these headers that other projects may call.
`<!-- library:types begin operators.cuh -->`: their types. The names after the word `without` are left out, because they
are internal. `<!-- library:inner begin -->`: the headers that are in no other table of the page.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re

from book import markers, records
from book.outputs import Failure, Setting

LIBRARY = records.ROOT / "common" / "reductions"

_NAMESPACE = re.compile(r"namespace (\w+) \{")
_TYPE = re.compile(r"(?:struct|class) (?:alignas\(\w+\) )?(\w+)\s*(?:[:{;]|$)")
_FUNCTION = re.compile(r"(?<![\w.])(?P<name>\w+)\(")


@dataclasses.dataclass(frozen=True)
class Entry:
    """A function or type of a header that has a doc comment."""

    name: str  # with its inner namespace: view::iota
    call: str  # how it is called: reduce_rows<Acc>(in, out, …); for a type, its name
    brief: str  # the first sentence of its doc comment
    where: str  # "host", "kernels" or "both"; empty for a type
    is_type: bool
    parameters: tuple[str, ...] = ()


def _closing(text: str, begin: int, pair: str) -> int:
    """Returns the index after the bracket that closes the one at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        # The > of -> isn't a bracket.
        depth += (text[i] == pair[0]) - (text[i] == pair[1] and text[i - 1 : i + 1] != "->")
        if depth == 0:
            return i + 1
    raise Failure(f"a bracket is never closed: {text[begin : begin + 60]} …")


def _split(text: str) -> list[str]:
    """Splits the text at those commas that are outside of all brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<({[") - (character in ">)}]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _last_word(declared: str) -> str:
    words = re.findall(r"\w+", re.sub(r"\[.*\]$", "", declared.partition("=")[0].strip()))
    return words[-1] if words else ""


def _entry(prefix: str, declaration: str, brief: str) -> Entry | None:
    """Returns the entry for a declaration at the outermost level; None for kernels, variables and specialisations."""
    template: list[str] = []
    rest = re.sub(r"\[\[.*?\]\]", "", declaration).strip()
    while begun := re.match(r"(template\s*)<|(requires\s*)\(", rest):
        pair = "<>" if begun[1] else "()"
        end = _closing(rest, begun.end() - 1, pair)
        if begun[1]:
            template = _split(rest[begun.end() : end - 1])
        rest = re.sub(r"^\s*(&&|\|\|)\s*", "", rest[end:]).strip()
    if found := _TYPE.match(rest):
        return Entry(prefix + found[1], prefix + found[1], brief, "", is_type=True)
    function = _FUNCTION.search(rest)
    before = rest[: function.start()] if function else ""
    if not function or "__global__" in before or "=" in before or rest.startswith(("concept", "enum", "using")):
        return None
    inside = rest[function.end() : _closing(rest, function.end() - 1, "()") - 1]
    parameters = tuple(_last_word(one) for one in _split(inside))
    # The caller has to write those template arguments that can't be deduced and have no default.
    wanted = [_last_word(one) for one in template if "=" not in one]
    wanted = [name for name in wanted if not re.search(rf"\b{name}\b", inside)]
    name = prefix + function["name"]
    call = name + (f"<{', '.join(wanted)}>" if wanted else "") + f"({', '.join(parameters)})"
    on_host, on_device = "__host__" in before, "__device__" in before
    where = "both" if on_host and on_device else "kernels" if on_device else "host"
    return Entry(name, call, brief, where, is_type=False, parameters=parameters)


def entries(text: str) -> list[Entry]:
    """Returns the documented functions and types at the outermost level of a header's namespaces, in order."""
    found: list[Entry] = []
    spaces: list[str] = []
    doc: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("///"):
            doc.append(line[3:].strip())
            continue
        if opened := _NAMESPACE.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif doc and spaces and "\\file" not in doc[0]:
            declaration = line
            while not declaration.endswith(("{", ";", "}")):
                declaration += " " + next(lines).strip()
            prefix = "".join(f"{space}::" for space in spaces[1:])
            sentence = re.match(r".*?[.](?= |$)|.*", " ".join(doc))
            brief = re.sub(r"\\throws (\S+)\s+", r"Throws `\1` ", sentence[0] if sentence else "")
            if one := _entry(prefix, declaration, brief):
                found.append(one)
        doc = []
    return found


def _headers_named(arguments: str) -> tuple[list[str], list[str]]:
    """Returns the headers that a marker lists, and the names that it leaves out."""
    headers, _, without = arguments.partition(" without ")
    return headers.split(), without.split()


def _header(name: str) -> str:
    try:
        return (LIBRARY / name).read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(f"there is no header common/reductions/{name}: {error}") from error


def _cell(text: str) -> str:
    """Returns the text for a table cell, with < escaped outside of code, so that nothing looks like a tag."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(part if i % 2 else part.replace("<", "&lt;") for i, part in enumerate(parts))


def _link(header: str) -> str:
    return f"[{header}](../../common/reductions/{header})"  # from a page in docs/pages


def _types(shown: list[tuple[str, Entry]]) -> list[list[str]]:
    rows = [[f"`{one.call}`", _cell(one.brief), _link(header)] for header, one in shown]
    return [["type", "what it is", "header"], *rows]


def _functions(shown: list[tuple[str, Entry]]) -> list[list[str]]:
    names = {one.name for _, one in shown}
    rows = []
    for header, one in shown:
        size = f"{one.name}_workspace_bytes"
        workspace = f"`{size}`" if "workspace" in one.parameters and size in names else ""
        rows.append([_cell(f"`{one.call}`"), _cell(one.brief), one.where, workspace, _link(header)])
    rows.insert(0, ["call", "what it does", "called by", "workspace", "header"])
    # The workspace column is left out if it is empty.
    return rows if any(row[3] for row in rows[1:]) else [[*row[:3], row[4]] for row in rows]


def _inner(page: pathlib.Path) -> str:
    """Returns a sentence that names all headers which no table of the page has."""
    shown: set[str] = set()
    for part in markers.parts(page.read_text(encoding="utf-8")):
        if part.kind == "library" and part.detail != "inner":
            shown.update(_headers_named(part.arguments)[0])
    files = [path.relative_to(LIBRARY) for path in LIBRARY.rglob("*.*") if path.suffix in {".cuh", ".hpp"}]
    names = sorted(path.as_posix() for path in files if path.parts[0] != "tune")  # the tuner is a program
    return ", ".join(f"`{name}`" for name in names if name not in shown) + ".\n"


def made(part: markers.Part, setting: Setting) -> str:
    if part.detail == "inner":
        return _inner(setting.page)
    if part.detail not in {"functions", "types"}:
        raise Failure(f"library:{part.detail}: it is library:functions, library:types or library:inner")
    headers, without = _headers_named(part.arguments)
    known = [(header, one) for header in headers for one in entries(_header(header))]
    for name in without:
        if name not in {one.name for _, one in known}:
            raise Failure(f"`library:{part.detail} begin {part.arguments}`: none of these headers has a {name}")
    types = part.detail == "types"
    shown = [(header, one) for header, one in known if one.is_type == types and one.name not in without]
    rows = _types(shown) if types else _functions(shown)
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)
