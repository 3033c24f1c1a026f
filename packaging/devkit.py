"""Make opkg itself one file: build_out/opkg-devkit_<version>_linux-<arch>.run.

The payload is a tree that runs where it is put: opkg and everything it needs, installed below `lib/`, a launcher in
`bin/`, and the tree of `opkg toolkit` around them. Installing it needs a POSIX shell, tar and gzip; running it needs
the same minor version of Python as here.

usage: python packaging/devkit.py [--output-dir DIR]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

LAUNCHER = """#!/bin/sh
# Runs {what} with the Python that it was packed for; OPKG_PYTHON names another of the same version.
set -eu
self=$0
while [ -L "$self" ]; do
    link=$(readlink "$self")
    case $link in
        /*) self=$link ;;
        *) self=$(dirname "$self")/$link ;;
    esac
done
top=$(CDPATH='' cd -- "$(dirname -- "$self")/.." && pwd -P)
for python in ${{OPKG_PYTHON:+"$OPKG_PYTHON"}} python{version} python3 python; do
    if "$python" -c 'import sys; sys.exit(sys.version_info[:2] != ({tuple}))' 2>/dev/null; then
        PYTHONPATH=$top/lib${{PYTHONPATH:+:$PYTHONPATH}}
        export PYTHONPATH
        exec "$python" {arguments}"$@"
    fi
done
echo "opkg: this installation needs Python {version}, and none was found" >&2
echo "  install it, or name it in OPKG_PYTHON" >&2
exit 1
"""

LAY_OUT = """
import sys
from pathlib import Path
tree = Path(sys.argv[1])
sys.path.insert(0, str(tree / "lib"))
from opkg.build.toolkit import lay_out
lay_out(tree)
"""


def version() -> str:
    """opkg's version, as pyproject.toml has it."""
    return str(tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def build_tree(tree: Path) -> None:
    """Install opkg and its requirements below `tree`, and put the launchers and the toolkit beside them."""
    shutil.rmtree(tree, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(tree / "lib"), str(TOP)]
    subprocess.run(pip, check=True)
    shutil.rmtree(tree / "lib" / "bin", ignore_errors=True)
    for unused in ("cmake/data/doc", "cmake/data/man", "onnx/backend/test/data"):
        shutil.rmtree(tree / "lib" / unused, ignore_errors=True)
    subprocess.run([sys.executable, "-P", "-c", LAY_OUT, str(tree)], check=True)
    write_launchers(tree)
    major, minor = sys.version_info[:2]
    write(tree / "version.info", f"version={version()}\npython={major}.{minor}\narch={platform.machine()}\n", 0o644)


def write_launchers(tree: Path) -> None:
    """`bin/opkg`, `bin/opkg-python` (a Python that can import opkg), and what puts them on PATH."""
    major, minor = sys.version_info[:2]
    for name, what, arguments in (("opkg", "opkg", "-P -m opkg "), ("opkg-python", "a Python that has opkg", "")):
        text = LAUNCHER.format(version=f"{major}.{minor}", tuple=f"{major}, {minor}", what=what, arguments=arguments)
        write(tree / "bin" / name, text, 0o755)
    write(tree / "set_env.sh", (TOP / "native" / "toolkit" / "set_env.sh").read_text("utf-8"), 0o644)


def write(path: Path, text: str, mode: int) -> None:
    """Write a text file with exactly that mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(mode)


def pack(tree: Path, payload: Path) -> None:
    """The tree as a tar file whose bytes depend on nothing but the tree's own."""
    with (
        payload.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(p for p in tree.rglob("*") if travels(p) and "__pycache__" not in p.parts):
            info = archive.gettarinfo(path, path.relative_to(tree).as_posix())
            info.uid = info.gid = info.mtime = 0
            info.uname = info.gname = ""
            info.mode = 0o755 if info.isdir() or os.access(path, os.X_OK) else 0o644
            if not info.isreg():
                archive.addfile(info)
                continue
            with path.open("rb") as content:
                archive.addfile(info, content)


def travels(path: Path) -> bool:
    """Files, the toolkit's links, and folders with nothing in them; other folders come with what they hold."""
    return path.is_symlink() or path.is_file() or not any(path.iterdir())


def write_run(payload: Path, out: Path) -> None:
    """Stub, then payload. The stub knows its own length, and the payload's length and digest."""
    stub = (TOP / "packaging" / "devkit_stub.sh").read_text("utf-8")
    digest = hashlib.sha256(payload.read_bytes()).hexdigest()
    fill = {
        "@VERSION@": version(),
        "@ARCH@": platform.machine(),
        "@PAYLOAD_SIZE@": str(payload.stat().st_size),
        "@PAYLOAD_SHA256@": digest,
    }
    for key, value in fill.items():
        stub = stub.replace(key, value)
    size = len(stub.encode()) - len("@STUB_SIZE@") + 10
    head = stub.replace("@STUB_SIZE@", f"{size:010d}").encode()
    assert len(head) == size
    partial = out.with_suffix(".part")
    with partial.open("wb") as file, payload.open("rb") as content:
        file.write(head)
        shutil.copyfileobj(content, file)
    partial.chmod(0o755)
    partial.rename(out)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output-dir", type=Path, default=TOP / "build_out")
    args = parser.parse_args()
    work = TOP / "build" / "devkit"
    build_tree(work / "tree")
    pack(work / "tree", work / "payload.tar.gz")
    args.output_dir.mkdir(parents=True, exist_ok=True)
    out = args.output_dir / f"opkg-devkit_{version()}_linux-{platform.machine()}.run"
    write_run(work / "payload.tar.gz", out)
    print(f"{out}  {out.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
