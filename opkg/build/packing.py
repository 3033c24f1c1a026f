"""The bundle of a staged package: its name, and having it written."""

from __future__ import annotations

from pathlib import Path

from opkg.build.layout import arch
from opkg.bundle import write_bundle
from opkg.bundle.manifest import MANIFEST_NAME, Manifest

_OS_RELEASE = (Path("/etc/os-release"), Path("/usr/lib/os-release"))


def pack(package: Path, out: Path) -> Path:
    """Write `<out>/custom_opp_<os>_<arch>.run` of a staged package and return its path."""
    manifest = Manifest.from_json((package / MANIFEST_NAME).read_text("utf-8"))
    return write_bundle(package, manifest, out / bundle_name())


def bundle_name(os_release: tuple[Path, ...] = _OS_RELEASE) -> str:
    """The file name of a bundle made on this machine: `custom_opp_debian_x86_64.run`."""
    return f"custom_opp_{_os_id(os_release)}_{arch()}.run"


def _os_id(files: tuple[Path, ...]) -> str:
    """ID of os-release, after os-release(5): shell-like assignments, `linux` where there is none."""
    for file in files:
        try:
            lines = file.read_text("utf-8").splitlines()
        except OSError:
            continue
        for line in lines:
            key, _, value = line.partition("=")
            if key.strip() == "ID":
                return value.strip().strip("\"'") or "linux"
    return "linux"
