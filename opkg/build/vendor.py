"""The vendor's toolchain: the project's own build.sh, run on a copy, with the toolkit that is installed here."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from opkg.build.process import Run
from opkg.errors import BuildError
from opkg.opinfo.socs import COMPUTE_UNITS
from opkg.plugins.types import Toolchain

_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
_USUAL = ("/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/latest", "/usr/local/Ascend/cann")
_STAGED = "build_out/_CPack_Packages/**/packages/vendors/*"
_SKIPPED = shutil.ignore_patterns("build_out", ".git", "__pycache__")


def toolkit_home(environ: Mapping[str, str] = os.environ, usual: tuple[str, ...] = _USUAL) -> Path:
    """The folder of the vendor's toolkit.

    Raises:
        BuildError: it is not installed; says what was looked at.
    """
    for name in _VARIABLES:
        value = environ.get(name)
        if value and not Path(value).is_dir():
            raise BuildError(f"{name} names {value}, which is not a folder", f"correct {name}", code="OPKG-4015")
        if value:
            return Path(value)
    for place in usual:
        if Path(place).is_dir():
            return Path(place)
    raise BuildError(
        f"the vendor's toolkit is not here: {' and '.join(_VARIABLES)} are not set, "
        f"and none of {', '.join(usual)} exists",
        "install CANN and run its set_env.sh, or build for this machine with --target cpu",
        code="OPKG-4015",
    )


def _build(project: Path, package: Path, log: Callable[[str], None]) -> None:
    home = toolkit_home()
    if not (project / "build.sh").is_file():
        raise BuildError(
            "the project has no build.sh, which the vendor's toolkit needs",
            "'opkg new' makes one in the current layout",
            code="OPKG-4015",
        )
    with tempfile.TemporaryDirectory(prefix="opkg-vendor-") as folder:
        copy = Path(folder, project.name)
        # build.sh wipes build_out/ of the project it is in.
        shutil.copytree(project, copy, symlinks=True, ignore=_SKIPPED)
        finished = Run(env={"ASCEND_HOME_PATH": str(home)})(["bash", "build.sh"], cwd=copy, on_line=log)
        if finished.code != 0:
            last = [line for line in finished.output.splitlines() if line.strip()][-1:] or ["it said nothing"]
            raise BuildError(f"the vendor's build failed: {last[0]}", log=finished.output, code="OPKG-4015")
        _take(copy, package)


def _take(copy: Path, package: Path) -> None:
    """Copy the package that the vendor's build staged."""
    found = sorted(p for p in copy.glob(_STAGED) if p.is_dir())
    if len(found) != 1:
        raise BuildError(
            f"the vendor's build left {len(found)} packages in build_out/_CPack_Packages, expected one",
            code="OPKG-4015",
        )
    shutil.copytree(found[0], package, dirs_exist_ok=True)


VENDOR = Toolchain("vendor", tuple(dict.fromkeys(COMPUTE_UNITS.values())), _build)
"""Builds for every compute unit, through the toolkit of CANN."""
