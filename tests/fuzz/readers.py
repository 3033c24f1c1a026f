"""What is fuzzed: each reader, the honest inputs that it starts from, and how an input is handed to it."""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from made_hostile import Parts, assemble, gzip, take_apart

DATA = Path(__file__).resolve().parents[1] / "data" / "cases" / "opinfo"


@dataclass(frozen=True)
class Reader:
    """A reader, and honest inputs for it."""

    corpus: tuple[bytes, ...]
    read: Callable[[bytes], object]


def readers(folder: Path) -> Mapping[str, Reader]:
    """Every reader; `folder` takes the files that some of them need."""
    (folder / "honest").mkdir(exist_ok=True)
    parts = take_apart(folder / "honest")
    whole = assemble(parts.body, parts.manifest_bytes, gzip(parts.tar))
    inis = tuple(sorted(p.read_bytes() for p in DATA.rglob("*.ini")))
    irs = tuple(sorted(p.read_bytes() for p in DATA.rglob("ir*.json")))
    signatures = (b"", _signature())
    return {
        "bundle": Reader((whole, whole + b"x"), lambda data: _bundle(folder, data)),
        "manifest of a bundle": Reader(
            (parts.manifest_bytes,), lambda data: _bundle(folder, _with(parts, manifest=data))
        ),
        "files of a bundle": Reader((parts.tar[:4096],), lambda data: _bundle(folder, _with(parts, tar=data))),
        "signature of a bundle": Reader(signatures, lambda data: _bundle(folder, _with(parts, signature=data))),
        "ini": Reader(inis, _ini),
        "json": Reader(irs, _ir),
        "om": Reader((_om(_SECTIONS),), lambda data: _read_om(folder, data)),
        "om, resealed": Reader((_om(_SECTIONS),), lambda data: _read_om(folder, _resealed(data))),
        **{f"{name} of an om": _section(folder, name) for name in ("signature", "operators", "options")},
    }


def _section(folder: Path, name: str) -> Reader:
    return Reader((_SECTIONS[name],), lambda data: _read_om(folder, _om(_SECTIONS | {name: data})))


# ---- bundles


def _with(parts: Parts, **changed: bytes) -> bytes:
    """A bundle with one part changed and every checksum right."""
    manifest = changed.get("manifest", parts.manifest_bytes)
    return assemble(parts.body, manifest, gzip(changed.get("tar", parts.tar)), changed.get("signature", b""))


def _bundle(folder: Path, data: bytes) -> None:
    from opkg.bundle import describe_bundle, open_bundle
    from opkg.bundle.difference import differences

    file = folder / "x.run"
    file.write_bytes(data)
    with open_bundle(file) as bundle, tempfile.TemporaryDirectory(dir=folder) as dest:
        assert differences(bundle.manifest, bundle.manifest) == []
        bundle.extract(Path(dest) / "out")
    describe_bundle(file)


def _signature() -> bytes:
    return f"opkg signature 1\ned25519 {'ab' * 32}\n{'cd' * 64}\n".encode()


# ---- descriptions of operators


def _ini(data: bytes) -> None:
    from opkg.opinfo import read_ini, write_ini

    read = read_ini(data.decode(errors="surrogateescape"), "x.ini")
    if read:
        write_ini(read)


def _ir(data: bytes) -> None:
    from opkg.opinfo import read_ir_json, write_ir_json

    read = read_ir_json(data.decode(errors="surrogateescape"), "x.json")
    if read:
        write_ir_json(read)


# ---- offline models

_PARAM = {"name": "x", "param_type": "required", "dtypes": ["float32"], "formats": ["ND"]}
_OP_INFO = {
    "op": "Square",
    "inputs": [_PARAM],
    "outputs": [_PARAM | {"name": "y"}],
    "attrs": [],
    "kernel": None,
    "flags": {},
}


def _sections() -> dict[str, bytes]:
    from opkg.opinfo import OpInfo
    from opkg.runtime.operators import OperatorSpec, operators_json
    from opkg.runtime.signature import Signature, TensorInfo, signature_json

    spec = OperatorSpec("customize", OpInfo.from_dict(_OP_INFO), "customize", "square", "1.0", "0" * 64, ("n",))
    x = TensorInfo("x", "float32", (1, -1))
    return {
        "graph": b"\x08\x09",
        "weights": bytes(64),
        "signature": signature_json(Signature((x,), (x,), "openvino")),
        "operators": operators_json([spec]),
        "options": json.dumps({"input_shape": "x:1,2"}).encode(),
        "label": b"a label",
    }


def _om(sections: Mapping[str, bytes]) -> bytes:
    from opkg.runtime.om import write_om

    with tempfile.TemporaryDirectory() as folder:
        return write_om(Path(folder) / "x.om", sections).read_bytes()


def _resealed(image: bytes) -> bytes:
    """The same file with the right magic, size and checksum of its header."""
    data = bytearray(image.ljust(64, b"\0"))
    data[:8] = b"\x89OM\r\n\x1a\n\0"
    data[16:24] = struct.pack("<Q", len(data))
    count = min(struct.unpack_from("<I", data, 12)[0], (len(data) - 64) // 128)
    data[32:64] = hashlib.sha256(data[:32] + data[64 : 64 + 128 * count]).digest()
    return bytes(data)


def _read_om(folder: Path, data: bytes) -> None:
    from opkg.cli.inspect import describe_om

    file = folder / "x.om"
    file.write_bytes(data)
    json.dumps(describe_om(file, verify=True), default=str)


_SECTIONS = _sections()


def main() -> None:
    """`readers.py READER FILE`: hand a file to a reader, to look at a finding."""
    name, file = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        readers(Path(folder))[name].read(Path(file).read_bytes())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
