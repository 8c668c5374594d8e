#!/usr/bin/env python3
"""Makes a PNG from the grey image that build/bin/julia_set writes: julia.py IMAGE.pgm OUT.png

The number of steps becomes a colour: dark for few, bright for many, black if z never left the circle. Needs nothing
beyond Python.
"""

from __future__ import annotations

import pathlib
import struct
import sys
import zlib


def read_pgm(data: bytes) -> tuple[int, int, bytes]:
    """Returns the width, the height and the bytes of a binary PGM with 255 greys."""
    fields = data.split(maxsplit=4)
    if len(fields) < 4 or fields[0] != b"P5" or fields[3] != b"255":
        raise ValueError("this is not a PGM image with 255 greys, such as build/bin/julia_set writes")
    width, height = int(fields[1]), int(fields[2])
    # A single blank ends the header. Everything after it is pixels, whatever their values are.
    head = data.index(b"255", data.index(fields[2], 3)) + len(b"255") + 1
    pixels = data[head:]
    if len(pixels) != width * height:
        raise ValueError(f"{width} x {height} pixels wanted, {len(pixels)} there")
    return width, height, pixels


def palette() -> list[tuple[int, int, int]]:
    """Returns 256 colours: dark blue for few steps, bright for many, and finally black for points that stay."""
    colours = []
    for steps in range(255):
        t = min(1.0, steps / 96) ** 0.6
        colours.append((int(255 * t**1.5), int(235 * t**0.9), int(60 + 195 * t**0.5)))
    return [*colours, (0, 0, 0)]


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, pixels: bytes, colours: list[tuple[int, int, int]]) -> bytes:
    """Returns a PNG whose pixels are indices into `colours`."""
    rows = b"".join(b"\0" + pixels[y * width : (y + 1) * width] for y in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", b"".join(bytes(c) for c in colours))
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def main(image: str, out: str) -> int:
    try:
        width, height, pixels = read_pgm(pathlib.Path(image).read_bytes())
        pathlib.Path(out).write_bytes(png(width, height, pixels, palette()))
    except (OSError, ValueError) as error:
        print(f"julia.py: {image}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
