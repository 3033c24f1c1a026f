"""A mutation fuzzer driven by a seed: input number N of a seed is the same everywhere."""

from __future__ import annotations

import random
from collections.abc import Sequence

LARGEST = 1 << 16
NUMBERS = [
    b"0", b"-1", b"1", b"255", b"256", b"65536", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807",
    b"18446744073709551616", b"1e999", b"-1e999", b"NaN", b"Infinity", b"9" * 400, b"9" * 5000, b"0x10", b"1.5",
    b"true", b"null",
]  # fmt: skip
WORDS = [
    b"[", b"]", b"{", b"}", b"(", b")", b"=", b",", b";", b":", b'"', b"'", b"\\", b"/", b"..", b"\n", b"\r\n",
    b"\t", b"\0", b"#",
    b"[]", b"{}", b'""', b"[[", b"]]", b'{"a":', b"[" * 2000, b'{"":' * 2000, b"\\u0000", b"\\ud800", b"\xff",
    b"\xc3\xa9", b"\xe2\x80\xae",
    b"\xef\xbb\xbf", b"\x85", b"\xe2\x80\xa8", b"all", b"dynamic", b"required", b"float16", b"opkg-package.json",
    b"../",
]  # fmt: skip


def mutated(seed: int, target: str, number: int, corpus: Sequence[bytes]) -> bytes:
    """One input: something from the corpus with one to eight changes."""
    rng = random.Random(f"{seed}:{target}:{number}")
    data = bytearray(rng.choice(corpus))
    for _ in range(1 << rng.randrange(4)):
        rng.choice(_CHANGES)(rng, data, corpus)
    return bytes(data[:LARGEST])


def _place(rng: random.Random, data: bytearray) -> int:
    return rng.randrange(len(data) + 1)


def _flip(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _byte(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.choice((0, 1, 0x20, 0x7F, 0x80, 0xFF, rng.randrange(256)))


def _word(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    at = _place(rng, data)
    word = rng.choice(WORDS)
    data[at : at + rng.choice((0, len(word)))] = word


def _number(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    """Another number in the place of one that is there."""
    starts = [i for i, b in enumerate(data) if 48 <= b <= 57 and (i == 0 or not 48 <= data[i - 1] <= 57)]
    if starts:
        at = rng.choice(starts)
        end = at
        while end < len(data) and 48 <= data[end] <= 57:
            end += 1
        data[at:end] = rng.choice(NUMBERS)


def _integer(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    """A binary number of 2 to 8 bytes at its extremes."""
    size = rng.choice((2, 4, 8))
    if len(data) >= size:
        at = rng.randrange(len(data) - size + 1)
        top = 1 << 8 * size
        data[at : at + size] = rng.choice((0, 1, top - 1, top // 2, top // 2 - 1, 64, len(data))).to_bytes(
            size, "little"
        )


def _delete(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    at = _place(rng, data)
    del data[at : at + rng.choice((1, 2, 8, 64, len(data)))]


def _double(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    at = _place(rng, data)
    piece = bytes(data[at : at + rng.choice((1, 8, 64, 512))])
    data[at:at] = piece * rng.choice((1, 1, 2, 100))


def _line(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    """A line is moved, doubled or taken away."""
    lines = bytes(data).split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    data[:] = b"\n".join(lines)


def _splice(rng: random.Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    other = rng.choice(corpus)
    at, start = _place(rng, data), rng.randrange(len(other) + 1)
    data[at:] = other[start:]


_CHANGES = (_flip, _byte, _byte, _word, _word, _number, _number, _integer, _delete, _double, _line, _splice)
