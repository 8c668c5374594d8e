#!/usr/bin/env python3
"""Tests that every plot has a title, labelled axes and texts that don't overlap, and that the same data give the same
bytes."""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from matplotlib import pyplot, text

import made_up
from book import records
from plots import figure_data, figures, style

style.apply()


def is_beyond(artist, box, axes, renderer):
    """Returns true if the artist is a tick label of these axes and is outside of them."""
    frame = axes.get_window_extent(renderer)
    if artist in axes.get_xticklabels(which="both"):
        return not frame.x0 - 1 <= (box.x0 + box.x1) / 2 <= frame.x1 + 1
    if artist in axes.get_yticklabels(which="both"):
        return not frame.y0 - 1 <= (box.y0 + box.y1) / 2 <= frame.y1 + 1
    return False


def words(figure):
    """Yields (text, bounding box) of all visible text in the figure, including ticks."""
    renderer = figure.canvas.get_renderer()
    for artist in figure.findobj(text.Text):
        if not artist.get_visible() or not artist.get_text().strip():
            continue
        box = artist.get_window_extent(renderer)
        # Ticks outside of the axes exist, but are not drawn.
        if any(is_beyond(artist, box, axes, renderer) for axes in figure.axes):
            continue
        yield artist.get_text(), box


def overlaps(figure):
    """Returns the pairs of texts that overlap by more than a pixel."""
    figure.canvas.draw()
    found = []
    for (one, a), (other, b) in itertools.combinations(list(words(figure)), 2):
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1:
            found.append((one, other))
    return found


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(pyplot.close, "all")
        self.folder = pathlib.Path(folder.name)

    def draw(self, place):
        """Runs plots.py on the reader's own records."""
        command: list[str | pathlib.Path] = [
            sys.executable,
            "-m",
            "plots.plots",
            "--out",
            self.folder / "out",
            "--data",
            place,
        ]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_every_plot_is_drawn_labelled_and_legible(self):
        collection = records.recorded()
        # If no machine is recorded, an invented one is used.
        collection.records["machine"] = collection.records["machine"] or [dict(made_up.machine(), file="machine.json")]
        for name, (_, data) in figure_data.FIGURES.items():
            with self.subTest(name):
                found = data(collection)
                assert found is not None, "no data"
                figure = figures.drawn(name, found)
                for axes in figure.axes:
                    self.assertTrue(axes.get_xlabel(), "an axis without a name")
                    bars = any(label.get_text() for label in axes.get_yticklabels()) and not axes.lines
                    self.assertTrue(axes.get_ylabel() or bars or axes.get_shared_y_axes(), "an axis without a name")
                    self.assertTrue(axes.get_title(loc="left"), "no title")
                self.assertEqual(overlaps(figure), [])

    def test_words_on_words_are_seen(self):
        figure, axes = style.figure()
        axes.text(0.5, 0.5, "first")
        axes.text(0.5, 0.5, "second")
        self.assertEqual(overlaps(figure), [("first", "second")])

    def test_the_same_data_gives_the_same_bytes(self):
        for folder, hash_seed in (("a", "1"), ("b", "2")):
            command: list[str | pathlib.Path] = [sys.executable, "-m", "plots.plots", "--out", self.folder / folder]
            subprocess.run(
                [*command, "ladder"],
                check=True,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONHASHSEED": hash_seed},
            )
        for suffix in (".svg", ".png"):
            first, second = ((self.folder / folder / "ladder").with_suffix(suffix).read_bytes() for folder in "ab")
            self.assertEqual(first, second)

    def test_colours_follow_the_theme(self):
        figure, axes = style.figure()
        axes.plot([1, 2], [1, 2], color=style.colour("blue"))
        style.save(figure, self.folder / "plot", "0", "A plot", png=False)
        svg = (self.folder / "plot.svg").read_text()
        self.assertIn("stroke: var(--blue)", svg)
        self.assertIn("prefers-color-scheme: dark", svg)
        self.assertNotIn("dc:date", svg)

    def test_a_readers_own_ladder_is_drawn_and_the_rest_left_out(self):
        place = made_up.write(self.folder, "own.json", made_up.ladder())
        done = self.draw(place)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "out" / "bandwidth.png").exists())
        self.assertIn("launch_bounds: left out", done.stdout)

    def test_a_record_without_times_is_told_so(self):
        record = made_up.ladder()
        for row in record["results"]:
            del row["cold_gb_per_s"], row["cold_ms"]
        place = made_up.write(self.folder, "own.json", record)
        done = self.draw(place)
        self.assertEqual(done.returncode, 1)
        self.assertIn("times come from a GPU", done.stderr)


if __name__ == "__main__":
    unittest.main()
