"""Installs a bundle into copies of a root in processes that a real SIGKILL stops at each call: run by the tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from crash.stopping import StoppingDisk, copy_root, kill

from opkg.store import Root


def main(bundle: str, folder: str, calls: str) -> None:
    """Print the exit status of each child: -9 where the signal ended it."""
    for number in range(2 * int(calls)):
        path = copy_root(Path(folder) / "template", Path(folder) / f"killed{number}")
        child = os.fork()
        if child == 0:
            disk = StoppingDisk(number // 2, ("before", "after")[number % 2], kill)
            Root(path, disk=disk).install(bundle)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    os.environ["OPKG_NO_PLUGINS"] = "1"
    main(*sys.argv[1:])
