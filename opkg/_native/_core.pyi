"""Packages and their operators, called in this process."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

class Package:
    """A built package whose host library is loaded. The same library gives the same native handle."""

    def __init__(self, root: str, host_library: str) -> None:
        """Load it; raises `opkg.errors.RunError` when the file is not a package that this opkg can run."""
    @property
    def vendor(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def soc(self) -> str: ...
    @property
    def operators(self) -> list[str]: ...
    def describe(self) -> str:
        """The JSON of the operators' definitions in the library."""

class Call:
    """One operator with its attributes and its number of inputs and outputs, ready to run. Any thread may run it."""

    def __init__(
        self,
        package: Package,
        op_type: str,
        attrs: Sequence[tuple[str, int, Any]] = (),
        input_groups: Sequence[int] = (1,),
        output_groups: Sequence[int] = (1,),
        node_name: str = "",
    ) -> None:
        """Prepare a call.

        Args:
            package: where the operator is.
            op_type: its type.
            attrs: every declared attribute in order: name, one of the `ATTR_*` numbers, and a value (None: not set).
                A tensor attribute takes an array; a dtype attribute takes its `ge::DataType` number.
            input_groups: tensors of each declared input: 1 for required and optional ones, any number for dynamic ones.
            output_groups: the same for outputs.
            node_name: what errors call this call.
        """
    @property
    def input_count(self) -> int: ...
    @property
    def output_count(self) -> int: ...
    def run(
        self, inputs: Sequence[NDArray[Any] | None], out: Sequence[NDArray[Any]] | None = None
    ) -> Sequence[NDArray[Any]]:
        """Run it. Raises `opkg.errors.RunError`.

        Args:
            inputs: flat; None is an optional input that is not given.
            out: arrays to write the results to; must have the outputs' dtypes and shapes and be compact.

        Returns:
            New arrays, or `out`.
        """
    def __call__(self, *inputs: NDArray[Any] | None) -> Any:
        """Like `run`, on separate arguments; one output comes as an array, several as a tuple of arrays."""
    def infer(
        self, shapes: Sequence[Sequence[int] | None], dtypes: Sequence[int | None]
    ) -> list[tuple[int, tuple[int, ...] | None]]:
        """`ge::DataType` number and shape of each output.

        Args:
            shapes: shape of each input; -1 for a dimension and None for a rank that is not known.
            dtypes: `ge::DataType` number of each input; None for an optional input that is not given.

        Returns:
            Per output its dtype and its shape, with -1 or None in the same meaning.
        """

ATTR_INT: int
ATTR_FLOAT: int
ATTR_BOOL: int
ATTR_STRING: int
ATTR_DTYPE: int
ATTR_LIST_INT: int
ATTR_LIST_FLOAT: int
ATTR_LIST_BOOL: int
ATTR_LIST_STRING: int
ATTR_LIST_DTYPE: int
ATTR_LIST_LIST_INT: int
ATTR_TENSOR: int
ABI_VERSION: int

def threads() -> int:
    """How many threads operators use: `OPKG_NUM_THREADS`, else the CPUs that this process may use."""

def set_threads(count: int) -> None:
    """Use that many threads from now on."""
