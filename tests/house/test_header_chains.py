#!/usr/bin/env python3
"""Tests that header_chains.py makes valid chains, and as few as possible: test_header_chains.py"""

import pathlib
import unittest

import header_chains

COMMON = pathlib.Path(__file__).resolve().parents[2] / "common"


def reached(header: str, includes: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [header]
    while todo:
        new = includes[todo.pop()] - found
        found |= new
        todo += new
    return found


class Chains(unittest.TestCase):
    def check(self, includes: dict[str, set[str]]) -> int:
        """Checks that the chains of a graph obey the rule. Returns the number of chains."""
        made = header_chains.chains(includes)
        self.assertEqual(sorted(one for chain in made for one in chain), sorted(includes))
        for chain in made:
            for place, header in enumerate(chain):
                self.assertLessEqual(set(chain[:place]), reached(header, includes), header)
        return len(made)

    def test_there_are_as_few_as_can_be_and_each_header_stands_in_one(self) -> None:
        self.assertEqual(self.check({}), 0)
        self.assertEqual(self.check({"a": set(), "b": set()}), 2)
        self.assertEqual(self.check({"c": {"b"}, "b": {"a"}, "a": set()}), 1)
        # A chain can go through b, although another chain needs b, too.
        self.assertEqual(self.check({"a": set(), "b": {"a"}, "c": {"b"}, "d": {"b"}, "e": set()}), 3)
        self.assertEqual(self.check({"a": set(), "b": set(), "m": {"a", "b"}, "c": {"m"}, "d": {"m"}}), 2)

    def test_the_tree_s_own_keep_the_rule(self) -> None:
        headers = COMMON.rglob("*.hpp")
        texts = {path.relative_to(COMMON).as_posix(): path.read_text(encoding="utf-8") for path in headers}
        made = self.check({one: header_chains.included(text, set(texts)) for one, text in texts.items()})
        self.assertLess(made, 0.7 * len(texts))

    def test_only_what_is_included_in_any_case_counts(self) -> None:
        text = '#include "a.hpp"\n#ifdef X\n#include "b.hpp"\n#  if Y\n#endif\n#endif\n'
        text += '# include "c.hpp"\n#include <a>\n// #include "d.hpp"\n'
        self.assertEqual(header_chains.included(text, {"a.hpp", "b.hpp", "c.hpp", "d.hpp"}), {"a.hpp", "c.hpp"})
        self.assertEqual(header_chains.included(text, {"a"}), set())


if __name__ == "__main__":
    unittest.main()
