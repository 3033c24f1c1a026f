"""Changes or reads a root over and over; prints how often: run by the tests."""

from __future__ import annotations

import os
import random
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from made_bundles import UnsyncedDisk

from opkg.errors import NotFoundError
from opkg.store import Root

ROUNDS = 25


def write(root: Root, chance: random.Random, bundles: list[str]) -> None:
    """One change; that something is not there may be because another process was quicker."""
    what = chance.random()
    with suppress(NotFoundError):
        if what < 0.4:
            root.install(chance.choice(bundles))
        elif what < 0.5:
            root.upgrade(source=Path(bundles[0]).parent)
        elif what < 0.6:
            root.rollback(chance.choice(["", "customize"]))
        elif what < 0.65:
            root.sync(root.lock(), source=Path(bundles[0]).parent)
        elif what < 0.8:
            root.uninstall("customize", chance.choice(["square", "cube", "tri", None]))
        elif what < 0.9:
            root.uninstall("elsewhere", purge=True)
        else:
            root.collect(keep=chance.choice([0, 1]))


def read(root: Root) -> None:
    """One look, which must be at a whole state."""
    keys = [package.manifest.key for package in root.packages()]
    if len(set(keys)) != len(keys):
        raise AssertionError(keys)
    with suppress(NotFoundError):
        problems = root.verify()
        if problems:
            raise AssertionError(problems)


def main(path: str, role: str, seed: str, *bundles: str) -> None:
    """Run one process's share."""
    root = Root(path, disk=UnsyncedDisk())
    chance = random.Random(int(seed))
    for _ in range(ROUNDS):
        if role == "writer":
            write(root, chance, list(bundles))
        else:
            read(root)
    print(ROUNDS)


if __name__ == "__main__":
    os.environ["OPKG_NO_PLUGINS"] = "1"
    main(*sys.argv[1:])
