"""Draws the samples' images: small PNGs whose bytes depend on nothing but their names."""

import random
import struct
import zlib
from pathlib import Path


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side: int, pixels: list[tuple[int, int, int]]) -> bytes:
    """Encodes a square of RGB pixels, row by row."""
    rows = (pixels[side * row : side * (row + 1)] for row in range(side))
    raw = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(raw, 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def is_real(image: bytes) -> bool:
    """Whether an image shows a real one, by its first pixel, which no PNG filter changes."""
    at, data = 8, b""
    while at < len(image):
        (length,) = struct.unpack(">I", image[at : at + 4])
        if image[at + 4 : at + 8] == b"IDAT":
            data += image[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompressobj().decompress(data, 4)[1] >= 128


def image(set_name: str, number: int, side: int = 16) -> bytes:
    """An image of a set: a gradient, coarser in the weaker sets. Real images have a bright red first pixel."""
    chance = random.Random(f"{set_name} {number}")
    step = {"real": 1, "good": 2, "middling": 4}.get(set_name, 8)
    base = [chance.randrange(40, 200) for _ in range(3)]
    slope = [chance.randrange(-3, 4) for _ in range(3)]

    def pixel(x: int, y: int) -> tuple[int, int, int]:
        red, green, blue = (
            min(max(start + rise * (x // step * step) + y // step * step, 0), 255)
            for start, rise in zip(base, slope)
        )
        return red, green, blue

    pixels = [pixel(x, y) for y in range(side) for x in range(side)]
    pixels[0] = (255 if set_name == "real" else 0, pixels[0][1], pixels[0][2])
    return png(side, pixels)


def draw(folder: Path, sets: dict[str, int]) -> None:
    """Draws so many images of each set as `images/SET/0001.png` and so on."""
    for name, count in sets.items():
        (folder / "images" / name).mkdir(parents=True)
        for number in range(1, count + 1):
            (folder / "images" / name / f"{number:04}.png").write_bytes(image(name, number))
