"""From a submitted file to a library for its host code and a fat binary with its device code. What was made once, from
the same bytes, is taken from the cache."""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from book.grade import children, library
from book.grade.chapters import Chapter

SECONDS = 90
MARKER = re.compile(rb'^# \d+ "((?:[^"\\]|\\.)*)"', re.M)
# What nvcc says where one of its parts ran into a limit.
STOPPED = re.compile(r"died due to signal|^Killed$|CPU time limit exceeded|out of memory|memory exhausted", re.M)
VERSION = 2  # of what stands in the cache


class Compiled:
    """What came of compiling: both files, or why there are none."""

    def __init__(self, folder: pathlib.Path, state: str, words: str = "", seconds: float = 0.0) -> None:
        self.folder, self.state, self.words, self.seconds = folder, state, words, seconds
        self.library, self.device_code = folder / "exercise.so", folder / "exercise.fatbin"

    @property
    def good(self) -> bool:
        return self.state == "compiled"


class Compiler:
    """nvcc, with the chapters' own flags."""

    def __init__(
        self, root: pathlib.Path, build: pathlib.Path, view: children.Bubblewrap, seconds: int = SECONDS
    ) -> None:
        self.root, self.view = root, view
        # A busy machine takes longer by the clock.
        self.limits = children.Limits(seconds, address_space=6 << 30, file_bytes=256 << 20, by_clock=4 * seconds)
        facts = json.loads((build / "grade/compiler.json").read_text(encoding="utf-8"))
        self.nvcc, self.host = facts["nvcc"], facts["host_compiler"]
        self.cache = build / "grade/cache"
        self.scratch = build / "grade/scratch"
        for folder in (self.cache, self.scratch):
            folder.mkdir(parents=True, exist_ok=True)
        self.environment = hashlib.sha256(self._everything_around()).hexdigest()
        self.system = self._system_folders()

    def _everything_around(self) -> bytes:
        """Returns what besides the file decides the outcome: the compiler, its flags, and the headers."""
        version = subprocess.run([self.nvcc, "--version"], capture_output=True, check=False).stdout
        parts = [str(VERSION).encode(), version, " ".join(self._flags(pathlib.Path())).encode()]
        for form in ("**/*.hpp", "**/*.cuh"):
            parts += [path.read_bytes() for path in sorted((self.root / "common").glob(form))]
        return b"\0".join(parts)

    def _flags(self, folder: pathlib.Path) -> list[str]:
        return [
            self.nvcc,
            "-ccbin",
            self.host,
            "-std=c++20",
            "-gencode",
            "arch=compute_90,code=[compute_90,sm_90]",
            "--no-compress",
            "-lineinfo",
            "--expt-relaxed-constexpr",
            "-DNDEBUG",
            "-I",
            str(self.root / "common"),
            "-I",
            str(self.root / "chapters"),
            "-Xcompiler=-fPIC,-O1",
            "--keep",
            "--keep-dir",
            str(folder),
            "-shared",
            "-cudart",
            "none",
        ]

    def _system_folders(self) -> set[pathlib.Path]:
        """Returns where the compilers' own headers stand."""
        said = subprocess.run(
            [self.host, "-x", "c++", "-E", "-v", "/dev/null"], capture_output=True, text=True, check=False
        ).stderr
        listed = said.partition("search starts here:")[2].partition("End of search list")[0]
        listed = listed.replace("#include <...> search starts here:", "")
        toolkit = subprocess.run(
            [self.nvcc, "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null"],
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        found = listed.split() + re.findall(r'"?-I"?([^" ]+)"?', toolkit)
        return {pathlib.Path(one).resolve() for one in found if pathlib.Path(one).is_dir()} - {pathlib.Path("/")}

    def compile(self, chapter: Chapter, data: bytes) -> Compiled:
        """Compiles a submitted file for a chapter, in limits of its own."""
        around = [path.read_bytes() for path in [chapter.unit, *chapter.headers]]
        around.append(" ".join(chapter.nvcc_options).encode())
        key = hashlib.sha256(b"\0".join([self.environment.encode(), *around, data])).hexdigest()
        kept = self.cache / key
        if (kept / "outcome.json").exists():
            known = json.loads((kept / "outcome.json").read_text(encoding="utf-8"))
            return Compiled(kept, known["state"], known["words"])
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            made = self._compile_in(pathlib.Path(place), chapter, data)
            if made.good or made.state in ("does not compile", "refused"):
                self._keep(made, kept)
                made = Compiled(kept, made.state, made.words, made.seconds)
            return made

    def _keep(self, made: Compiled, kept: pathlib.Path) -> None:
        part = kept.with_suffix(f".{id(made)}.part")
        part.mkdir()
        for path in (made.library, made.device_code):
            if made.good:
                shutil.copyfile(path, part / path.name)
        (part / "outcome.json").write_text(json.dumps({"state": made.state, "words": made.words}), encoding="utf-8")
        try:
            part.rename(kept)
        except OSError:  # another thread was faster
            shutil.rmtree(part)

    def _compile_in(self, place: pathlib.Path, chapter: Chapter, data: bytes) -> Compiled:
        exercise, unit, keep = place / chapter.exercise, place / "unit.cu", place / "keep"
        exercise.parent.mkdir(parents=True)
        exercise.write_bytes(data)
        shutil.copyfile(chapter.unit, unit)
        keep.mkdir()
        out = place / "exercise.so"
        # From inside the folder: source lines are then named as in the repository.
        flags = [*self._flags(keep), *chapter.nvcc_options]
        command = ["env", f"TMPDIR={keep}", *flags, "-I", ".", "-o", str(out), "unit.cu"]
        status, seconds = children.run(self.view.around(command, [place]), self.limits, place / "log", cwd=place)
        if status != 0:
            stopped = status is None or STOPPED.search(children.text_of(place / "log")) is not None
            # Limits are no property of the file, so this outcome is not kept.
            state = "compiler out of limits" if stopped else "does not compile"
            return Compiled(place, state, self._words(place, stopped), seconds)
        foreign = self._foreign_file(place, chapter)
        if foreign:
            return Compiled(place, "refused", f"it includes {foreign}, which is not its own", seconds)
        try:
            library.withhold_constructors(out)
            (keep / "unit.fatbin").rename(place / "exercise.fatbin")
        except (library.Refused, OSError) as error:
            return Compiled(place, "refused", str(error), seconds)
        return Compiled(place, "compiled", "", seconds)

    def _words(self, place: pathlib.Path, stopped: bool) -> str:
        if stopped:
            return (
                f"the compiler was stopped: it has {self.limits.seconds} s and "
                f"{self.limits.address_space >> 30} GiB for a file"
            )
        lines = children.text_of(place / "log").split("\n")
        telling = [line for line in lines if "error" in line.lower()] or [line for line in lines if line.strip()]
        return (telling[0] if telling else "the compiler failed without a word")[:300]

    def _foreign_file(self, place: pathlib.Path, chapter: Chapter) -> str | None:
        """Names a file that was read for the host's or the device's half and is none of the workbook's, the
        compilers' or the submission's own. The preprocessor marks each."""
        here = {(place / chapter.exercise).resolve(), (place / "unit.cu").resolve()}
        seen: set[bytes] = set()
        for text in (place / "keep").glob("*.ii"):
            seen.update(MARKER.findall(text.read_bytes()))
        for name in sorted(seen):
            path = pathlib.Path(name.decode("utf-8", "surrogateescape").replace("\\\\", "\\"))
            if str(path).startswith("<") or path.name == "" or str(path).endswith("//"):
                continue
            full = (place / path).resolve()
            if full in here or full in chapter.headers or not full.exists() or full.is_dir():
                continue
            if not any(full.is_relative_to(folder) for folder in (self.root / "common", *self.system)):
                return str(path)[:120]
        return None
