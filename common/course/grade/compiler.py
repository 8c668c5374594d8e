"""Compiles a submitted file into a library with its host code and a fat binary with its device code. If the same bytes
have been compiled before, both are taken from the cache."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import tempfile
import typing

from book import processes
from course.grade import assembly, children, library
from course.grade.chapters import Chapter
from course.grade.words import visible

SECONDS = 90
MARKER = re.compile(rb'^# \d+ "((?:[^"\\]|\\.)*)"', re.M)
# Messages that nvcc prints if one of its programs has reached a limit.
STOPPED = re.compile(
    r"died due to signal|signal terminated program|^Killed$|CPU time limit exceeded|out of memory|memory exhausted",
    re.M,
)
# Messages of compilers about the file itself. Only these show that the file is at fault. The system may be at fault for
# any other failure.
DIAGNOSED = re.compile(
    r"\(\d+\): (?:catastrophic |fatal )?error|:\d+(?::\d+)?: (?:fatal )?error|^ptxas .*(?:error|fatal)|"
    r"\.s:\d+: (?:Fatal e|E)rror|^[^ ]+:\d+: Error: |^cc1plus: (?:fatal )?error|"
    r"undefined reference|multiple definition|: relocation .* against ",
    re.M,
)
SYSTEM = re.compile(
    r"No space left on device|Disk quota exceeded|Cannot allocate memory|Input/output error|cannot open "
    r"output file|Read-only file system|Resource temporarily unavailable"
)
# A compiler quotes the file after a line number and in the indented lines below it. A file can contain a text such as
# `#error No space left on device`, so these lines don't count. But a compiler that runs out of memory reports this
# itself, at the line that it has reached.
OF_A_LINE = re.compile(
    r"^(?![^\n]*: catastrophic error: out of memory$)(?:[^\n]*(?:\(\d+\)|:\d+(?::\d+)?): |[ \t])[^\n]*$", re.M
)
MAX_SAID = 4 << 20  # bytes of the compilers' output that are read
# libstdc++'s own guard around the mathematical special functions (std::beta and the like), which CUDA's headers
# include with <cmath>. Without these functions and what they need, a kernel file compiles in two thirds of the time. A
# file that contains a word of all_headers.txt could compile with and without them but mean different things, so it is
# compiled with them.
WITHOUT_SPECIAL_FUNCTIONS = "-D_GLIBCXX_BITS_SPECFUN_H"
# The chapters' own flags, except for the programs and folders of this machine.
FLAGS = """
-std=c++20 -gencode arch=compute_90,code=[compute_90,sm_90] --no-compress -lineinfo --expt-relaxed-constexpr -DNDEBUG
-Xcompiler=-fPIC,-O0,-save-temps=obj --keep -shared -cudart none
"""
# With these registers, a kernel could detect the emulator and behave differently there than on a GPU.
CLOCK = re.compile(rb"%(?:clock|globaltimer)")


@contextlib.contextmanager
def scratch_in(folder: pathlib.Path) -> typing.Iterator[pathlib.Path]:
    """Provides a folder for temporary files, and removes it afterwards. Also removes the folders of killed graders."""
    folder.mkdir(parents=True, exist_ok=True)
    for lock in folder.glob("*.lock"):
        with lock.open("w", encoding="utf-8") as held, contextlib.suppress(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # succeeds if its grader has ended
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(suffix=".lock", dir=folder)
    lock = pathlib.Path(name)
    place = lock.with_suffix("")
    with os.fdopen(handle, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            place.mkdir()
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)
            lock.unlink(missing_ok=True)


class Compiled:
    """The result of compiling: the paths of both files, or the reason why they don't exist."""

    def __init__(self, folder: pathlib.Path, state: str, words: str = "", seconds: float = 0.0) -> None:
        self.folder, self.state, self.words, self.seconds = folder, state, words, seconds
        self.library, self.device_code = folder / "exercise.so", folder / "exercise.fatbin"

    @property
    def good(self) -> bool:
        return self.state == "compiled"


