"""What a program needs in its environment to find installed operators."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

ENVIRONMENT_FILE = "bin/set_env.bash"
API_FOLDER = "op_api/lib"


def environment_of(folders: Iterable[Path]) -> dict[str, str]:
    """What to put in front of which variable, for vendors' folders in order of priority."""
    folders = list(folders)
    found = {"ASCEND_CUSTOM_OPP_PATH": ":".join(map(str, folders))}
    libraries = [str(folder / API_FOLDER) for folder in folders if (folder / API_FOLDER).is_dir()]
    if libraries:
        found["LD_LIBRARY_PATH"] = ":".join(libraries)
    return found


def export_line(variable: str, value: str) -> str:
    """A line of shell that puts `value` in front of what a variable holds."""
    # Quoted always, so that the lines look the same for every path.
    quoted = shlex.quote(value + " ")[:-2] + "'"
    return f'export {variable}={quoted}"${{{variable}:+:${variable}}}"\n'


def environment_text(place: Path, has_api: bool) -> str:
    """The `set_env.bash` of a vendor whose view is seen at `place`."""
    text = export_line("ASCEND_CUSTOM_OPP_PATH", str(place))
    return text + (export_line("LD_LIBRARY_PATH", str(place / API_FOLDER)) if has_api else "")
