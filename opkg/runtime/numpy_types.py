"""numpy's data types for opkg's own; those that numpy lacks are `ml_dtypes`'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opkg.errors import RunError
from opkg.opinfo.dtypes import DTYPES

if TYPE_CHECKING:
    import numpy as np


def numpy_dtype(name: str) -> np.dtype[Any]:
    """numpy's data type of a canonical one.

    Raises:
        RunError: numpy has none, or not without ml_dtypes.
    """
    import numpy as np

    known: Any = DTYPES[name].numpy or name
    if not hasattr(np, known):
        try:
            import ml_dtypes
        except ImportError:
            raise RunError(f"numpy has no {name}", "pip install ml_dtypes") from None
        known = getattr(ml_dtypes, known, None)
        if known is None:
            raise RunError(f"neither numpy nor ml_dtypes has {name}", "use another data type")
    found: np.dtype[Any] = np.dtype(known)
    return found
