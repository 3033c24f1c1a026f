"""A line of text as an image, as the recognition model's input, and back from its output."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HEIGHT = 48


def render(text: str, size: int = 40) -> Image.Image:
    """Black text on white, in the font that Pillow brings along."""
    font = ImageFont.load_default(size=size)
    left, top, right, bottom = font.getbbox(text)
    margin = size // 3
    image = Image.new("RGB", (round(right - left) + 2 * margin, round(bottom - top) + 2 * margin), "white")
    ImageDraw.Draw(image).text((margin - left, margin - top), text, fill="black", font=font)
    return image


def to_input(image: Image.Image) -> np.ndarray:
    """(1, 3, 48, width) float32 in -1..1, the width a multiple of 8."""
    width = round(image.width * HEIGHT / image.height / 8) * 8
    pixels = np.asarray(image.resize((width, HEIGHT), Image.Resampling.BILINEAR), np.float32)
    normal = (pixels / 255 - 0.5) / 0.5
    return np.ascontiguousarray(normal.transpose(2, 0, 1)[None])


def decode(scores: np.ndarray, characters: list[str]) -> str:
    """The text in (1, steps, classes) scores: the best class of each step, repeats joined, blanks (class 0) dropped."""
    best = scores[0].argmax(axis=1)
    changes = np.concatenate([[True], best[1:] != best[:-1]])
    return "".join(characters[index] for index in best[changes] if index)


def read_characters(metadata: str) -> list[str]:
    """The class names: blank, the lines of the model's `character` metadata, and a space."""
    return ["", *metadata.splitlines(), " "]
