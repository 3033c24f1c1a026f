"""How a generated kernel computes in each data type, read off the vendor's tables of what its vector unit takes.

*native*: the vector unit has Add and Mul for the type itself. *float*: the type is cast to float32, computed in and
cast back. *scalar*: there is neither, and the scalar unit does it element by element.
"""

from __future__ import annotations

from collections.abc import Iterable

NATIVE = ("float16", "float32", "int16", "int32")
CAST = ("bfloat16", "int8", "uint8", "bool", "int64")
SCALAR = ("uint16", "uint32", "uint64")
SUPPORTED = (*NATIVE, *CAST, *SCALAR)

_FLOATS = frozenset(("float16", "float32", "bfloat16"))
_LOOPED = frozenset(("int64", *SCALAR))


def path(dtypes: Iterable[str]) -> str:
    """`native`, `float` or `scalar`: how a column with these data types, all of inputs and outputs, is computed."""
    names = set(dtypes)
    if len(names) == 1 and names <= set(NATIVE):
        return "native"
    if names & _LOOPED and not names & _FLOATS:
        return "scalar"
    return "float"
