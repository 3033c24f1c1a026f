"""Loading and running offline models."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.errors import ModelError, RunError
from opkg.plugins.types import Engine
from opkg.runtime import cache
from opkg.runtime.engines import Session, engine_named
from opkg.runtime.numpy_types import numpy_dtype
from opkg.runtime.om import GRAPH, OPERATORS, SIGNATURE, WEIGHTS, OmFile, read_om
from opkg.runtime.operators import BoundOperator, OperatorSpec, bind_operators, read_operators
from opkg.runtime.signature import Signature, TensorInfo, read_signature

if TYPE_CHECKING:
    import onnx
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class CustomNode:
    """A node of a loaded model that a package runs."""

    name: str
    op_type: str


class Model:
    """An offline model that is ready to run. Any number of threads may run it at once.

    Attributes:
        inputs: what `run` takes, in the model's order.
        outputs: what it gives.
        operators: the custom operators in it.
    """

    def __init__(
        self,
        signature: Signature,
        operators: tuple[OperatorSpec, ...],
        session: Session,
        memory: memoryview,
        ranges: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        self.inputs: tuple[TensorInfo, ...] = signature.inputs
        self.outputs: tuple[TensorInfo, ...] = signature.outputs
        self.operators = operators
        self._session = session
        self._memory = memory  # mapped, and read by the session as long as it lives
        self._dtypes = [numpy_dtype(info.dtype) for info in signature.inputs]
        self._bounded = [
            (i, *ranges[x.dtype]) for i, x in enumerate(signature.inputs) if x.used and ranges and x.dtype in ranges
        ]

    def __repr__(self) -> str:
        sides = (", ".join(map(str, side)) for side in (self.inputs, self.outputs))
        return f"Model({' -> '.join(sides)})"

    @property
    def custom_nodes(self) -> tuple[CustomNode, ...]:
        """The nodes that packages run, once each for every run of the model."""
        return tuple(CustomNode(name, op_type) for name, op_type, _ in self._session.custom_nodes)

    def run(self, inputs: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """Run the model.

        Args:
            inputs: an array for each input, by name, of the very dtype and a shape that fits.

        Returns:
            An array for each output, by name.

        Raises:
            RunError: an input is missing, unknown, or of another dtype or shape; or an operator failed.
        """
        if len(inputs) != len(self.inputs) or any(info.name not in inputs for info in self.inputs):
            self._complain_of_names(inputs)
        arrays = [
            _fitting(inputs[info.name], info, dtype) for info, dtype in zip(self.inputs, self._dtypes, strict=True)
        ]
        for index, low, high in self._bounded:
            _check_range(arrays[index], self.inputs[index], low, high)
        # The engine was compiled without the inputs that nothing uses; callers give them all the same.
        results = self._session.infer([array for array, info in zip(arrays, self.inputs, strict=True) if info.used])
        return {info.name: array for info, array in zip(self.outputs, results, strict=True)}

    def _complain_of_names(self, inputs: Mapping[str, Any]) -> None:
        names = [info.name for info in self.inputs]
        unknown = [str(name) for name in inputs if name not in names]
        missing = [name for name in names if name not in inputs]
        wrong = [f"missing: {', '.join(missing)}"] if missing else []
        wrong += [f"unknown: {', '.join(unknown)}"] if unknown else []
        raise RunError(
            f"the inputs do not fit the model; {'; '.join(wrong)}", f"it takes {', '.join(map(str, self.inputs))}"
        )


def load(path: str | os.PathLike[str], *, install_path: str | os.PathLike[str] | None = None) -> Model:
    """Load an offline model.

    Args:
        path: the `.om` file.
        install_path: install root to look for its operators in, instead of the default one.

    Raises:
        ModelError: the file is not an offline model, damaged, or needs an engine that is not here.
        NotFoundError: an operator it needs is not installed; says what was looked at.
    """
    with read_om(Path(path)) as om:
        signature = read_signature(bytes(om.section(SIGNATURE)))
        specs = read_operators(bytes(om.section(OPERATORS)))
        bound = _bind(specs, install_path)
        engine = engine_named(signature.engine)
        session, memory = open_session(om, engine, bound)
        # Leaving this block closes the file, not the mapping: the session goes on reading the weights.
        _check_signature(om, signature, session)
    return Model(signature, specs, session, memory, getattr(engine.open, "ranges", None))


def _check_signature(om: OmFile, signature: Signature, session: Session) -> None:
    used = [info for info in signature.inputs if info.used]
    if (len(used), len(signature.outputs)) != (len(session.inputs), len(session.outputs)):
        raise ModelError(f"{om.path} is damaged: its signature does not fit its graph", "convert the model again")


def _bind(specs: Sequence[OperatorSpec], install_path: str | os.PathLike[str] | None) -> tuple[BoundOperator, ...]:
    if not specs:
        return ()
    from opkg.registry import open_registry

    return bind_operators(specs, open_registry(None if install_path is None else Path(install_path)))


def open_session(om: OmFile, engine: Engine, operators: Sequence[BoundOperator]) -> tuple[Session, memoryview]:
    """A session from the local cache of compiled models, or a new one that is then kept there.

    Returns:
        The session, and the mapped memory that it may go on reading.
    """
    key = _cache_key(engine, om.digest, operators)
    blob = cache.find_blob(key) if key else None
    if blob is not None:
        try:
            return engine.open(None, operators, blob=blob), blob
        except ModelError:
            # Made by this very engine and refused all the same: it costs a compilation, as the graph is here.
            cache.drop_blob(key)
    weights = om.section(WEIGHTS)
    session = compile_graph(bytes(om.section(GRAPH)), weights, engine, operators)
    keep_compiled(session, engine, om.digest, operators)
    return session, weights


def compile_graph(graph: bytes, weights: memoryview, engine: Engine, operators: Sequence[BoundOperator]) -> Session:
    """A session on a graph whose large tensors stand in `weights`, which must live as long as the session."""
    import numpy as np

    from opkg.runtime.weights import refer_to_memory

    model = _parsed(graph)
    refer_to_memory(model, np.frombuffer(weights, np.uint8).ctypes.data if len(weights) else 0, len(weights))
    session: Session = engine.open(model.SerializeToString(), operators)
    return session


def _parsed(graph: bytes) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model: onnx.ModelProto = onnx.ModelProto.FromString(graph)
        return model
    except DecodeError as error:
        raise ModelError("the model is damaged: its graph cannot be read", "convert the model again") from error


def keep_compiled(session: Session, engine: Engine, digest: str, operators: Sequence[BoundOperator]) -> None:
    """Keep a session's compiled form for the next load of the offline model with that digest."""
    key = _cache_key(engine, digest, operators)
    if key and cache.enabled():
        cache.keep_blob(key, session.export_blob())


