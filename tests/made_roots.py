"""Install roots made by hand, as the store leaves them."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from opkg.bundle.manifest import MANIFEST_NAME, ColumnEntry, Manifest, OperatorEntry
from opkg.opinfo import OpInfo, Param
from opkg.registry import layout


def operator(op_type: str, *aliases: str) -> OperatorEntry:
    x, y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
    return OperatorEntry(OpInfo(op_type, (x,), (y,)), (ColumnEntry(f"kernel/{op_type}_0.so"),), aliases)


def package(name: str, *op_types: str, vendor: str = "customize", version: str = "1.0.0", **other: object) -> Manifest:
    operators = tuple(map(operator, op_types))
    settings = {"operators": operators, "arch": os.uname().machine, "host_library": "host.so"} | other
    return Manifest(name, vendor, version, **settings)  # type: ignore[arg-type]


def write(folder: Path, manifest: Manifest) -> Path:
    """A package's folder with as much in it as the registry looks at."""
    folder.mkdir(parents=True)
    (folder / MANIFEST_NAME).write_text(manifest.to_json(), "utf-8")
    (folder / manifest.host_library).write_bytes(b"")
    return folder


@dataclass
class MadeRoot:
    """An install root as the store leaves it."""

    path: Path
    _generation: dict[str, int] = field(default_factory=dict)

    def show(self, vendor: str, *manifests: Manifest) -> list[Path]:
        """Make a generation with these packages the vendor's current one."""
        number = self._generation[vendor] = self._generation.get(vendor, 0) + 1
        folders = [self._keep(manifest) for manifest in manifests]
        generation = layout.generations_dir(self.path, vendor) / str(number)
        generation.mkdir(parents=True)
        base = layout.packages_dir(self.path, vendor)
        entries = [folder.relative_to(base).as_posix() for folder in folders]
        (generation / layout.GENERATION_NAME).write_text(layout.generation_text(entries), "utf-8")
        link = self.path / "vendors" / vendor
        link.parent.mkdir(exist_ok=True)
        draft = link.with_name(f".{vendor}.new")
        draft.symlink_to(os.path.relpath(generation, link.parent))
        draft.rename(link)
        return folders

    def _keep(self, manifest: Manifest) -> Path:
        digest = hashlib.sha256(manifest.to_json().encode()).hexdigest()
        folder = layout.package_dir(self.path, manifest.vendor, manifest.name, manifest.version, digest)
        return folder if folder.is_dir() else write(folder, manifest)


def foreign(vendor_dir: Path, op_type: str = "FastGeluGrad", soc: str = "ascend310b") -> Path:
    """A vendor's folder as CANN's own installer leaves it."""
    config = vendor_dir / "op_impl" / "ai_core" / "tbe" / "config" / soc
    config.mkdir(parents=True, exist_ok=True)
    described = {
        op_type: {
            "input0": {"name": "dy", "dtype": "float16,float32", "format": "ND,ND", "paramType": "required"},
            "output0": {"name": "z", "dtype": "float16,float32", "format": "ND,ND", "paramType": "required"},
            "opFile": {"value": "fast_gelu_grad"},
            "opInterface": {"value": "fast_gelu_grad"},
            "dynamicFormat": {"flag": "true"},
        }
    }
    (config / f"aic-{soc}-ops-info.json").write_text(json.dumps(described), "utf-8")
    return vendor_dir
