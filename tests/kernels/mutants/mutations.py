"""Mutants of PTX: each removes or weakens one barrier, fence, order, scope, mask, wait or guard of the original text.
Nothing is compiled. With --no-compress the executable contains the PTX as text, and a mutant must have exactly the
same size in bytes. Blanks after commas and the columns of source locations are dropped to make room."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import typing

BEGINNING = re.compile(rb"\.version \d+\.\d+\n\.target sm_")
FUNCTION = re.compile(r"^(?:\.visible |\.weak |\.extern )*\.(?:entry|func)\b")
LOCATION = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
STATEMENT = re.compile(r"^\s*(?:@(!?)(%p\d+)\s+)?([a-z][\w.:]*)\s*(.*);\s*$", re.DOTALL)
REGISTER = re.compile(r"%[a-z]+\d+")
THREAD = re.compile(r"%(?:tid|ctaid|laneid|warpid|lanemask_\w+)\b")
LABEL = re.compile(r"^(\$\w+):")
POLLS = re.compile(r"^(?:ld\.(?:acquire|relaxed|volatile)|atom\.|mbarrier\.(?:test|try)_wait)")
REACHES = re.compile(r"^(?:ld|st|atom|red|cp\.async)\b(?!\.param)")
WEAKER = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}  # these differ if both operands are equal

KINDS = ("barrier", "fence", "order", "scope", "mask", "wait", "guard")


@dataclasses.dataclass
class Mutant:
    kernel: str  # mangled; empty for a function that several kernels may call
    kind: str  # one of KINDS
    change: str  # for people: "bar.sync deleted"
    line: int  # of the PTX, from 0
    new: str
    probe: str  # replaces the line: a trap that shows whether the change can matter at all
    place: tuple[str, int]  # in the source
    number: int = 0  # among the mutants with this change in kernels of this name, from 1
    also: int = -1  # another line that is deleted together with it; -1 if there is none


@dataclasses.dataclass
class Line:
    text: str
    place: tuple[str, int]
    guard: str = ""  # "@%p1 " or "@!%p1 "
    predicate: str = ""
    name: str = ""  # the instruction with its suffixes
    operands: str = ""

    @property
    def parts(self) -> list[str]:
        return [part.strip() for part in self.operands.split(",")]


def split_out(image: bytes) -> list[tuple[int, bytes]]:
    """Returns where each PTX text begins in an executable, and the text."""
    return [(m.start(), image[m.start() : image.index(b"\0", m.start())]) for m in BEGINNING.finditer(image)]


def with_text(image: bytes, at: int, old: bytes, lines: list[str]) -> bytes:
    """Returns the executable with different PTX in it. Raises ValueError if that does not fit."""
    kept: list[str] = []
    last = ""
    for line in lines:
        if found := LOCATION.match(line):
            # A location that differs in the column only is dropped.
            here = found[0] if "inlined_at" not in line else line
            if here == last:
                continue
            last = here
        kept.append(line if '"' in line else line.lstrip().replace(", ", ","))
    new = "\n".join(kept).encode("latin-1")
    if len(new) > len(old):
        raise ValueError("no room for the mutant")
    return image[:at] + new + b"\n" * (len(old) - len(new)) + image[at + len(old) :]


def read(text: bytes) -> list[Line]:
    """Returns the lines of the text, each with the line of the source that it comes from."""
    files: dict[str, str] = {}
    raw = text.decode("latin-1").split("\n")
    for line in raw:
        if found := re.match(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', line):
            files[found[1]] = pathlib.PurePosixPath(found[2]).name
    lines, place = [], ("", 0)
    for line in raw:
        if found := LOCATION.match(line):
            place = (files.get(found[1], ""), int(found[2]))
        one = Line(line, place)
        code = line.split("//")[0]
        if code.count(";") == 1 and (found := STATEMENT.match(code)):
            one.predicate = found[2] or ""
            one.guard = f"@{found[1]}{found[2]} " if found[2] else ""
            one.name, one.operands = found[3], found[4].strip()
        lines.append(one)
    return lines


def functions(lines: list[Line]) -> typing.Iterator[tuple[str, int, int]]:
    """Yields mangled name, first and last line of each function with a body. The name is '' if it isn't a kernel."""
    begin, name = -1, ""
    for k, line in enumerate(lines):
        if FUNCTION.match(line.text):
            begin = k
            found = re.search(r"\.entry\s+(\w+)", line.text)
            name = found[1] if found else ""
        elif line.text.startswith("}") and begin >= 0:
            yield name, begin, k
            begin = -1