def _cache_key(engine: Engine, digest: str, operators: Sequence[BoundOperator]) -> str:
    identity = getattr(engine.open, "identity", None)
    if identity is None:
        return ""
    return cache.cache_key([engine.name, identity(), digest, *(o.key for o in operators)])


def _fitting(value: ArrayLike, info: TensorInfo, dtype: Any) -> NDArray[Any]:
    import numpy as np

    array = np.asarray(value)
    # Never converted in silence: the caller would get other numbers than they think they gave.
    if array.dtype != dtype:
        raise RunError(f"input '{info.name}' has dtype {array.dtype}; the model takes {info}", f"pass {dtype}")
    shape = info.shape
    if shape is not None and (
        len(shape) != array.ndim or any(want not in (have, -1) for want, have in zip(shape, array.shape, strict=True))
    ):
        raise RunError(f"input '{info.name}' has shape {list(array.shape)}; the model takes {info}")
    return array if array.flags.c_contiguous and array.dtype.isnative else np.ascontiguousarray(array, dtype)


def _check_range(array: NDArray[Any], info: TensorInfo, low: int, high: int) -> None:
    if array.size == 0 or (array.min() >= low and array.max() <= high):
        return
    value = int(array.min()) if array.min() < low else int(array.max())
    raise RunError(
        f"input '{info.name}' has the value {value}; the model's engine takes {info.dtype} from {low} to {high}",
        "it would compute with another value",
    )
