#!/usr/bin/env python3
"""Tests how a Markdown file becomes a page of the site: links point to pages, headings have names, code isn't
changed."""

import html
import pathlib
import re
import tempfile
import unittest

from book import cards, manifest, page_html, players, site


class Pages(unittest.TestCase):
    @staticmethod
    def page(text):
        return page_html.html(text, lambda target, _: None if target == "nowhere" else f"to_{target}")

    def test_headings_get_names_and_links_follow(self):
        text = self.page("# Title\n\n## What's `in` it?\n\n[to it](#whats-in-it), [`code`](a.md), [none](nowhere)\n")
        self.assertNotIn("Title", text)
        self.assertIn('<h2 id="whats-in-it">', text)
        self.assertIn('<a href="#whats-in-it">to it</a>, <a href="to_a.md"><code>code</code></a>, <a>none</a>', text)

    def test_pictures_scroll_and_folds_pass_through(self):
        text = self.page("# T\n\n![words](p.svg)\n\n<details>\n<summary>More</summary>\n\nx `y`\n\n</details>\n")
        self.assertIn('<div class="wide"><img alt="words" src="to_p.svg" /></div>', text)
        self.assertRegex(text, r"<details>\s*<summary>More</summary>\s*<p>x <code>y</code></p>\s*</details>")

    def test_code_stays_as_it_is(self):
        text = self.page("# T\n\n```text\n# no @heading [a](b)\n```\n\nA mail @ home `a::b<T>`\n")
        self.assertIn("# no @heading [a](b)\n</code></pre>", text)
        self.assertIn("A mail @ home <code>a::b&lt;T&gt;</code>", text)

    def test_a_bar_in_the_code_of_a_cell_is_shown_as_one(self):
        text = self.page("# T\n\n| a | b |\n| --- | --- |\n| `x\\|y <z>` | 1 |\n\n`u\\|v`\n")
        self.assertIn("<td><code>x|y &lt;z&gt;</code></td>", text)
        self.assertIn("<code>u\\|v</code>", text)

    def test_markers_are_not_shown_and_what_they_enclose_is(self):
        text = self.page("It is\n<!-- recorded:ladder begin a.json 2^2 -->\n| a | b |\n| --- | ---: |\n| c | 1 |\n"
                         "<!-- recorded:ladder end -->\nor <!--=a.json us 2^2 sum-->4.8<!--/--> us.\n")  # fmt: skip
        self.assertIn('<table class="markdownTable">', text)
        self.assertIn("<p>or 4.8 us.</p>", text)
        self.assertNotIn("begin", text)

    def test_a_page_of_several_sections_has_a_list_of_them(self):
        page = self.page("# T\n\n## A `b` [c](d.md)\n\n### In it\n\n## B & C\n\n## D\n")
        self.assertEqual(page_html.outline(page), "")
        found = page_html.outline(page + self.page("# T\n\n## E\n"))
        self.assertIn('<li><a href="#a-b-c">A <code>b</code> c</a></li><li><a href="#b--c">B &amp; C</a></li>', found)
        self.assertEqual(found.count("<li>"), 4)

    def test_a_marked_line_has_its_mark_its_class_and_all_of_its_text(self):
        text = self.page("# T\n\nx\n\n```diff\n int a;\n!a <b;\n\n+// c\n-d\n```\n\ny\n")
        plain = html.unescape(re.sub(r"<[^>]+>", "", text.split("<pre>")[1].split("</pre>")[0]))
        self.assertEqual(plain, " int a;\n!a <b;\n \n+// c\n-d\n")
        self.assertEqual(re.findall(r'class="line (\w+)"', text), ["same", "trouble", "same", "added", "removed"])
        self.assertIn("<p>y</p>", text)

    def test_marked_code_in_a_fold_stays_in_it(self):
        text = self.page("# T\n\n<details>\n<summary>M</summary>\n\n```diff\n a\n\n+b\n```\n\n</details>\n\nz\n")
        self.assertRegex(text, r'<details>\s*<summary>M</summary>\s*<div class="highlight marked">')
        self.assertLess(text.index("</pre></div>"), text.index("</details>"))


