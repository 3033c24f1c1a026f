"""How a generated kernel computes in each data type, read off the vendor's tables of what its vector unit takes.

*native*: the vector unit has Add and Mul for the type itself. *float*: the type is cast to float32, computed in and
cast back. *scalar*: there is neither, and the scalar unit does it element by element, modulo 2^64. *double*: so too, in
double.
An operator that sums along an axis has no native columns: floats are summed in float32, integers by the scalar unit.
"""

from __future__ import annotations

from collections.abc import Iterable

NATIVE = ("float16", "float32", "int16", "int32")
CAST = ("bfloat16", "int8", "uint8", "bool", "int64")
SCALAR = ("uint16", "uint32", "uint64")
DOUBLE = ("double",)
SUPPORTED = (*NATIVE, *CAST, *SCALAR, *DOUBLE)
PATHS = ("native", "float", "scalar", "double")

_FLOATS = frozenset(("float16", "float32", "bfloat16"))
_LOOPED = frozenset(("int64", *SCALAR))
_SUMMED_LOOPED = _LOOPED | {"int16", "int32"}


def path(dtypes: Iterable[str], sums: bool = False) -> str:
    """How a column with these data types, all of inputs and outputs, is computed: one of `PATHS`.

    Args:
        dtypes: of all inputs and outputs.
        sums: whether the operator sums along an axis.
    """
    names = set(dtypes)
    if "double" in names:
        return "double"
    if len(names) == 1 and names <= set(NATIVE) and not sums:
        return "native"
    if names & (_SUMMED_LOOPED if sums else _LOOPED) and not names & _FLOATS:
        return "scalar"
    return "float"
