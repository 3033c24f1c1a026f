"""Where things are in an install root. The store writes this layout, the registry reads it.

    <root>/vendors/config.ini                                        load_priority=<vendor>,<vendor>
    <root>/vendors/<vendor>                                          link to the vendor's current generation
    <root>/.opkg/packages/<vendor>/<name>/<version>-<digest12>/      one package, whole, with its manifest
    <root>/.opkg/generations/<vendor>/<number>/                      files of all active packages of the vendor
    <root>/.opkg/generations/<vendor>/<number>/.opkg-generation.json which packages those are

A folder of a vendor without `.opkg-generation.json` was made by somebody else: by a bundle on a machine without opkg
(it has a manifest then) or by another installer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from opkg.errors import StoreError

STATE_DIR = ".opkg"
VENDORS_DIR = "vendors"
GENERATION_NAME = ".opkg-generation.json"
CONFIG_NAME = "config.ini"

_FORMAT = 1


def vendors_dir(root: Path) -> Path:
    """The folder of the vendors, as CANN's programs expect it."""
    return root / VENDORS_DIR


def config_ini(root: Path) -> Path:
    """The file with `load_priority`."""
    return root / VENDORS_DIR / CONFIG_NAME


def packages_dir(root: Path, vendor: str) -> Path:
    """The folder of all packages of a vendor, active or kept."""
    return root / STATE_DIR / "packages" / vendor


def package_dir(root: Path, vendor: str, name: str, version: str, digest: str) -> Path:
    """The folder of one package; `digest` is the sha256 of its manifest in hex, of which 12 digits count."""
    return packages_dir(root, vendor) / name / f"{version}-{digest[:12]}"


def generations_dir(root: Path, vendor: str) -> Path:
    """The folder of a vendor's generations."""
    return root / STATE_DIR / "generations" / vendor


def generation_text(packages: Sequence[str]) -> str:
    """The text of `.opkg-generation.json`.

    Args:
        packages: the active packages, `<name>/<version>-<digest12>` each, in the order in which they are looked at.
    """
    return json.dumps({"format": _FORMAT, "packages": list(packages)}, indent=1) + "\n"


def active_packages(vendor_dir: Path) -> tuple[Path, ...] | None:
    """The folders of the packages that a vendor's folder shows; None if it is not a generation of the store.

    Args:
        vendor_dir: `<root>/vendors/<vendor>`, or the generation that it leads to.

    Raises:
        StoreError: the record of the generation is damaged or of a newer opkg.
    """
    # Resolved once: a switch to another generation between two reads must not mix them.
    generation = vendor_dir.resolve()
    file = generation / GENERATION_NAME
    try:
        record = json.loads(file.read_bytes())
        # Said before anything else of it is read: a later format may have other keys.
        if record["format"] > _FORMAT:
            raise StoreError(f"{file} has format {record['format']}; this opkg reads up to {_FORMAT}")
        # <root>/.opkg/generations/<vendor>/<number>
        base = generation.parents[2] / "packages" / generation.parent.name
        return tuple(base / name for name in record["packages"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError(f"{file} cannot be read: {error!r}", "install the packages again") from error


def ops_info_files(package: Path) -> list[Path]:
    """The op infos of a package in CANN's layout, one file for each SoC."""
    return sorted(package.glob("op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"))


def vendor_names(root: Path) -> tuple[str, ...]:
    """The vendors that have a folder in a root: those of `load_priority` in its order, then the others by name.

    Raises:
        OSError: the folder of the vendors is there and cannot be read.
    """
    try:
        with os.scandir(vendors_dir(root)) as entries:
            names = {entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()}
    except (FileNotFoundError, NotADirectoryError):
        return ()
    first = [vendor for vendor in load_priority(root) if vendor in names]
    return (*first, *sorted(names.difference(first)))


def load_priority(root: Path) -> tuple[str, ...]:
    """The vendors in `config.ini`, first the one that wins; empty where there is no such file."""
    try:
        text = config_ini(root).read_text("utf-8", "replace")
    except OSError:
        return ()
    return parse_load_priority(text)


def parse_load_priority(text: str) -> tuple[str, ...]:
    """The vendors that the text of a `config.ini` names, without repetitions."""
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip() == "load_priority":
            return tuple(dict.fromkeys(word.strip() for word in value.split(",") if word.strip()))
    return ()
