"""Where a package's source comes from: the commit of the git work tree that its project lies in."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

_TIMEOUT = 30


def source_of(root: Path, out: Path) -> dict[str, Any]:
    """The commit that a project was built from, and whether the project differed from it.

    Args:
        root: the project's folder.
        out: folder of what is built, which does not count as a difference.

    Returns:
        `{"commit": <hex>, "dirty": <bool>}`; empty where the project is not under git, so that the same files give the
        same package wherever they lie.
    """
    if not any(os.path.lexists(folder / ".git") for folder in (root, *root.parents)) or shutil.which("git") is None:
        return {}
    left_out = [f":(exclude){out.relative_to(root)}"] if out.is_relative_to(root) and out != root else []
    said = _git(root, "status", "--porcelain=v2", "--branch", "--untracked-files=normal", "--", ".", *left_out)
    commit = next((line.split()[2] for line in said.splitlines() if line.startswith("# branch.oid ")), "")
    if not commit.isalnum():
        return {}
    dirty = any(not line.startswith("#") for line in said.splitlines())
    # A folder that git ignores is not a part of the commit, and looks as if nothing had changed.
    if not _git(root, "ls-files", "--", "."):
        return {}
    return {"commit": commit, "dirty": dirty}


def _git(root: Path, *words: str) -> str:
    """What git prints; nothing where it fails. Nothing that the repository configures is run."""
    # Inside of a hook these name another repository. Without optional locks the index of a project is only read, and
    # fsmonitor would be a program that the repository names.
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(root), *words]
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""
