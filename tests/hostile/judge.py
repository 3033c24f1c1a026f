"""Judges bundles in a process of its own: `judge.py JAIL BYTES FILE...`, a line of JSON each, then the peak of memory.

Each file is described, unpacked and installed. What it made the process start or load, and what it left behind outside
of the folder it was unpacked to, is reported as well.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import time
from pathlib import Path

from opkg.bundle import describe_bundle, open_bundle
from opkg.errors import OpkgError
from opkg.store import Disk, Root
from opkg.store import root as _  # noqa: F401 - loaded before memory is limited and events count

STARTING = (
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.system",
    "os.fork",
    "os.forkpty",
    "ctypes.dlopen",
    "import",
)
events: list[str] = []


class Quick(Disk):
    """A disk that promises nothing about power cuts."""

    def sync(self, path: Path) -> None: ...

    def sync_all(self, path: Path) -> None: ...


def watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in STARTING and (event != "import" or str(arguments[1] or "").startswith(str(jail))):
        events.append(f"{event} {arguments[:1]}")


def everything(folder: Path) -> set[str]:
    return {str(Path(top, name)) for top, folders, files in os.walk(folder) for name in (*folders, *files)}


def peak() -> int:
    """Most bytes of memory this program had: ru_maxrss would count what its parent had when it was forked, too."""
    status = Path("/proc/self/status").read_text("utf-8")
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))


def attempt(step: object, *arguments: object) -> OpkgError | None:
    try:
        step(*arguments)  # type: ignore[operator]
    except OpkgError as error:
        error.__cause__ = error.__context__ = None  # their frames hold what was read
        return error.with_traceback(None)
    return None


def extract(file: Path, dest: Path) -> None:
    with open_bundle(file) as bundle:
        bundle.extract(dest)


def judge(file: Path) -> dict[str, object]:
    dest, root = jail / "dest", jail / "root"
    before = everything(jail.parent)
    events.clear()
    start = time.monotonic()
    attempt(describe_bundle, file)
    errors = [attempt(extract, file, dest), attempt(Root(root, disk=Quick()).install, file)]
    seconds = time.monotonic() - start
    started = list(events)
    installed = list((root / "vendors").glob("*")) if root.exists() else []
    shutil.rmtree(dest, ignore_errors=True)
    shutil.rmtree(root, ignore_errors=True)
    written = sorted(everything(jail.parent) - before) + [str(path) for path in installed]
    if None in errors:
        return {
            "kind": "accepted",
            "message": "",
            "hint": "",
            "seconds": seconds,
            "events": started,
            "written": written,
        }
    error = errors[0]
    assert error is not None
    return {
        "kind": "OpkgError",
        "message": error.message,
        "hint": error.hint,
        "seconds": seconds,
        "events": started,
        "written": written,
    }


def judged(file: Path) -> dict[str, object]:
    try:
        return judge(file)
    except BaseException as error:  # whatever it is: the test must hear of it
        said = f"{type(error).__name__}: {error}"[:500]
        return {"kind": type(error).__name__, "message": said, "hint": "", "seconds": 0, "events": [], "written": []}


if __name__ == "__main__":
    jail, limit = Path(sys.argv[1]), int(sys.argv[2])
    os.chdir(jail)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    sys.addaudithook(watch)
    for name in sys.argv[3:]:
        print(json.dumps(judged(Path(name))), flush=True)
    print(json.dumps({"peak": peak()}))
