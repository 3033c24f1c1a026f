"""Readers of strangers' files, fed with mutations of honest ones: anything but an `OpkgError` is a finding.

`OPKG_FUZZ_SECONDS` (60) is how long it takes in all, `OPKG_FUZZ_SEED` (0) which inputs there
are. A finding is written to a file, and said with its reader, seed and number.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fuzz.mutate import mutated
from fuzz.readers import readers

from opkg.errors import OpkgError

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("OPKG_FUZZ_SECONDS") or 60)
SEED = int(os.environ.get("OPKG_FUZZ_SEED") or 0)
PATIENCE = 20
NAMES = [
    "bundle", "manifest of a bundle", "files of a bundle", "signature of a bundle", "ini", "json", "om", "om, resealed",
    "signature of an om", "operators of an om", "options of an om",
]  # fmt: skip


@contextmanager
def limited() -> Iterator[None]:
    """Ends what takes too long with an exception."""

    def late(*_: object) -> None:
        raise TimeoutError(f"not done after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def finding(read: Callable[[bytes], object], data: bytes) -> BaseException | None:
    """What is wrong with how a reader takes an input."""
    try:
        with limited():
            read(data)
    except OpkgError as error:
        if not error.message or "\n" in error.message or "\n" in error.hint or len(error.message) > 2000:
            return error
    except Exception as error:
        return error
    return None


def report(name: str, number: int, data: bytes, error: BaseException) -> str:
    file = Path(tempfile.mkdtemp(prefix="opkg-fuzz-")) / "input"
    file.write_bytes(data)
    shown = data.hex() if len(data) <= 512 else f"{data[:512].hex()}... ({len(data)} bytes)"
    said = f"{type(error).__name__}: {str(error)[:500]}"
    return f"{name}, seed {SEED}, input {number}: {said}\n  {file}\n  {shown}"


def test_every_reader_is_fuzzed(tmp_path: Path) -> None:
    assert list(readers(tmp_path)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_raises_nothing_but_errors_of_opkg(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    reader = readers(tmp_path)[name]
    findings: dict[str, str] = {}
    end = time.monotonic() + SECONDS / len(NAMES)
    number = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while time.monotonic() < end and len(findings) < 10:
            data = mutated(SEED, name, number, reader.corpus)
            error = finding(reader.read, data)
            if error is not None:
                findings.setdefault(f"{type(error).__name__} {str(error)[:40]}", report(name, number, data, error))
            number += 1
    record_property("cases", number)
    assert not findings, "\n".join(findings.values())


def test_honest_inputs_are_read(tmp_path: Path) -> None:
    made = readers(tmp_path)
    for name in ("bundle", "manifest of a bundle", "ini", "json", "om", "om, resealed", "operators of an om"):
        corpus = [data for data in made[name].corpus if not data.endswith(b"x")]
        accepted = [data for data in corpus if finding_of_honest(made[name].read, data) is None]
        assert accepted, name


def finding_of_honest(read: Callable[[bytes], object], data: bytes) -> OpkgError | None:
    try:
        read(data)
    except OpkgError as error:
        return error
    return None


def test_inputs_are_the_same_for_the_same_seed() -> None:
    corpus = [b'{"a": 1, "b": [2]}', b"[Op]\ninput0.name=x\n"]
    assert mutated(7, "t", 3, corpus) == mutated(7, "t", 3, corpus)
    assert len({mutated(7, "t", n, corpus) for n in range(200)}) > 150