class Compiler:
    """nvcc, with the chapters' own flags."""

    def __init__(
        self,
        root: pathlib.Path,
        build: pathlib.Path,
        scratch: pathlib.Path,
        wants_view: bool = True,
        seconds: int = SECONDS,
    ) -> None:
        self.root, self.scratch = root, scratch
        # On a busy machine a compiler takes longer by the clock, so this limit is larger.
        self.limits = children.Limits(seconds, address_space=6 << 30, file_bytes=256 << 20, by_clock=4 * seconds)
        facts = json.loads((build / "grade/compiler.json").read_text(encoding="utf-8"))
        self.nvcc, self.host, self.linker = facts["nvcc"], facts["host_compiler"], facts["linker"]
        self.view = self._view(wants_view)
        self.cache = build / "grade/cache"
        self.cache.mkdir(parents=True, exist_ok=True)
        self.needs_all_headers = (self.root / "common/cmake/all_headers.txt").read_bytes().splitlines()
        self.environment = hashlib.sha256(self._everything_around()).hexdigest()
        self.system = self._system_folders()
        self.trusted: set[bytes] = set()  # absolute paths of files in these folders, and of the workbook's headers

    def _view(self, wanted: bool) -> children.Bubblewrap:
        """Returns the view in which the compilers see their own files and the workbook's headers."""
        tools = [pathlib.Path(shutil.which(one) or one) for one in (self.nvcc, self.host)]
        # If a tool is not in one of the system's folders, its whole installation is needed.
        around = [tool.resolve().parents[1] for tool in tools if not tool.resolve().is_relative_to("/usr")]
        try_out = [[self.nvcc, "--version"], [self.host, "-fsyntax-only", "-x", "c++", "/dev/null"]]
        return children.Bubblewrap([*around, self.root / "common", self.root / "chapters"], try_out, wanted)

    def _everything_around(self) -> bytes:
        """Returns everything that the outcome depends on, other than the file: the compiler's version, its flags, and
        the contents of the headers."""
        version = processes.run_captured([self.nvcc, "--version"]).stdout
        parts = [version.encode(), " ".join(self._flags(pathlib.Path())).encode()]
        # The checks of the outcome are included, so that a corrected check is also applied to files that passed before.
        here = pathlib.Path(__file__)
        parts += [here.with_name(name).read_bytes() for name in ("assembly.py", "library.py", here.name)]
        parts += self.needs_all_headers
        for form in ("**/*.hpp", "**/*.cuh"):
            parts += [path.read_bytes() for path in sorted((self.root / "common").glob(form))]
        return b"\0".join(parts)

    def _flags(self, folder: pathlib.Path) -> list[str]:
        headers = ["-I", str(self.root / "common"), "-I", str(self.root / "chapters")]
        linker = ["-Xcompiler", f"-fuse-ld={self.linker}"] if self.linker else []
        return [self.nvcc, "-ccbin", self.host, *FLAGS.split(), *headers, "--keep-dir", str(folder), *linker]

    def _system_folders(self) -> set[pathlib.Path]:
        """Returns the folders that contain the compilers' own headers."""
        said = processes.run_captured([self.host, "-x", "c++", "-E", "-v", "/dev/null"]).stderr
        listed = said.partition("search starts here:")[2].partition("End of search list")[0]
        listed = listed.replace("#include <...> search starts here:", "")
        toolkit = processes.run_captured(
            [self.nvcc, "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null"]
        ).stderr
        found = listed.split() + re.findall(r'"?-I"?([^" ]+)"?', toolkit)
        return {pathlib.Path(one).resolve() for one in found if pathlib.Path(one).is_dir()} - {pathlib.Path("/")}

    def compile(self, chapter: Chapter, data: bytes) -> Compiled:
        """Compiles a submitted file for a chapter, with limits on time and memory. Raises OSError if the system is out
        of a resource, such as disk space."""
        kept = self._place_of(chapter, data)
        if known := self._known(kept):
            return known
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            made = self._compile_in(pathlib.Path(place), chapter, data)
            if made.good or made.state in ("does not compile", "refused"):
                self._keep(made, kept)
                made = Compiled(kept, made.state, made.words, made.seconds)
            return made

    def knows(self, chapter: Chapter, data: bytes) -> bool:
        """Returns true if the outcome is cached, so that `compile` would not compile anything."""
        return self._known(self._place_of(chapter, data)) is not None

    def _place_of(self, chapter: Chapter, data: bytes) -> pathlib.Path:
        around = [path.read_bytes() for path in [chapter.unit, *chapter.headers]]
        around.append(" ".join(chapter.nvcc_options).encode())
        return self.cache / hashlib.sha256(b"\0".join([self.environment.encode(), *around, data])).hexdigest()

    @staticmethod
    def _known(kept: pathlib.Path) -> Compiled | None:
        try:
            known = json.loads((kept / "outcome.json").read_text(encoding="utf-8"))
            return Compiled(kept, known["state"], known["words"])
        except (OSError, ValueError, KeyError):  # the file is missing, or was cut off by a full disk
            return None

    def _keep(self, made: Compiled, kept: pathlib.Path) -> None:
        part = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        try:
            for path in (made.library, made.device_code):
                if made.good:
                    shutil.copyfile(path, part / path.name)
            (part / "outcome.json").write_text(json.dumps({"state": made.state, "words": made.words}), encoding="utf-8")
            if kept.exists() and self._known(kept) is None:  # the remains of an incomplete entry
                shutil.rmtree(kept)
            try:
                part.rename(kept)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):  # else another thread or grader was faster
                    raise
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _compile_in(self, place: pathlib.Path, chapter: Chapter, data: bytes) -> Compiled:
        exercise, unit, keep = place / chapter.exercise, place / "unit.cu", place / "keep"
        exercise.parent.mkdir(parents=True)
        exercise.write_bytes(data)
        shutil.copyfile(chapter.unit, unit)
        out = place / "exercise.so"
        # The functions are left out at first. A file that needs them does not compile, so it is compiled again with
        # them in the remaining time.
        seconds = 0.0
        as_it_is = any(word in data for word in self.needs_all_headers)
        for left_out in ([],) if as_it_is else ([WITHOUT_SPECIAL_FUNCTIONS], []):
            keep.mkdir()
            # Compiled from inside the folder, so that the files have the same names as in the repository.
            flags = [*self._flags(keep), *left_out, *chapter.nvcc_options]
            command = ["env", f"TMPDIR={keep}", *flags, "-I", ".", "-o", str(out), "unit.cu"]
            limits = dataclasses.replace(self.limits, by_clock=max(1, self.limits.by_clock - int(seconds)))
            status, took = children.run(self.view.wrap(command, [place]), limits, place / "log", cwd=place)
            seconds += took
            said = "" if status == 0 else children.text_of(place / "log", MAX_SAID)
            beside = OF_A_LINE.sub("", said)
            stopped = status is None or STOPPED.search(beside) is not None
            if status == 0 or stopped or not left_out:
                break
            shutil.rmtree(keep)
        if status != 0:
            # If a compiler prints this much, the reason isn't a full disk.
            flooded = (place / "log").stat().st_size > MAX_SAID
            # Limits and a full disk are not properties of the file, so these outcomes are not cached.
            of_system = SYSTEM.search(beside)
            if not stopped and (of_system or not (flooded or DIAGNOSED.search(said))):
                raise OSError(of_system[0] if of_system else self._words(place, False))
            state = "compiler out of limits" if stopped else "does not compile"
            return Compiled(place, state, self._words(place, stopped), seconds)
        if foreign := self._foreign_file(place, chapter):
            return Compiled(place, "refused", f"it includes {foreign}, which is not its own", seconds)
        if line := assembly.refuse_foreign(keep):
            words = f"its host code holds assembly that no compiler writes: {visible(line)[:120]}"
            return Compiled(place, "refused", words, seconds)
        if any(CLOCK.search(ptx.read_bytes()) for ptx in keep.glob("*.ptx")):
            words = (
                "a kernel asks for the time: what it does must not depend on where it runs. The waiting functions of "
                "libcu++, such as cuda::barrier::wait, read it, too: use __syncthreads() or cooperative groups"
            )
            return Compiled(place, "refused", words, seconds)
        try:
            library.withhold_constructors(out)
            (keep / "unit.fatbin").rename(place / "exercise.fatbin")
        except library.Refused as error:
            return Compiled(place, "refused", str(error), seconds)
        return Compiled(place, "compiled", "", seconds)

    def _words(self, place: pathlib.Path, stopped: bool) -> str:
        if stopped:
            return (
                f"the compiler was stopped: it has {self.limits.seconds} s and "
                f"{self.limits.address_space >> 30} GiB for a file"
            )
        lines = children.text_of(place / "log", MAX_SAID).split("\n")
        telling = [line for line in lines if "error" in line.lower()] or [line for line in lines if line.strip()]
        # A message about another file may quote that file, and it may be another student's.
        own = [line for line in telling if line.lstrip("./").startswith(("chapters/", "unit.cu", "ptxas", "nvlink"))]
        if own:
            return own[0][:300]
        undefined = [line for line in telling if "undefined reference" in line or "multiple definition" in line]
        if undefined:
            return undefined[0].partition(": ")[2][-300:]
        return (
            ("it does not compile because of something outside of its own lines")
            if telling
            else "the compiler said nothing"
        )

    def _foreign_file(self, place: pathlib.Path, chapter: Chapter) -> str | None:
        """Returns the name of a file that was read for the host code or the device code and that doesn't belong to the
        workbook, the compilers or the submission. Returns None if there is no such file. The preprocessor marks each
        file that it reads."""
        here = {(place / chapter.exercise).resolve(), (place / "unit.cu").resolve()}
        seen: set[bytes] = set()
        for text in (place / "keep").glob("*.cpp[0-9].ii"):
            seen.update(MARKER.findall(text.read_bytes()))
        for name in sorted(seen - self.trusted):
            named = name.decode("utf-8", "surrogateescape").replace("\\\\", "\\")
            path = pathlib.Path(named)
            if named.startswith("<") or path.name == "" or named.endswith("//"):
                continue
            shown = visible(named)[:120]
            # For a path in these folders, or a relative path with "..", this process may find a different file.
            if named.startswith(("/proc", "/dev", "/sys", "/run")) or (not path.is_absolute() and ".." in path.parts):
                return shown
            try:
                full = (place / path).resolve()
                if any(full.is_relative_to(folder) for folder in (self.root / "common", *self.system)):
                    if path.is_absolute() and full.is_file():
                        self.trusted.add(name)
                    continue
                if full in here or full in chapter.headers or not full.exists() or full.is_dir():
                    continue
            except (OSError, ValueError):
                pass  # the name is impossible, so the line only looks like a mark
            return shown
        return None