class Body:
    """One function: which registers depend on the thread's number, and where its labels are."""

    def __init__(self, lines: list[Line], begin: int, end: int) -> None:
        self.lines, self.begin, self.end = lines, begin, end
        self.labels = {m[1]: k for k in range(begin, end) if (m := LABEL.match(lines[k].text))}
        self.of_thread: set[str] = set()
        self.setp: dict[str, int] = {}
        size = -1
        while size != len(self.of_thread):
            size = len(self.of_thread)
            for k in range(begin, end):
                self._follow(k)

    def _follow(self, k: int) -> None:
        line = self.lines[k]
        if not line.name or line.name.startswith(("ld", "atom", "bra", "st", "red", "shfl", "vote", "call")):
            return
        to, *sources = line.parts
        if line.name.startswith("setp"):
            for one in REGISTER.findall(to):
                self.setp[one] = k
        known = any(THREAD.search(s) or self.of_thread & set(REGISTER.findall(s)) for s in sources)
        if known:
            self.of_thread.update(REGISTER.findall(to))

    def target(self, k: int) -> int:
        return self.labels.get(self.lines[k].operands, -1)

    def reaches_memory(self, begin: int, end: int) -> bool:
        return any(REACHES.match(self.lines[k].name) for k in range(begin, end) if self.lines[k].name)

    def lets_more_in(self, predicate: str) -> bool | None:
        """Returns whether more threads do something if the predicate holds more often. Returns None if nothing depends
        on the predicate, or more than one thing."""
        found = set()
        for k in range(self.begin, self.end):
            line = self.lines[k]
            if not line.name or (line.predicate != predicate and predicate not in line.parts[1:]):
                continue
            if line.predicate != predicate:
                return None
            negated = line.guard.startswith("@!")
            if line.name.startswith("bra"):
                skips = self.target(k) > k
                if skips and not self.reaches_memory(k, self.target(k)):
                    return None
                found.add(negated if skips else not negated)
            else:
                found.add(not negated)
        return found.pop() if len(found) == 1 else None

    def is_poll(self, k: int) -> bool:
        """Returns true if a jump back repeats nothing but a polling load."""
        top = self.target(k)
        if top < 0 or top > k or k - top > 40:
            return False
        names = [self.lines[j].name for j in range(top, k) if self.lines[j].name]
        return any(POLLS.match(n) for n in names) and not any(
            re.match(r"^(?:st|red|bar|barrier|shfl|call)\b", n) for n in names
        )


def statement(line: Line, name: str, operands: str | None = None, guard: str | None = None) -> str:
    operands = line.operands if operands is None else operands
    return f"\t{line.guard if guard is None else guard}{name} {operands};"


def synchronisation(line: Line) -> typing.Iterator[tuple[str, str, str]]:
    """Yields kind, change and new text for an instruction that itself orders threads."""
    name = line.name
    if re.match(r"^(bar|barrier)\.(sync|arrive|cta\.(sync|arrive))\b", name) or name.startswith("bar.warp.sync"):
        yield "barrier", f"{name} deleted", ""
    if name.startswith("barrier.cluster.arrive") and "relaxed" not in name:
        yield "order", f"{name} relaxed", statement(line, name.replace(".arrive", ".arrive.relaxed"))
    if name.startswith("mbarrier."):
        yield from objects(line)
    if re.match(r"^(membar|fence)\.", name) and "proxy" not in name and "mbarrier_init" not in name:
        yield "fence", f"{name} deleted", ""
        weaker = re.sub(r"\.(gl|gpu|sys|cluster)\b", ".cta", name)
        if weaker != name:
            yield "fence", f"{name} within the block only", statement(line, weaker)
    if re.match(r"^(ld|st|atom|red)\.", name):
        yield from memory(line)
    if re.match(r"^(shfl|vote|match|redux|bar\.warp)\b.*\.?sync", name):
        yield from masks(line)
    if re.match(r"^cp\.async\.(wait_group|bulk\.wait_group)", name):
        yield "wait", f"{name} deleted", ""
        yield "wait", f"{name} for one group less", statement(line, name, str(int(line.operands) + 1))
    elif name == "cp.async.wait_all":
        yield "wait", f"{name} deleted", ""


def objects(line: Line) -> typing.Iterator[tuple[str, str, str]]:
    """Yields kind, change and new text for an operation on an mbarrier."""
    name = line.name
    if re.match(r"^mbarrier\.(arrive|(test|try)_wait)", name) and "relaxed" not in name:
        relaxed = re.sub(r"\.(acquire|release)\b", ".relaxed", name)
        if relaxed == name:  # no order is written, so this has the default order
            relaxed = re.sub(r"\.(shared|b64)", r".relaxed.cta.\1", name, count=1)
        yield "order", f"{name} relaxed", statement(line, relaxed)
    if name.startswith("mbarrier.arrive.expect_tx"):
        state, address, _ = line.parts
        yield "wait", f"{name} without bytes", statement(line, name.replace(".expect_tx", ""), f"{state}, {address}")