class Colours(unittest.TestCase):
    def test_contrast_is_that_of_wcag(self):
        self.assertAlmostEqual(page_html.contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(page_html.contrast("#777777", "#ffffff"), 4.48, places=2)

    def test_all_text_of_code_is_legible_on_all_that_stands_behind_it(self):
        sheet = page_html.highlighting(dark=True)
        if not sheet:
            self.skipTest("no Pygments")
        light, dark = sheet.split("@media", 1)
        for rules, behind in ((light, page_html.LIGHT), (dark, page_html.DARK)):
            found = re.findall(r"(?<!-)\bcolor: (#[0-9a-f]{6})", rules)
            self.assertGreater(len(found), 20)
            for colour in found:
                for name, other in behind.items():
                    self.assertGreaterEqual(page_html.contrast(colour, other), page_html.LEGIBLE, (colour, name))

    def test_a_colour_that_is_legible_stays_and_another_is_mixed(self):
        self.assertEqual(page_html.legible("#000000", ["#ffffff"]), "#000000")
        self.assertNotEqual(page_html.legible("#75715e", ["#282c34"]), "#75715e")


class Site(unittest.TestCase):
    def test_lessons_stand_in_order_each_with_its_neighbours_and_its_hints_below(self):
        with tempfile.TemporaryDirectory() as folder:
            made = site.Site(pathlib.Path(folder))
            labels = made.write()
            lesson = (made.folder / "chapter3.md").read_text(encoding="utf-8")
            body = (made.folder / "chapter3.inc").read_text(encoding="utf-8")
        self.assertLess(labels.index("chapter2"), labels.index("chapter3"))
        self.assertTrue(lesson.startswith("# Chapter 3: Sequential addressing: no bank conflicts {#chapter3}\n"))
        self.assertIn("\\subpage chapter3_hints", lesson)
        self.assertIn('<a href="chapter2.html">&larr; Chapter 2:', body)
        self.assertIn('<a href="chapter4.html">Chapter 4: First addition during the load &rarr;</a>', body)

    def test_every_page_is_in_a_group_of_the_menu(self):
        with tempfile.TemporaryDirectory() as folder:
            made = site.Site(pathlib.Path(folder))
            labels = made.write()
            texts = {label: (made.folder / f"{label}.md").read_text(encoding="utf-8") for label in labels}
        below = {label: re.findall(r"\\subpage ([\w-]+)", text) for label, text in texts.items()}
        self.assertLess(len(below["index"]), 10)
        for group in below["index"]:
            self.assertGreater(len(below[group]), 0, group)
        reached, waiting = {"index"}, ["index"]
        while waiting:
            for one in below[waiting.pop()]:
                self.assertNotIn(one, reached)  # each page has only one place
                reached.add(one)
                waiting.append(one)
        self.assertEqual(sorted(set(labels) - reached), [])

    def test_a_group_without_a_page_that_is_there_is_empty_and_links_outside_do_not_count(self):
        one, two = "[a](student.md), [b](nowhere.md)", "[c](glossary.md#warp)"
        text = f"# T\n\n## All pages\n\n### One\n\n{one}\n\n### Two\n\n{two}\n"
        pages = site.collect()
        found = {heading: labels for heading, (_, labels) in site.groups(text, pages).items()}
        self.assertEqual(found, {"One": ["student"], "Two": ["glossary", *site.OF_THE_PROJECT]})

    def play(self, folder, program):
        programs = folder / "bin"
        programs.mkdir()
        (programs / "chapter2").write_text(program)
        (programs / "chapter2").chmod(0o755)
        return players.make(programs, folder / "play")

    def test_a_lesson_whose_program_is_there_shows_its_kernel_in_motion(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = '#!/bin/sh\nwhile [ "$1" != --play ]; do shift; done; echo moves >"$2"\n'
            played, without = self.play(folder, program)
            self.assertEqual(played[2].read_text(), "moves\n")
            self.assertEqual((list(played), len(without)), ([2], len(manifest.load()) - 1))
            made = site.Site(folder, played)
            made.write()
            bodies = {number: (made.folder / f"chapter{number}.inc").read_text(encoding="utf-8") for number in (2, 3)}
        self.assertIn('<iframe src="play2.html"', bodies[2])
        self.assertNotIn("<iframe", bodies[3])

    def test_a_program_that_makes_no_page_is_named(self):
        no_page = self.assertRaisesRegex(players.Failed, "chapter2 made no page: no memory")
        with tempfile.TemporaryDirectory() as name, no_page:
            self.play(pathlib.Path(name), "#!/bin/sh\necho no memory >&2; exit 3\n")


class Cards(unittest.TestCase):
    def test_each_chapter_has_a_card_with_its_idea_gain_and_minutes(self):
        made = cards.cards()
        self.assertEqual([card.number for card in made], list(manifest.load()))
        for card in made:
            self.assertLessEqual(len(card.idea.split()), cards.MAX_WORDS)
            self.assertNotIn("<!--", card.idea + card.gain)
            self.assertTrue(card.gain and 1 <= card.minutes < 60, card)
        listed = cards.list_of(made[:2])
        self.assertEqual(re.findall(r'href="(\w+)\.html"', listed), ["chapter0", "chapter1"])
        self.assertIn(f"{made[1].minutes} min", listed)

    def test_a_chapter_without_a_row_and_an_idea_that_is_too_long_are_named(self):
        text = cards.PAGE.read_text(encoding="utf-8")
        with self.assertRaisesRegex(cards.BadTable, "no row for chapter 4"):
            cards.cards(text.replace("| [4](", "| [44]("))
        with self.assertRaisesRegex(cards.BadTable, "chapter 4: 6 words are the most"):
            cards.cards(text.replace("Add once while you load", "Add once while you load all of it"))

    def test_the_cards_take_the_place_of_the_table(self):
        text = cards.without_table(cards.PAGE.read_text(encoding="utf-8"))
        self.assertNotIn("| the idea |", text)
        self.assertEqual(text.count("<!-- lessons -->"), 1)
        self.assertIn("glossary.md", text)


if __name__ == "__main__":
    unittest.main()
