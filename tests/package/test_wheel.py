#!/usr/bin/env python3
"""Tests that the emulator's wheel runs programs after it is installed in a new virtual environment: test_wheel.py BUILD
TREE.

It is packed from the build under test, so nothing of the emulator is compiled here. The environment has only the wheel,
nvcc and the system's programs. Its path contains a blank.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD = pathlib.Path()
TREE = pathlib.Path()
SKIPPED = 77


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )


def nvcc():
    found = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert found, "no compiler in the cache"
    return pathlib.Path(found[1])


class Wheel(unittest.TestCase):
    folder: pathlib.Path
    wheel: pathlib.Path
    environment: pathlib.Path
    variables: dict[str, str]

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="with a blank ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made = run("sh", TREE / "common/package/make_wheel.sh", BUILD, BUILD, cls.folder / "wheel")
        assert made.returncode == 0, made.stdout
        cls.wheel = pathlib.Path(made.stdout.strip().splitlines()[-1])
        cls.environment = cls.folder / "fresh"
        for command in (
            (sys.executable, "-m", "venv", cls.environment),
            (cls.environment / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps", cls.wheel),
        ):
            done = run(*command)
            assert done.returncode == 0, done.stdout
        # The virtual environment must not see this test's own environment variables.
        cls.variables = {
            "PATH": os.pathsep.join([str(cls.environment / "bin"), str(nvcc().parent), "/usr/local/bin:/usr/bin:/bin"]),
            "HOME": str(cls.folder),
        }

    def test_its_name_has_the_versions_of_the_tree_and_of_cuda_and_the_system(self):
        cmake = (TREE / "CMakeLists.txt").read_text()
        (version,) = re.findall(r"project\(reduction_workbook VERSION ([0-9.]+)", cmake)
        name = rf"^reduction_workbook_emulator-{re.escape(version)}-\d+cuda-py3-none-linux_\w+\.whl$"
        self.assertRegex(self.wheel.name, name)
        with zipfile.ZipFile(self.wheel) as packed:
            names = packed.namelist()
        data = f"reduction_workbook_emulator-{version}.data/data/"
        for file in (
            "bin/emulate",
            "lib/reduction_workbook/emulate.json",
            "lib/cmake/reduction_workbook/reduction_workbook-config.cmake",
            "share/doc/reduction_workbook/LICENSE",
            "share/doc/reduction_workbook/third_party.txt",
        ):
            self.assertIn(data + file, names)

    def test_emulate_compiles_and_runs_the_examples_and_finds_what_is_wrong(self):
        for example, status, text in (
            ("docs/examples/vector_add/vector_add.cu", 0, "1 kernel, 1 launch, "),
            ("tests/emulator/emulate/programs/out_of_bounds.cu", 86, "out-of-bounds"),
        ):
            with self.subTest(example=example):
                ran = run("emulate", TREE / example, env=self.variables, cwd=self.folder)
                self.assertEqual(ran.returncode, status, ran.stdout)
                self.assertIn(text, ran.stdout)

    def test_it_brings_the_library_that_it_is_linked_with(self):
        linked = run("ldd", self.environment / "bin/emulate", env=self.variables).stdout
        fmt = [line for line in linked.splitlines() if "libfmt" in line]
        for line in fmt:
            self.assertIn(str(self.environment), os.path.realpath(line.split(" => ")[1].rsplit(" (", 1)[0]))

    def test_cmake_finds_the_package_in_the_environment(self):
        source = self.folder / "project"
        source.mkdir()
        program = TREE / "docs/examples/vector_add/vector_add.cu"
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\n"
            "set(CMAKE_CUDA_ARCHITECTURES 90)\n"
            "project(of_others LANGUAGES CXX CUDA)\n"
            "find_package(reduction_workbook REQUIRED COMPONENTS emulator)\n"
            f'add_executable(vector_add "{program}")\n'
            "enable_testing()\n"
            "reduction_workbook_add_emulated_test(NAME vector_add_is_clean COMMAND vector_add)\n"
        )
        build = self.folder / "build"
        for command in (
            ("cmake", "-S", source, "-B", build, f"-DCMAKE_CUDA_COMPILER={nvcc()}"),
            ("cmake", "--build", build, "--target", "vector_add_emulated"),
            ("ctest", "--test-dir", build, "-V", "--no-tests=error"),
        ):
            done = run(*command, env=self.variables)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    BUILD, TREE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if not (BUILD / "wheel_tools/scikit_build_core").is_dir():
        print(f"There is no scikit-build-core in {BUILD}/wheel_tools; `bootstrap.sh install wheel` installs it.")
        sys.exit(SKIPPED)
    if run(sys.executable, "-c", "import ensurepip, venv").returncode != 0:
        print("This Python makes no virtual environments: install python3-venv.")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
