"""Finds or installs the CUDA compiler."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import time
import typing

from bootstrap import wheels
from bootstrap.folder import HERE, BuildFolder, Failure, complain, say
from bootstrap.machine import OLDER_COMPILERS, Compiler, Libraries, at_least, compiler_called, is_executable, output_of

OLDEST = "12.4"
OPTIONS = ["-std=c++20", "-gencode", "arch=compute_90,code=[compute_90,sm_90]", "--no-compress", "-lineinfo"]
SIZES = {"13.0": "105 MB to download, 280 MB", "13.5": "130 MB to download, 330 MB"}


def nvcc_version(nvcc: pathlib.Path) -> str:
    """Returns the version, such as 13.0; empty if it does not run."""
    found = re.search(r"release ([0-9.]*)", output_of(nvcc, "--version"))
    return found[1] if found else ""


def driver_cuda() -> str:
    """Returns the newest CUDA that the driver of this machine's GPU supports, such as 12.4; empty if there is no
    driver."""
    if not shutil.which("nvidia-smi"):
        return ""
    found = re.search(r"CUDA Version: *([0-9.]+)", output_of("nvidia-smi"))
    return found[1] if found else ""


def major(version: str) -> int:
    return int(version.partition(".")[0] or 0)


def declares_rsqrt(compiler: Compiler) -> bool:
    """Returns true if the C library declares C23's rsqrt (glibc 2.42 or newer)."""
    done = subprocess.run(
        [compiler.path, "-D_GNU_SOURCE", "-E", "-x", "c++", "-"],
        input="#include <math.h>\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
    )  # fmt: skip
    return re.search(r"[^a-z]rsqrt[^a-z]", done.stdout) is not None


def wheel_versions(compiler: Compiler) -> list[str]:
    """Returns the versions of the wheels that can work here, best first. The outputs in this repository were recorded
    with 13.0, which works with g++ up to 15, but not with a C library that declares rsqrt."""
    return ["13.0", "13.5"] if compiler.major <= 15 and not declares_rsqrt(compiler) else ["13.5"]


