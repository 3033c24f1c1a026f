"""What `opkg doctor` looks at in install roots: interrupted changes, permissions, `config.ini`, packages, strangers."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from opkg.errors import BundleError, StoreError
from opkg.plugins.types import Finding
from opkg.registry import layout
from opkg.registry.roots import default_root, install_roots
from opkg.store import change as changes
from opkg.store import journal
from opkg.store.lock import holder
from opkg.store.state import VendorState, current_generation, read_state

_SUBJECT = "install root"


def check_roots(install_path: Path | None) -> Iterator[Finding]:
    """Every install root that is looked into."""
    for root in install_roots(install_path):
        if root.exists():
            yield from _root(root, install_path)
        elif root == default_root(install_path):
            yield Finding(_SUBJECT, "ok", f"{root} is made by the first installation")


def _root(root: Path, install_path: Path | None) -> Iterator[Finding]:
    if not root.is_dir():
        yield Finding(_SUBJECT, "problem", f"{root} is not a folder", "name another one with --install-path DIR")
        return
    if not os.access(root, os.R_OK | os.X_OK):
        yield Finding(_SUBJECT, "problem", f"{root} cannot be read", f"chmod a+rX {_quoted(root)}, as its owner")
        return
    findings = [
        *_unfinished(root),
        *_writable(root, required=root == default_root(install_path)),
        *_config(root),
        *(finding for vendor in _vendors(root) for finding in _vendor(root, vendor)),
    ]
    yield from findings
    if not any(finding.state == "problem" for finding in findings):
        count = len(layout.vendor_names(root))
        yield Finding(_SUBJECT, "ok", f"{root} has {count} vendor{'' if count == 1 else 's'}")


def _unfinished(root: Path) -> Iterator[Finding]:
    if not changes.needs_recovery(root):
        return
    who = holder(changes.lock_path(root))
    if who:
        yield Finding(_SUBJECT, "note", f"{who} is changing {root} just now")
        return
    record = journal.read(changes.journal_path(root))
    advice = f"opkg doctor --recover --install-path {_quoted(root)}; so does the next command that changes the root"
    if record is None:
        message = (
            f"a change of {root} was interrupted before it began: the root is in the old state, files are left over"
        )
    else:
        first = record.views[0]
        state = "new" if current_generation(root, first.vendor) == first.after else "old"
        vendors = ", ".join(view.vendor for view in record.views)
        message = (
            f"a change of {vendors} in {root} was interrupted: the root is in the {state} state, not yet tidied up"
        )
    yield Finding(_SUBJECT, "problem", message, advice)


def _writable(root: Path, *, required: bool) -> Iterator[Finding]:
    places = [place for place in (root, layout.vendors_dir(root), changes.private_dir(root)) if place.exists()]
    closed = [place for place in places if not os.access(place, os.W_OK | os.X_OK)]
    own_vendors = [p for p in closed if p == layout.vendors_dir(root) and p.stat().st_uid == os.geteuid()]
    closed = [place for place in closed if place not in own_vendors]  # CANN's installer closes it; opkg opens its own
    if closed:
        advice = "install elsewhere with --install-path DIR, or as a user who may write there"
        state = "problem" if required else "note"
        yield Finding(_SUBJECT, state, f"you may not write {closed[0]}", advice if required else "")


def _config(root: Path) -> Iterator[Finding]:
    config = layout.config_ini(root)
    if not config.exists():
        return
    try:
        text = config.read_text("utf-8")
    except OSError as error:
        yield Finding(
            "config.ini", "problem", f"{config} cannot be read: {error.strerror}", f"chmod a+r {_quoted(config)}"
        )
        return
    except UnicodeDecodeError:
        yield Finding(
            "config.ini", "problem", f"{config} is not UTF-8", f"correct it: ${{EDITOR:-vi}} {_quoted(config)}"
        )
        return
    there = layout.vendor_names(root)
    gone = [vendor for vendor in layout.parse_load_priority(text) if vendor not in there]
    if gone:
        message = (
            f"load_priority in {config} names {', '.join(gone)}, which {'is' if len(gone) == 1 else 'are'} not there"
        )
        yield Finding("config.ini", "problem", message, f"take it out: ${{EDITOR:-vi}} {_quoted(config)}")


def _vendors(root: Path) -> list[str]:
    """Everything in `vendors/` that is or ought to be a vendor, links that lead nowhere too."""
    try:
        names = os.listdir(layout.vendors_dir(root))  # noqa: PTH208
    except OSError:
        return []
    return sorted(n for n in names if n[0] != "." and ((layout.vendors_dir(root) / n).is_dir() or _is_link(root, n)))


def _is_link(root: Path, vendor: str) -> bool:
    return (layout.vendors_dir(root) / vendor).is_symlink()


def _vendor(root: Path, vendor: str) -> Iterator[Finding]:
    place = layout.vendors_dir(root) / vendor
    again = "install its packages again"
    if not place.exists():
        yield Finding("vendor", "problem", f"{place} leads nowhere", f"{again}, or rm {_quoted(place)}")
        return
    if not os.access(place, os.R_OK | os.X_OK):
        yield Finding("vendor", "problem", f"{place} cannot be read", f"chmod -R a+rX {_quoted(place.resolve())}")
        return
    try:
        state = read_state(root, vendor)
    except (StoreError, BundleError, ValueError) as error:
        yield Finding("vendor", "problem", f"{place}: {error}", f"{again}: opkg install BUNDLE")
        return
    if state.kind == "foreign":
        advice = f"to share the folder with opkg: opkg install BUNDLE --adopt --install-path {_quoted(root)}"
        yield Finding("vendor", "note", f"{place} was made by another installer", advice)
    yield from _packages(state)


def _packages(state: VendorState) -> Iterator[Finding]:
    """The packages of which files are missing or have another size; `opkg verify` compares every byte."""
    for shown in state.shown:
        wrong = [entry.path for entry in shown.manifest.files if not _has_size(shown.folder / entry.path, entry.size)]
        if wrong:
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            message = f"{shown.manifest.key} {shown.manifest.version} is damaged: {shown.folder / wrong[0]}{more}"
            yield Finding(
                "package", "problem", message, "install its bundle again; 'opkg verify' lists every difference"
            )


def _has_size(file: Path, size: int) -> bool:
    try:
        return file.is_file() and file.stat().st_size == size
    except OSError:
        return False


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
