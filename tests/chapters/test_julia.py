#!/usr/bin/env python3
"""The picture of the Julia set shows what the program computed: test_julia.py JULIA_SET PLOTS"""

import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM, PLOTS = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
WIDTH = 96


def drawn(folder, width=WIDTH):
    """Runs the program and the plot. Returns the image file and the picture file."""
    image, picture = folder / "julia.pgm", folder / "julia.png"
    subprocess.run([PROGRAM, "--width", str(width), "--image", image], check=True, capture_output=True)
    subprocess.run([sys.executable, PLOTS / "julia.py", image, picture], check=True, capture_output=True)
    return image, picture


def decoded(png):
    """Checks the checksums of a PNG with a palette. Returns its width, height, colours and pixels."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0]
        parts[kind] = body
        at += 12 + size
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    rows = zlib.decompress(parts[b"IDAT"])
    pixels = b"".join(rows[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height))
    return width, height, parts[b"PLTE"], pixels


def steps(column, row, width):
    """Returns the number of steps in double precision, which is the same in single precision if z is far from the edge
    of the circle."""
    z = complex(-2 + 4 * column / (width - 1), -2 + 4 * row / (width - 1))
    for k in range(255):
        if abs(z) > 2:
            return k
        z = z * z + complex(-0.79, 0.15)
    return 255


class Julia(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_picture_holds_the_programs_pixels(self):
        image, picture = drawn(self.folder)
        width, height, colours, pixels = decoded(picture.read_bytes())
        self.assertEqual((width, height), (WIDTH, WIDTH))
        self.assertEqual(len(colours), 3 * 256)
        self.assertEqual(pixels, image.read_bytes()[-WIDTH * WIDTH :])

    def test_the_pixels_are_the_julia_set(self):
        image, _ = drawn(self.folder)
        pixels = image.read_bytes()[-WIDTH * WIDTH :]
        # If there are few steps, rounding errors don't have time to grow.
        for row in range(0, WIDTH, 5):
            for column in range(0, WIDTH, 5):
                wanted, got = steps(column, row, WIDTH), pixels[row * WIDTH + column]
                if wanted < 8:
                    self.assertLessEqual(abs(wanted - got), 1, (column, row))
        self.assertGreater(max(pixels), 100)

    def test_what_is_no_image_is_refused_in_words(self):
        bad = self.folder / "bad.pgm"
        for data in (b"", b"P6\n2 2\n255\n1234", b"P5\n2 2\n255\n123"):
            bad.write_bytes(data)
            done = subprocess.run(
                [sys.executable, PLOTS / "julia.py", bad, self.folder / "out.png"],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn("bad.pgm", done.stderr)

    def test_bad_words_are_bad_usage(self):
        for words in (["--width", "0"], ["--device", "toaster"], ["--picture", "x"]):
            done = subprocess.run([PROGRAM, *words], capture_output=True, check=False, cwd=self.folder)
            self.assertEqual(done.returncode, 2, words)

    def test_the_picture_in_the_lesson_is_todays(self):
        _, picture = drawn(self.folder, 400)
        self.assertEqual(decoded(picture.read_bytes()), decoded((PLOTS / "figures" / "julia_set.png").read_bytes()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
