"""The data types and formats of operators: one table each, in all the spellings the field has for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """One data type.

    Attributes:
        name: canonical name (`float16`).
        number: value of `ge::DataType`.
        enum: its C++ enumerator without `ge::` (`DT_FLOAT16`).
        cpp: type of one element in a kernel (`half`), empty where kernels have none.
        numpy: numpy's name, `ml_dtypes`' where numpy has none, empty where there is neither.
        bits: size of one element in bits, 0 where it has none.
        onnx: value of `onnx.TensorProto.DataType`, 0 where there is none.
    """

    name: str
    number: int
    enum: str
    cpp: str
    numpy: str
    bits: int
    onnx: int


_TABLE = (
    DType("float32", 0, "DT_FLOAT", "float", "float32", 32, 1),
    DType("float16", 1, "DT_FLOAT16", "half", "float16", 16, 10),
    DType("int8", 2, "DT_INT8", "int8_t", "int8", 8, 3),
    DType("int32", 3, "DT_INT32", "int32_t", "int32", 32, 6),
    DType("uint8", 4, "DT_UINT8", "uint8_t", "uint8", 8, 2),
    DType("int16", 6, "DT_INT16", "int16_t", "int16", 16, 5),
    DType("uint16", 7, "DT_UINT16", "uint16_t", "uint16", 16, 4),
    DType("uint32", 8, "DT_UINT32", "uint32_t", "uint32", 32, 12),
    DType("int64", 9, "DT_INT64", "int64_t", "int64", 64, 7),
    DType("uint64", 10, "DT_UINT64", "uint64_t", "uint64", 64, 13),
    DType("double", 11, "DT_DOUBLE", "double", "float64", 64, 11),
    DType("bool", 12, "DT_BOOL", "bool", "bool", 8, 9),
    DType("string", 13, "DT_STRING", "", "", 0, 8),
    DType("complex64", 16, "DT_COMPLEX64", "complex64", "complex64", 64, 14),
    DType("complex128", 17, "DT_COMPLEX128", "complex128", "complex128", 128, 15),
    DType("qint8", 18, "DT_QINT8", "int8_t", "int8", 8, 0),
    DType("qint16", 19, "DT_QINT16", "int16_t", "int16", 16, 0),
    DType("qint32", 20, "DT_QINT32", "int32_t", "int32", 32, 0),
    DType("quint8", 21, "DT_QUINT8", "uint8_t", "uint8", 8, 0),
    DType("quint16", 22, "DT_QUINT16", "uint16_t", "uint16", 16, 0),
    DType("resource", 23, "DT_RESOURCE", "", "", 0, 0),
    DType("variant", 26, "DT_VARIANT", "", "", 0, 0),
    DType("bfloat16", 27, "DT_BF16", "bfloat16_t", "bfloat16", 16, 16),
    DType("int4", 29, "DT_INT4", "int4b_t", "int4", 4, 22),
    DType("uint1", 30, "DT_UINT1", "", "", 1, 0),
    DType("int2", 31, "DT_INT2", "", "int2", 2, 0),
    DType("uint2", 32, "DT_UINT2", "", "uint2", 2, 0),
    DType("complex32", 33, "DT_COMPLEX32", "complex32", "", 32, 0),
    DType("hifloat8", 34, "DT_HIFLOAT8", "hifloat8_t", "", 8, 0),
    DType("float8_e5m2", 35, "DT_FLOAT8_E5M2", "fp8_e5m2_t", "float8_e5m2", 8, 19),
    DType("float8_e4m3fn", 36, "DT_FLOAT8_E4M3FN", "fp8_e4m3fn_t", "float8_e4m3fn", 8, 17),
    DType("float8_e8m0", 37, "DT_FLOAT8_E8M0", "fp8_e8m0_t", "float8_e8m0fnu", 8, 24),
    DType("float4_e2m1", 40, "DT_FLOAT4_E2M1", "fp4x2_e2m1_t", "float4_e2m1fn", 4, 23),
    DType("float4_e1m2", 41, "DT_FLOAT4_E1M2", "fp4x2_e1m2_t", "", 4, 0),
)

DTYPES: dict[str, DType] = {d.name: d for d in _TABLE}
"""Every data type by its canonical name."""

BY_NUMBER: dict[int, DType] = {d.number: d for d in _TABLE}
"""Every data type by its `ge::DataType` number."""

ALIASES: dict[str, str] = {
    "float": "float32",
    "fp32": "float32",
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "bfp16": "bfloat16",
    "float64": "double",
}
"""Other spellings, lower-cased, to the canonical name."""

_REAL = "float16 float32 double int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()

GROUPS: dict[str, tuple[str, ...]] = {
    "numbertype": (*_REAL, "qint8", "quint8", "complex32", "complex64", "complex128", "qint32", "int2"),
    "realnumbertype": tuple(_REAL),
    "quantizedtype": ("qint8", "quint8", "qint16", "quint16", "qint32"),
    "all": tuple(
        "float32 double int32 uint8 int16 int8 string complex32 complex64 int64 bool qint8 quint8 qint32 bfloat16 "
        "qint16 quint16 uint16 complex128 float16 resource variant uint32 uint64 int2".split()
    ),
    "basictype": tuple(
        "float32 double int32 uint8 int16 int8 complex32 complex64 int64 qint8 quint8 qint32 qint16 quint16 uint16 "
        "complex128 float16 uint32 uint64 int2".split()
    ),
    "indexnumbertype": ("int32", "int64"),
}
"""Names in an IR json that stand for several data types, lower-cased."""


def canonical_dtype(name: str) -> str | None:
    """The canonical name of a data type in any spelling (`DT_FLOAT16`, `fp16`, `half`), or None if it is unknown."""
    low = name.strip().lower().removeprefix("ge::").removeprefix("dt_")
    low = ALIASES.get(low, low)
    return low if low in DTYPES else None


FORMATS: dict[str, int] = {
    name: number
    for number, name in enumerate(
        "NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0 FRACTAL_DECONV_TRANSPOSE "
        "FRACTAL_DECONV_SP_STRIDE_TRANS NC1HWC0_C04 FRACTAL_Z_C04 CHWN FRACTAL_DECONV_SP_STRIDE8_TRANS HWCN "
        "NC1KHKWHWC0 BN_WEIGHT FILTER_HWCK HASHTABLE_LOOKUP_LOOKUPS HASHTABLE_LOOKUP_KEYS HASHTABLE_LOOKUP_VALUE "
        "HASHTABLE_LOOKUP_OUTPUT HASHTABLE_LOOKUP_HITS C1HWNCoC0 MD NDHWC FRACTAL_ZZ FRACTAL_NZ NCDHW DHWCN NDC1HWC0 "
        "FRACTAL_Z_3D CN NC DHWNC FRACTAL_Z_3D_TRANSPOSE FRACTAL_ZN_LSTM FRACTAL_Z_G".split()
    )
}
"""Every format to its `ge::Format` number."""
FORMATS |= {"NULL": 42, "FRACTAL_ZN_RNN": 44}

_FORMATS_BY_FOLDED_NAME = {name.upper(): name for name in FORMATS}


def canonical_format(name: str) -> str | None:
    """The canonical spelling of a format in any spelling (`FORMAT_ND`, `nd`), or None if it is unknown."""
    folded = name.strip().removeprefix("ge::").upper().removeprefix("FORMAT_")
    return _FORMATS_BY_FOLDED_NAME.get(folded)
