#!/usr/bin/env python3
"""Broken links in pages and site are seen; Markdown becomes what Doxygen takes."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import check_links
import markdown
import search_index


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
        self.assertEqual(check_links.faults_of_tree(self.folder), [])

    def test_broken_links_pictures_and_headings_are_named(self):
        self.write("a.md", "[b](b.md) ![p](p.svg) [c](#nothing)\n")
        self.assertEqual(
            check_links.faults_of_tree(self.folder),
            [
                "a.md: a link that is not there: b.md",
                "a.md: a picture that is not there: p.svg",
                "a.md: the page has no heading #nothing",
            ],
        )

    def test_a_command_that_make_does_not_know_is_named(self):
        self.write("Makefile", "chapter%: FORCE\n\t@true\nprogress next:\n\t@true\n$(foreach verb,hint,x)\n")
        self.write(
            "a.md",
            '`make chapter3`, `make chapterN ARGS="--count 4"`, `make hint2`, `make next`\n'
            "`make lunch`\n"
            "make itself is no command here\n"
            "```\nmake chapter1   says something\nmake tea\n```\n",
        )
        self.assertEqual(
            check_links.faults_of_commands(self.folder),
            ["a.md: `make lunch` is no command", "a.md: `make tea` is no command"],
        )

    def test_code_is_not_read_as_links(self):
        self.write("a.md", "`[x](y)`\n\n```cpp\nauto f = [x](y);\n```\n")
        self.assertEqual(check_links.faults_of_tree(self.folder), [])

    def test_faults_of_a_site_are_named(self):
        self.write(
            "index.html",
            '<a href="gone.html">x</a><img src="p.svg"/><a href="b.html#no">y</a><a href="https:' + '//example.org/">z</a>',
        )
        self.write("b.html", '<a id="yes"></a><a href="index.html">i</a><a href="b.html#yes">b</a>')
        found = "\n".join(check_links.faults_of_site(self.folder))
        for words in ("a link to gone.html", "a link to p.svg", "b.html has no #no", "outside of the site"):
            self.assertIn(words, found)
        self.assertEqual(len(check_links.faults_of_site(self.folder)), 4)

    def test_an_empty_site_is_a_fault(self):
        self.assertIn("holds no page", check_links.faults_of_site(self.folder)[0])


class Search(unittest.TestCase):
    def test_the_index_has_titles_words_and_the_glossary_terms(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "glossary.html").write_text(
                "<title>Glossary - The Reduction Workbook</title><header>bar</header>"
                '<h1><a class="anchor" id="g_warp"></a>Warp</h1><p>32 threads</p>'
            )
            (folder / "a_8hpp_source.html").write_text("<title>source</title>")
            self.assertEqual(search_index.write(folder, {"glossary.html"}), 2)
            text = (folder / "search_index.js").read_text()
        self.assertIn('{"t":"Glossary","u":"glossary.html","x":"32 Warp threads","g":1}', text)
        self.assertIn('{"t":"Warp (glossary)","u":"glossary.html#g_warp"', text)


class Markdown(unittest.TestCase):
    @staticmethod
    def page(text):
        return markdown.Page("page", text, lambda target, picture: f"to_{target}").doxygen("HEAD", "FOOT")

    def test_headings_get_names_and_links_follow(self):
        text = self.page("# Title\n\n## Part two\n\n[to it](#part-two), [`code`](a.md)\n")
        self.assertIn("# Title {#page}\n\nHEAD", text)
        self.assertIn("## Part two {#page_part_two}", text)
        self.assertIn('<a href="page.html#page_part_two">to it</a>, <a href="to_a.md"><code>code</code></a>', text)
        self.assertTrue(text.rstrip().endswith("FOOT"))

    def test_pictures_scroll_and_folds_pass_through(self):
        text = self.page("# T\n\n![words](p.svg)\n\n<details>\n\nx\n\n</details>\n")
        self.assertIn('<img class="figure" src="to_p.svg" alt="words"/>', text)
        self.assertIn("\\htmlonly\n<details>\n\\endhtmlonly", text)

    def test_code_stays_as_it_is(self):
        text = self.page("# T\n\n```cpp\n# no @heading [a](b)\n```\n\nA mail @ home `a::b<T>`\n")
        self.assertIn("```{.cpp}\n# no @heading [a](b)\n```", text)
        self.assertIn("A mail \\@ home <code>a\\::b&lt;T&gt;</code>", text)


if __name__ == "__main__":
    unittest.main()