class Toolkits:
    """The CUDA Toolkits of this machine, and the one that is used."""

    def __init__(self, folder: BuildFolder, libraries: Libraries) -> None:
        self.folder = folder
        self.libraries = libraries
        self.nvcc: pathlib.Path | None = None
        # Another C++ compiler than the usual one, if only an older one works with a toolkit that fits the driver.
        self.compiler: Compiler | None = None
        self.rejected: list[str] = []

    @property
    def _own(self) -> pathlib.Path | None:
        """The folder in CUDA_HOME, or None."""
        own = os.environ.get("CUDA_HOME")
        return pathlib.Path(own) if own and not os.environ.get("WORKBOOK_IGNORE_SYSTEM_CUDA") else None

    @property
    def _installed(self) -> pathlib.Path:
        return self.folder.path / "cuda"

    def _candidates(self) -> typing.Iterator[pathlib.Path]:
        """Yields where an nvcc may be, best first."""
        if not os.environ.get("WORKBOOK_IGNORE_SYSTEM_CUDA"):
            if self._own:
                yield self._own / "bin/nvcc"
            if found := shutil.which("nvcc"):
                yield pathlib.Path(found)
            for prefix in map(pathlib.Path, self.libraries.system_prefixes):
                yield prefix / "cuda/bin/nvcc"
                versions = sorted(prefix.glob("cuda-*"), key=lambda path: list(map(int, re.findall(r"\d+", path.name))))
                yield from (path / "bin/nvcc" for path in reversed(versions))
        yield self._installed / "bin/nvcc"

    def _reject(self, nvcc: pathlib.Path, version: str, reason: str) -> bool:
        self.rejected.append(f"  {nvcc} (CUDA {version}): {reason}")
        return False

    def _works(self, nvcc: pathlib.Path, compiler: Compiler) -> bool:
        """Returns true if nvcc is new enough and compiles and links C++20 with this C++ compiler. Otherwise records why
        not."""
        if not is_executable(nvcc):
            return False
        version = nvcc_version(nvcc)
        if not at_least(version, OLDEST):
            reason = f"too old; the workbook needs {OLDEST} or newer"
            return self._reject(nvcc, version or "of an unknown version", reason)
        probe = self.folder.state / "probe"
        command = [str(nvcc), "-ccbin", compiler.path, *OPTIONS, "-o", str(probe), str(HERE / "probe.cu")]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        probe.unlink(missing_ok=True)
        if done.returncode == 0:
            return True
        with self.folder.log.open("a", encoding="utf-8") as log:
            log.write(done.stdout)
        return self._reject(nvcc, version, self._why_it_fails(done.stdout, compiler))

    def _why_it_fails(self, output: str, compiler: Compiler) -> str:
        if limit := re.search(r"gcc versions later than (\d+) are not supported", output):
            return f"works with g++ up to {limit[1]}; {compiler.path} is {compiler.name}"
        if re.search(r"exception specification is incompatible|[^a-z]rsqrtf?[^a-z]", output):
            return "does not compile with this system's C library (glibc 2.42 and newer need CUDA 13.2)"
        if "CUB is missing" in output:
            return "CUB is not installed with it; install the whole CUDA Toolkit"
        return f"does not compile a small program with {compiler.path}; the errors are in {self.folder.shown_log}"

    def find(self, compiler: Compiler | None) -> None:
        """Sets `nvcc` to the first candidate that works. If the driver is too old for CUDA 13, a toolkit that fits the
        driver is preferred, even if it needs an older g++ than the usual one."""
        # Without a C++ compiler no candidate can be tried. It is installed first, and then all are tried again.
        if self.nvcc or not compiler:
            return
        self.rejected = []
        if self._own and self._take_own(self._own, compiler):
            return
        candidates = list(self._candidates())
        driver = driver_cuda()
        if driver and major(driver) < 13 and self._take_for_driver(candidates, driver, compiler):
            return
        self.nvcc = next((nvcc for nvcc in candidates if self._works(nvcc, compiler)), None)

    def _take_own(self, own: pathlib.Path, compiler: Compiler) -> bool:
        """Takes the user's choice, even if another toolkit fits the driver."""
        nvcc = own / "bin/nvcc"
        if not is_executable(nvcc):
            self.rejected.append(f"  {own} (CUDA_HOME): there is no bin/nvcc in it")
            return False
        if self._works(nvcc, compiler):
            self.nvcc = nvcc
        return self.nvcc is not None

    def _take_for_driver(self, candidates: list[pathlib.Path], driver: str, usual: Compiler) -> bool:
        """Takes a toolkit whose programs run with this driver: one of the driver's major version, or an older one."""
        others = os.environ.get("CXX", "").split() or OLDER_COMPILERS
        for nvcc in candidates:
            version = nvcc_version(nvcc) if is_executable(nvcc) else ""
            if not version or major(version) > major(driver):
                continue
            for compiler in (usual, *filter(None, map(compiler_called, others))):
                if self._works(nvcc, compiler):
                    self.nvcc, self.compiler = nvcc, compiler
                    return True
        return False

    def provide(self, compiler: Compiler) -> pathlib.Path:
        """Installs a toolkit if none works. Returns the path of nvcc. Raises Failure."""
        self.find(compiler)
        if not self.nvcc:
            self._install_one(compiler)
        if self._own and self.nvcc != self._own / "bin/nvcc":
            complain(f"CUDA_HOME is ignored, and {self.nvcc} is used instead:")
            complain("\n".join(line for line in self._reasons() if line.startswith(f"  {self._own}")))
        assert self.nvcc
        return self.nvcc

    def _reasons(self) -> list[str]:
        return sorted(set(self.rejected))

    def _install_one(self, compiler: Compiler) -> None:
        """Installs the first version of the wheels that works here. Raises Failure."""
        name = self.folder.name
        if os.environ.get("WORKBOOK_NO_INSTALL"):
            first = f"The workbook needs a CUDA compiler, nvcc {OLDEST} or newer (WORKBOOK_NO_INSTALL is set)."
            last = f"Set CUDA_HOME to a CUDA Toolkit, or let make install one into {name}/cuda."
            raise Failure("\n".join([first, *self._reasons(), last]))
        say(f"No CUDA compiler that works with {compiler.path} ({compiler.name}) is here.")
        for line in self._reasons():
            say(line)
        self._say_what_the_driver_needs()
        # A version that was installed before and did not work is not downloaded again, unless build/cuda was removed by
        # hand.
        failed = self.folder.state / "cuda_that_failed"
        if not self._installed.exists():
            failed.unlink(missing_ok=True)
        before = failed.read_text(encoding="utf-8").splitlines() if failed.exists() else []
        for version in wheel_versions(compiler):
            tried = f"{version} for g++ {compiler.version}"
            if tried in before:
                continue
            if self._install(version, compiler):
                return
            before.append(tried)
            failed.write_text("".join(f"{line}\n" for line in before), encoding="utf-8")
        advice = f"Set CUDA_HOME to a CUDA Toolkit that works with {compiler.path}, or CXX to a g++ from 11 to 16, "
        raise Failure("\n".join(["No CUDA compiler works here:", *self._reasons(), f"{advice}and run make again."]))

    def _install(self, version: str, compiler: Compiler) -> bool:
        """Installs the wheels of this version into build/cuda. Returns true if they work. Raises Failure if they cannot
        be downloaded."""
        start = time.monotonic()
        say(f"Installing CUDA {version} into {self.folder.name}/cuda\n  ({SIZES[version]} on the disk; no root needed)")
        try:
            wheels.install(self.folder, f"cuda_wheels_{version}.txt", self._installed, "nvidia/cu13")
        except Failure as failure:
            advice = f"Set CUDA_HOME to a CUDA Toolkit from {OLDEST} on, or fix the above; then run make again."
            raise Failure(f"{failure}\n{advice}".lstrip()) from failure
        # The wheels lack some names that nvcc, CMake and the dynamic loader look for.
        (self._installed / "lib64").symlink_to("lib")
        (self._installed / "lib/libcudart.so").symlink_to("libcudart.so.13")
        nvcc = self._installed / "bin/nvcc"
        if not self._works(nvcc, compiler):
            return False
        self.nvcc = nvcc
        # If these wheels replace others, CMake would find them under the same path and not check them again.
        self.folder.forget_configuration()
        say(f"  done in {time.monotonic() - start:.0f} s")
        return True

    @staticmethod
    def _say_what_the_driver_needs() -> None:
        """If the driver is older than CUDA 13, prints what the GPU needs before CUDA 13 is downloaded, because only an
        older g++ may be missing."""
        driver = driver_cuda()
        if driver.startswith("12."):
            say(
                f"The GPU's driver supports CUDA up to {driver}, so CUDA 13 runs on the emulator only. To use the GPU, "
                "update\nthe driver to 580 or newer, or install a CUDA Toolkit from 12.4 to 12.9 and a g++ that works "
                "with it."
            )
