"""The numbers that floats of 8 and 4 bits have."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np

FP8 = {"fp8_e4m3fn_t": ml_dtypes.float8_e4m3fn, "fp8_e5m2_t": ml_dtypes.float8_e5m2}
# Sign, exponent and mantissa of every code.
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
E1M2 = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]
FP4 = {"fp4x2_e2m1_t": E2M1, "fp4x2_e1m2_t": E1M2}


def hif8_value(code: int) -> float:
    """The number of a hifloat8_t, from the tables of its fields."""
    sign, body = -1.0 if code & 0x80 else 1.0, format(code & 0x7F, "07b")
    if code in (0, 0x80):
        return 0.0 if code == 0 else np.nan
    if body == "1101111":
        return sign * np.inf
    if body.startswith("0000"):
        return sign * 2.0 ** (int(body[4:], 2) - 23)
    prefix, width = next(
        (p, w) for p, w in (("0001", 0), ("001", 1), ("01", 2), ("10", 3), ("11", 4)) if body.startswith(p)
    )
    field, mantissa = body[len(prefix) : len(prefix) + width], body[len(prefix) + width :]
    size = int("1" + field[1:], 2) if width else 0
    exponent = -size if field.startswith("1") else size
    return sign * 2.0**exponent * (1 + int(mantissa, 2) / 2 ** len(mantissa))


HIF8 = np.array([hif8_value(code) for code in range(256)])


def digits_kept(exponent: int) -> int:
    return 0 if exponent < -15 else 3 if abs(exponent) < 4 else 2 if abs(exponent) < 8 else 1


def to_hif8(value: float, hybrid: bool, threshold: Fraction) -> float:
    """The number that a hifloat8_t has for `value`; `threshold` as a fraction of the last digit kept."""
    exact = abs(Fraction(value))
    exponent = int(np.floor(np.log2(float(exact))))
    unit = Fraction(2) ** (exponent - digits_kept(exponent))
    if exponent < -23:
        return 0.0
    if exponent == -23:
        unit *= 2
    whole, rest = divmod(exact / unit, 1)
    if not hybrid or -3 <= exponent <= 3:
        threshold = Fraction(1, 2)
    size = float((whole + (1 if rest >= threshold else 0)) * unit)
    return float(np.copysign(min(size, 32768.0) if size else 0.0, value)) if size else 0.0


def to_fp4(value: float, steps: list[float], mode: str) -> float:
    """The step that `value` becomes; beyond the last one that one, and zero for a NaN."""
    if np.isnan(value):
        return 0.0
    size = min(abs(value), steps[-1])
    below = max(i for i, step in enumerate(steps) if step <= size)
    rest = (size - steps[below]) / (steps[below + 1] - steps[below]) if below < 7 else 0.0
    up = {
        "CAST_FLOOR": value < 0 and rest > 0,
        "CAST_CEIL": value > 0 and rest > 0,
        "CAST_ROUND": rest >= 0.5,
        "CAST_TRUNC": False,
    }.get(mode, rest > 0.5 or (rest == 0.5 and below % 2 == 1))
    return float(np.copysign(steps[below + (1 if up else 0)], value))


def fp4_values(codes: np.ndarray, steps: list[float]) -> np.ndarray:
    """The numbers of bytes that hold two each."""
    return np.array(steps + [-v for v in steps])[np.stack([codes & 15, codes >> 4], -1).reshape(*codes.shape[:-1], -1)]
