#!/usr/bin/env python3
"""Tests that the files left by `cmake --install` are found, compile and run outside the tree: test_package.py BUILD
TREE.

All folders have a blank in their names. Needs the build's CUDA compiler and CMake.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE = "cmake"
BUILD = pathlib.Path()
TREE = pathlib.Path()


def cached(name):
    """Returns an entry of the build's cache, or an empty string if there is none."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found[1] if found else ""


def run(*command):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="with a blank ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = self.folder / "my libraries"

    def install(self, *components):
        for component in components:
            done = run(CMAKE, "--install", BUILD, "--prefix", self.prefix, "--component", component)
            self.assertEqual(done.returncode, 0, done.stdout)

    def configure(self, source, *options):
        compilers = [
            f"-DCMAKE_{one}_COMPILER={cached(f'CMAKE_{one}_COMPILER')}"
            for one in ("CXX", "CUDA")
            if cached(f"CMAKE_{one}_COMPILER")
        ]
        # A project without the CUDA language must find it, too.
        compilers.append(f"-DCUDAToolkit_ROOT={pathlib.Path(cached('CMAKE_CUDA_COMPILER')).parents[1]}")
        return run(
            CMAKE, "-S", source, "-B", self.folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *compilers, *options
        )

    def project(self, text):
        """Makes a project without CUDA, which is configured in a moment. Returns its folder."""
        source = self.folder / "project"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(of_others LANGUAGES CXX)\n" + text
        )
        return source

    def test_the_example_is_built_outside_the_tree_from_a_prefix_that_was_moved(self):
        self.install("device", "emulator")
        self.prefix = self.prefix.rename(self.folder / "moved elsewhere")
        source = self.folder / "sum rows"
        shutil.copytree(TREE / "docs/examples/sum_rows", source)
        configured = self.configure(source)
        self.assertEqual(configured.returncode, 0, configured.stdout)
        built = run(CMAKE, "--build", self.folder / "build")
        self.assertEqual(built.returncode, 0, built.stdout)
        ended = run(self.folder / "build" / "sum_rows")
        # If there is no GPU, the program reports it.
        self.assertIn((ended.returncode, ended.stdout), [(0, "1000 2000 3000\n"), (77, "no GPU\n")])
        emulated = run("ctest", "--test-dir", self.folder / "build", "-V", "-R", "sum_rows_without_a_gpu")
        self.assertEqual(emulated.returncode, 0, emulated.stdout)
        self.assertIn("1000 2000 3000", emulated.stdout)
        self.assertIn(" checks: no findings", emulated.stdout)
        # The test fails if the program writes beyond an array.
        program = source / "sum_rows.cu"
        right = program.read_text()
        program.write_text(right.replace("out(rows * sizeof(double))", "out(sizeof(double))"))
        self.assertNotEqual(program.read_text(), right)
        built = run(CMAKE, "--build", self.folder / "build", "--target", "sum_rows_emulated")
        self.assertEqual(built.returncode, 0, built.stdout)
        faulty = run("ctest", "--test-dir", self.folder / "build", "-V", "-R", "sum_rows_without_a_gpu")
        self.assertNotEqual(faulty.returncode, 0)
        self.assertIn("out-of-bounds write", faulty.stdout)

    def test_the_program_emulate_compiles_and_runs_where_it_was_moved_to(self):
        self.install("emulator")
        self.prefix = self.prefix.rename(self.folder / "moved elsewhere")
        emulate = self.prefix / "bin" / "emulate"
        faulty = TREE / "tests/emulator/emulate/programs/out_of_bounds.cu"
        ended = run(emulate, "--nvcc", cached("CMAKE_CUDA_COMPILER"), "--profile", faulty)
        self.assertEqual(ended.returncode, 86, ended.stdout)
        self.assertIn("out-of-bounds", ended.stdout)
        # A program that isn't linked with the emulator is refused.
        refused = run(emulate, sys.executable)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is not linked with the emulator", refused.stdout)
        (self.prefix / "lib/reduction_workbook/emulate.json").unlink()
        lost = run(emulate, faulty)
        self.assertEqual(lost.returncode, 2)
        self.assertIn("install the component `emulator` again", lost.stdout)

    def test_nothing_that_is_installed_knows_where_it_was_built(self):
        self.install("device", "emulator")
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 40)
        # If a build has assertions, each assertion contains the name of its file.
        if cached("CMAKE_BUILD_TYPE") != "Release":
            files = [path for path in files if path.suffix not in {"", ".a"}]
        for path in files:
            # A CUDA compiler in the build folder, where `make` installs it, is allowed, as it is in any other place.
            content = path.read_bytes().replace(str(BUILD / "cuda").encode(), b"")
            for folder in (BUILD, TREE):
                self.assertNotIn(str(folder).encode() + b"/", content, path)

    def test_every_header_is_installed_as_it_is(self):
        self.install("device")
        installed = self.prefix / "include/reduction_workbook/reductions"
        library = TREE / "common/reductions"
        headers = [path for path in library.rglob("*.*") if path.suffix in {".cuh", ".hpp"}]
        headers = [path for path in headers if "tune" not in path.relative_to(library).parts]
        self.assertGreater(len(headers), 30)
        for header in headers:
            there = installed / header.relative_to(library)
            self.assertEqual(there.read_bytes(), header.read_bytes())

    def test_a_component_that_is_not_installed_is_named(self):
        self.install("device")
        missing = self.configure(self.project("find_package(reduction_workbook REQUIRED COMPONENTS emulator)\n"))
        self.assertNotEqual(missing.returncode, 0)
        words = " ".join(missing.stdout.split())
        self.assertIn("The component `emulator` of the Reduction Workbook is not installed", words)
        self.assertIn("`cmake --install BUILD --component NAME` installs one", words)

    def test_a_test_of_what_is_no_program_is_refused(self):
        self.install("emulator")
        for arguments, words in [
            ("NAME a COMMAND gone", "gone is no executable target of this project"),
            ("NAME a", "needs NAME and COMMAND"),
            ("NAME a COMMAND b WHAT c", "no executable target"),
        ]:
            shutil.rmtree(self.folder / "project", ignore_errors=True)
            source = self.project(
                "find_package(reduction_workbook REQUIRED COMPONENTS emulator)\n"
                f"reduction_workbook_add_emulated_test({arguments})\n"
            )
            refused = self.configure(source)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(words, " ".join(refused.stdout.split()))

    def test_every_version_of_the_same_major_number_is_accepted_unless_it_is_older(self):
        self.install("device")
        found = re.search(r"project\(reduction_workbook VERSION ([0-9.]+)", (TREE / "CMakeLists.txt").read_text())
        assert found
        version = found[1]
        major, minor, _ = map(int, version.split("."))
        source = self.project("find_package(reduction_workbook ${WANTED} REQUIRED)\n")
        for wanted in (version, f"{major}.{minor}", f"{major}.0", str(major)):
            with self.subTest(wanted=wanted):
                accepted = self.configure(source, f"-DWANTED={wanted}")
                self.assertEqual(accepted.returncode, 0, accepted.stdout)
        for wanted in (f"{major - 1}.0", f"{major + 1}.0", f"{major}.{minor + 1}"):
            with self.subTest(wanted=wanted):
                refused = self.configure(source, f"-DWANTED={wanted}")
                self.assertNotEqual(refused.returncode, 0)
                self.assertIn(f'requested version "{wanted}"', " ".join(refused.stdout.split()))


if __name__ == "__main__":
    BUILD, TREE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
