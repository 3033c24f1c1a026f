"""The OpenVINO engine: ONNX models whose custom operators run through opkg packages."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from typing_extensions import Buffer

class CustomOp:
    """What the engine has to know about one custom operator of a model."""

    def __init__(
        self,
        domain: str,
        type: str,
        key: str,
        root: str,
        host_library: str,
        inputs: Sequence[tuple[str, str]],
        outputs: Sequence[tuple[str, str]],
        attrs: Sequence[tuple[str, int, Any]] = (),
        op_type: str = "",
    ) -> None:
        """Describe it; the package is loaded when a model uses the operator.

        A node with several dynamic inputs, or a dynamic output, says how many tensors each declared input or output
        has in its attributes `opkg_inputs` and `opkg_outputs` (ints). Attributes of kinds that ONNX lacks are strings:
        a dtype is its canonical name (or ONNX's number), a list of lists is JSON, a tensor is `dtype:shape:bytes` as
        in `float32:2,1:0000803f00000040`.

        Args:
            domain: domain of the nodes in the model.
            type: operator type of the nodes in the model.
            key: names this operator of this package; stands in exported blobs and must be given again on import.
            root: directory of the package.
            host_library: its host library.
            inputs: name and `required`, `optional` or `dynamic` of each declared input.
            outputs: the same for outputs.
            attrs: each declared attribute in order: name, one of `_core.ATTR_*`, default (None: no default).
            op_type: the operator's type in the package where it is not `type` (a node that uses an alias).
        """
    @property
    def key(self) -> str: ...

class Model:
    """A compiled model. `infer` may be called from several threads at once; each gets a request of its own."""

    def __init__(
        self,
        model: str | Buffer | None,
        custom: Sequence[CustomOp] = (),
        *,
        config: Mapping[str, str] | None = None,
        blob: str | Buffer | None = None,
        input_shapes: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        """Compile an ONNX model, or import what `export_blob` gave.

        Args:
            model: serialised ONNX, or the path of an .onnx file; None with `blob`.
            custom: every custom operator that the model may use.
            config: properties of OpenVINO, as `{"INFERENCE_NUM_THREADS": "4"}`.
            blob: an exported model, or the path of one. `opkg.errors.ModelError`: it does not fit this engine.
            input_shapes: shapes to fix before compiling, by input name.

        Raises:
            ConvertError: OpenVINO cannot read or compile the model; the message names the operator.
            RunError: a package cannot be loaded, or an operator refuses the node.
        """
    @property
    def inputs(self) -> list[tuple[str, str, tuple[int, ...]]]:
        """Name, canonical dtype and shape (-1: any) of each input, in the model's order."""
    @property
    def outputs(self) -> list[tuple[str, str, tuple[int, ...]]]:
        """The same for outputs."""
    @property
    def custom_nodes(self) -> list[tuple[str, str, str]]:
        """Name, type and key of each custom node of the compiled model."""
    def infer(self, inputs: Sequence[NDArray[Any]] | Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """Run the model; outputs in the model's order. Raises `opkg.errors.RunError`."""
    def export_blob(self) -> bytes:
        """The compiled model, for `blob` in a later process with the same engine version and CPU."""

def version() -> str:
    """Version of OpenVINO that is loaded."""

def carries(dtype: str) -> bool:
    """Whether values of that canonical dtype reach a custom operator unchanged in this engine."""
