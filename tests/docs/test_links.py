#!/usr/bin/env python3
"""Tests that broken links, pictures, headings and commands are found in pages and on the site."""

import pathlib
import tempfile
import unittest

from book import links


class Links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_what_is_there_is_no_fault(self):
        self.write("a.md", "# A\n\n## What's `in` it?\n\n[b](sub/b.md#second-part) ![p](p.svg) [here](#whats-in-it)\n")
        self.write("sub/b.md", "# B\n\n## Second part\n\n[up](../a.md)\n")
        self.write("p.svg", "<svg/>")
        self.assertEqual(links.faults_of_tree(self.folder), [])

    def test_broken_links_pictures_and_headings_are_named(self):
        self.write("a.md", "[b](b.md) ![p](p.svg) [c](#nothing)\n")
        self.assertEqual(
            links.faults_of_tree(self.folder),
            [
                "a.md: a link that is not there: b.md",
                "a.md: a picture that is not there: p.svg",
                "a.md: the page has no heading #nothing",
            ],
        )

    def test_a_link_whose_text_is_on_two_lines_is_followed(self):
        self.write("a.md", "Read [a text\non two lines](b.md). `[no\nlink](c.md)`\n")
        self.assertEqual(links.faults_of_tree(self.folder), ["a.md: a link that is not there: b.md"])

    def test_a_command_that_make_does_not_know_is_named(self):
        self.write("Makefile", "chapter%: FORCE\n\t@true\nprogress next:\n\t@true\n$(foreach verb,hint,x)\n")
        self.write(
            "a.md",
            '`make chapter3`, `make chapterN ARGS="--count 4"`, `make hint2`, `make next`\n'
            "`make lunch`\n"
            "make itself isn't a command here\n"
            "```\nmake chapter1   says something\nmake tea\n```\n",
        )
        self.assertEqual(
            links.faults_of_commands(self.folder),
            ["a.md: `make lunch` isn't a command", "a.md: `make tea` isn't a command"],
        )

    def test_code_is_not_read_as_links(self):
        self.write("a.md", "`[x](y)`\n\n```cpp\nauto f = [x](y);\n```\n")
        self.assertEqual(links.faults_of_tree(self.folder), [])

    def test_faults_of_a_site_are_named(self):
        self.write(
            "index.html",
            '<a href="gone.html">x</a><img src="p.svg"/><a href="b.html#no">y</a><a href="https:'
            + '//example.org/">z</a>',
        )
        self.write("b.html", '<a id="yes"></a><a href="index.html">i</a><a href="b.html#yes">b</a>')
        found = "\n".join(links.faults_of_site(self.folder))
        for words in ("a link to gone.html", "a link to p.svg", "b.html has no #no", "outside of the site"):
            self.assertIn(words, found)
        self.assertEqual(len(links.faults_of_site(self.folder)), 4)

    def test_an_empty_site_is_a_fault(self):
        self.assertIn("holds no page", links.faults_of_site(self.folder)[0])


if __name__ == "__main__":
    unittest.main()
