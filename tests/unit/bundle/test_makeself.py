"""Files that makeself made are read, never executed, and not installed."""

import io
import tarfile
from pathlib import Path

import pytest

from opkg.bundle import describe_bundle, is_run_file, makeself, open_bundle
from opkg.errors import BundleError

HEADER = """#!/bin/sh
# This script was generated using Makeself 2.4.5
touch {trap}
CRCsum="3241259533"
SHA="f3b70c57"
label="version:1.0"
script="./install.sh"
scriptargs="--quiet"
helpheader=''
evil="$(touch {trap})"
filesizes="129"
skip="{lines}"
exit 1
"""


def make(path: Path, mode: str = "w:gz", extra: bytes = b"") -> Path:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as tar:  # type: ignore[call-overload]
        for name in ("install.sh", "packages/vendors/acme/version.info"):
            member = tarfile.TarInfo(name)
            member.size = 2
            tar.addfile(member, io.BytesIO(b"ok"))
        link = tarfile.TarInfo("lib.so")
        link.type, link.linkname = tarfile.SYMTYPE, "lib/real.so"
        tar.addfile(link)
    lines = HEADER.count("\n")
    path.write_bytes(HEADER.format(trap=path.parent / "trap", lines=lines).encode() + packed.getvalue() + extra)
    return path


def test_its_variables_and_files_are_listed_and_nothing_runs(tmp_path: Path) -> None:
    found = describe_bundle(make(tmp_path / "stranger.run"))
    assert found["kind"] == "makeself"
    assert found["maker"] == "makeself 2.4.5"
    assert found["variables"] == {
        "CRCsum": "3241259533",
        "SHA": "f3b70c57",
        "label": "version:1.0",
        "script": "./install.sh",
        "scriptargs": "--quiet",
        "helpheader": "",
        "filesizes": "129",
        "skip": "13",
    }
    assert found["files"] == ["install.sh", "packages/vendors/acme/version.info", "lib.so -> lib/real.so"]
    assert is_run_file(tmp_path / "stranger.run")
    assert not (tmp_path / "trap").exists()


def test_it_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"was made by another tool \(makeself 2.4.5\)") as caught:
        open_bundle(make(tmp_path / "stranger.run"))
    assert "opkg inspect stranger.run" in caught.value.hint


def test_one_that_is_not_gzip_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="cannot be listed"):
        makeself.list_files(make(tmp_path / "stranger.run", "w:xz"))


def test_a_header_that_asks_for_memory_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("x")
        member.pax_headers = {"comment": "y" * (8 << 20)}
        tar.addfile(member)
    path = tmp_path / "stranger.run"
    path.write_bytes(HEADER.format(trap="/nothing", lines=HEADER.count("\n")).encode() + packed.getvalue())
    with pytest.raises(BundleError, match="too large"):
        makeself.list_files(path)