def memory(line: Line) -> typing.Iterator[tuple[str, str, str]]:
    name = line.name
    relaxed = re.sub(r"\.(acquire|release|acq_rel)\b", ".relaxed", name)
    if relaxed != name:
        yield "order", f"{name} relaxed", statement(line, relaxed)
    weak = re.sub(r"\.(volatile|relaxed\.\w+)\b", "", name) if name.startswith(("ld", "st")) else name
    if weak != name:
        yield "order", f"{name} without order", statement(line, weak)
    if ".shared" in name:
        return
    narrow = re.sub(r"\.(gpu|sys|cluster)\b", ".cta", name)
    if narrow == name and name.startswith(("atom.global", "red.global")):
        narrow = name.replace(".global", ".relaxed.cta.global", 1)
    if narrow != name:
        yield "scope", f"{name} within the block only", statement(line, narrow)


def masks(line: Line) -> typing.Iterator[tuple[str, str, str]]:
    *front, last = line.parts
    if not re.match(r"^-?\d+$", last) or not (mask := int(last) & 0xFFFFFFFF):
        return
    lowest, highest = mask & -mask, 1 << (mask.bit_length() - 1)
    for which, less in (("lowest", mask & ~lowest), ("highest", mask & ~highest)):
        smaller = ", ".join([*front, str(less)])
        yield "mask", f"{line.name} without the {which} lane", statement(line, line.name, smaller)


def guards(body: Body, k: int) -> typing.Iterator[tuple[str, str, str, str]]:
    """Yields kind, change, new text, and a probe that shows whether the change can matter."""
    line = body.lines[k]
    if line.name in ("bra", "bra.uni") and line.guard:
        top = body.target(k)
        if 0 <= top <= k:
            if body.is_poll(k):
                yield "wait", "loop that waits left at once", "", statement(line, "trap", "", "")
        elif line.predicate in body.of_thread and body.reaches_memory(k, min(top, body.end) if top > 0 else body.end):
            yield "guard", "guard deleted", "", statement(line, "trap", "")
    elif line.guard and line.predicate in body.of_thread and REACHES.match(line.name):
        turned = line.guard.replace("@!", "@") if "!" in line.guard else line.guard.replace("@", "@!")
        yield "guard", "guard deleted", statement(line, line.name, guard=""), statement(line, "trap", "", turned)
    if found := re.match(r"^setp\.(lt|le|gt|ge)\.([us]\d+)$", line.name):
        to, a, b = line.parts
        if to not in body.of_thread or (truer := body.lets_more_in(to)) is None:
            return
        if not (looser := loosened(found[1], b, truer)):
            return
        changed = statement(line, f"setp.{looser[0]}.{found[2]}", f"{to}, {a}, {looser[1]}")
        probe = f"{{ .reg .pred %q;\nsetp.eq.{found[2]} %q,{a},{looser[2]};\n@%q trap;\n}}\n{line.text}"
        yield "guard", "guard lets one more in", changed, probe


def loosened(comparison: str, bound: str, truer: bool) -> tuple[str, str, str] | None:
    """Returns a comparison and bound that hold for one number more (`truer`) or one less, and that number."""
    if comparison in (("lt", "gt") if truer else ("le", "ge")):
        return WEAKER[comparison], bound, bound
    if not re.match(r"^-?\d+$", bound):
        return None
    more = {"lt": -1, "gt": 1, "le": 1, "ge": -1}[comparison]
    other = str(int(bound) + more)
    # An unsigned number cannot be below 0.
    return None if other == "-1" else (comparison, other, other)


def mutants_of(lines: list[Line]) -> list[Mutant]:
    made: list[Mutant] = []
    for kernel, begin, end in functions(lines):
        body = Body(lines, begin, end)
        for k in range(begin, end):
            line = lines[k]
            if not line.name:
                continue
            trap = statement(line, "trap", "")
            if line.name.startswith("barrier.cluster.arrive"):
                waits = (j for j in range(k, end) if lines[j].name.startswith("barrier.cluster.wait"))
                if (wait := next(waits, -1)) >= 0:
                    change = "barrier.cluster deleted"
                    made.append(Mutant(kernel, "barrier", change, k, "", trap, line.place, also=wait))
            changes = [(*change, trap) for change in synchronisation(line)] + list(guards(body, k))
            for kind, change, new, probe in changes:
                made.append(Mutant(kernel, kind, change, k, new, probe, line.place))
    return made


def demangled(names: typing.Iterable[str]) -> dict[str, str]:
    """Returns the bare names of kernels, such as `reduce_last_block`."""
    all_names = sorted(set(names) - {""})
    if not all_names:
        return {"": ""}
    out = subprocess.run(["c++filt"], input="\n".join(all_names), capture_output=True, text=True, check=True).stdout
    bare = {}
    for mangled, full in zip(all_names, out.splitlines(), strict=True):
        plain = re.sub(r"\(anonymous namespace\)::", "", full)
        bare[mangled] = re.split(r"[<(]", plain)[0].split()[-1].split("::")[-1]
    return {"": "", **bare}
