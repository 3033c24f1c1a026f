"""Install roots: transactions that install, remove and verify packages."""

from opkg.registry.machine import Machine, shortcomings
from opkg.registry.roots import default_root, install_roots
from opkg.store.describe import can_describe, describe
from opkg.store.disk import Disk
from opkg.store.environment import export_line
from opkg.store.garbage import Unused
from opkg.store.history import Entry
from opkg.store.lockfile import LOCK_NAME, Lock, Locked, read_lock
from opkg.store.model import InstalledPackage, InstallResult, Problem
from opkg.store.root import Root
from opkg.store.trust import TrustedKey, check_trusted, requires_signed, trusted_keys

__all__ = [
    "LOCK_NAME",
    "Disk",
    "Entry",
    "InstallResult",
    "InstalledPackage",
    "Lock",
    "Locked",
    "Machine",
    "Problem",
    "Root",
    "TrustedKey",
    "Unused",
    "can_describe",
    "check_trusted",
    "default_root",
    "describe",
    "export_line",
    "install_roots",
    "read_lock",
    "requires_signed",
    "shortcomings",
    "trusted_keys",
]
