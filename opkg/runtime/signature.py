"""What a model takes and gives, as a section of the offline model and as its users see it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opkg.errors import MALFORMED, ModelError, fault, short
from opkg.opinfo.dtypes import DTYPES


@dataclass(frozen=True)
class TensorInfo:
    """One input or output: its name, canonical data type, and shape.

    A dimension of -1 may be any number. `shape` is None where not even the number of dimensions is known. An input that
    is not `used` has no influence on the outputs.
    """

    name: str
    dtype: str
    shape: tuple[int, ...] | None
    used: bool = True

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.name}: {self.dtype}[...]"
        return f"{self.name}: {self.dtype}[{','.join('?' if d < 0 else str(d) for d in self.shape)}]"

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON has it."""
        shape = None if self.shape is None else list(self.shape)
        return {"name": self.name, "dtype": self.dtype, "shape": shape} | ({} if self.used else {"used": False})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TensorInfo:
        """The inverse of `to_dict`."""
        shape = data["shape"]
        shape = None if shape is None else tuple(map(int, shape))
        return cls(data["name"], data["dtype"], shape, data.get("used", True))


@dataclass(frozen=True)
class Signature:
    """Inputs and outputs of a model, in its own order, and the engine it was converted for."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    engine: str


def signature_json(signature: Signature) -> bytes:
    """The `signature` section."""
    data = {
        "inputs": [info.to_dict() for info in signature.inputs],
        "outputs": [info.to_dict() for info in signature.outputs],
        "engine": signature.engine,
        "gears": [],
    }
    return json.dumps(data, sort_keys=True, ensure_ascii=False).encode()


def read_signature(section: bytes) -> Signature:
    """The inverse of `signature_json`.

    Raises:
        ModelError: it does not read so.
    """
    try:
        data = json.loads(section)
        inputs, outputs = (_infos(data[side]) for side in ("inputs", "outputs"))
        unknown = [info.dtype for info in (*inputs, *outputs) if info.dtype not in DTYPES]
        if unknown:
            raise ModelError(f"the model's signature cannot be read: '{short(unknown[0])}' is no data type")
        return Signature(inputs, outputs, data["engine"])
    except MALFORMED as error:
        raise ModelError(f"the model's signature cannot be read: {fault(error)}") from error


def _infos(entries: Sequence[dict[str, Any]]) -> tuple[TensorInfo, ...]:
    return tuple(map(TensorInfo.from_dict, entries))
