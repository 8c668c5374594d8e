#!/usr/bin/env python3
"""Tests that docs/pages/licences.md has a row for everything that `make` can install: test_licences.py [TREE]

These are the wheels of the lists in common/bootstrap, in their versions, and the packages that needs.py names.
"""

import pathlib
import re
import sys
import unittest

TREE = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
BOOTSTRAP = TREE / "common/bootstrap"


def rows(page):
    """Returns {name in the first column: its row}."""
    found: dict[str, str] = {}
    for row in re.findall(r"^\| .*`.*", page, re.MULTILINE):
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", row.split(" | ")[0]), row)
    return found


def wheels():
    """Returns (name, version, name of the list) of each pinned wheel."""
    for path in sorted(BOOTSTRAP.glob("*_wheels*.txt")):
        for name, version in re.findall(r"^([\w-]+)==([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield name, version, path.name


def packages():
    """Returns the names of the distribution's packages that the bootstrap can ask for."""
    needs = (BOOTSTRAP / "needs.py").read_text(encoding="utf-8")
    found = set(re.findall(r'_(?:need|wish)\w*\(\s*["\w]+, [^,]+, "([\w+-]+)"', needs))
    found |= {f"python3-{name}" for name in re.findall(r'_need_module\(\s*"\w+", "(\w+)"', needs)}
    # A newer g++ is the same package, and the style is named by a variable.
    return {name for name in found if name != "g++-12"} | {"doxygen-awesome-css"}


class Licences(unittest.TestCase):
    rows: dict[str, str]

    @classmethod
    def setUpClass(cls):
        cls.rows = rows((TREE / "docs/pages/licences.md").read_text(encoding="utf-8"))

    def test_every_wheel_has_a_row_with_its_versions_and_lists(self):
        pinned = list(wheels())
        self.assertGreater(len(pinned), 20)
        for name, version, listed in pinned:
            with self.subTest(wheel=name, listed=listed):
                self.assertIn(name, self.rows)
                self.assertIn(version, re.split(r" or | \| ", self.rows[name]))
                self.assertIn(re.sub(r"_wheels_.*", "_wheels_*.txt", listed), self.rows[name])

    def test_every_package_has_a_row(self):
        self.assertGreater(len(packages()), 15)
        for name in sorted(packages()):
            with self.subTest(package=name):
                self.assertIn(name, self.rows)

    def test_no_row_names_a_wheel_that_is_no_longer_in_a_list(self):
        named = {name for name, row in self.rows.items() if "_wheels" in row}
        self.assertEqual(named, {name for name, _, _ in wheels()})

    def test_everything_is_shipped_downloaded_or_used_if_present(self):
        for name, row in self.rows.items():
            with self.subTest(row=name):
                self.assertRegex(row, r"\| (shipped|downloaded|used if present)[^|]*\|$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
