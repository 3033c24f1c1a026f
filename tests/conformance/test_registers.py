"""The control register, where a kernel begins, and what a core says about itself."""

from __future__ import annotations

import numpy as np
import pytest
from twin_harness import Compiler, KernelError

WIDE = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")


def source(function: str, body: str) -> str:
    return f"""
using namespace AscendC;
extern "C" __global__ __aicore__ void {function}(GM_ADDR y)
{{
    GlobalTensor<int64_t> out;
    out.SetGlobalBuffer((__gm__ int64_t *)y);
    TPipe pipe;
    TBuf<> room;
    pipe.InitBuffer(room, 1024);
    [[maybe_unused]] LocalTensor<half> ub = room.Get<half>();
    {body}
}}
"""


def run(compiler: Compiler, function: str, body: str, defines: tuple[str, ...] = WIDE) -> list[int]:
    y = np.zeros(64, np.int64)
    compiler.compile(source(function, body), function, *defines)(y, soc="Ascend950PR" if defines else "Ascend910B1")
    return y.tolist()


def test_bits_are_set_read_and_reset(compiler: Compiler) -> None:
    body = """
    out.SetValue(0, GetCtrlSpr<0, 63>()); SetCtrlSpr<48, 48>(1); SetCtrlSpr<59, 60>(1);
    out.SetValue(1, GetCtrlSpr<48, 48>()); out.SetValue(2, GetCtrlSpr<59, 60>()); out.SetValue(3, GetCtrlSpr<58, 61>());
    ResetCtrlSpr<48, 48>(); ResetCtrlSpr<60, 60>(); out.SetValue(4, GetCtrlSpr<48, 60>());
    """
    assert run(compiler, "bits", body)[:5] == [1 << 60, 1, 1, 2, 3 << 11]


@pytest.mark.parametrize("defines", [(), WIDE])
def test_bit_48_is_the_saturation_of_half(compiler: Compiler, defines: tuple[str, ...]) -> None:
    body = """
    LocalTensor<float> f = room.GetWithOffset<float>(64, 512); Duplicate(f, 1e9f, 64);
    SetCtrlSpr<48, 48>(1); out.SetValue(0, GetSaturationFlag());
    Cast(ub, f, RoundMode::CAST_RINT, 64); out.SetValue(1, ub.GetValue(0).bits);
    SetCtrlSpr<48, 48>(0); out.SetValue(2, GetSaturationFlag());
    Cast(ub, f, RoundMode::CAST_RINT, 64); out.SetValue(3, ub.GetValue(0).bits);
    SetSaturationFlag(false); out.SetValue(4, GetCtrlSpr<48, 48>());
    """
    assert run(compiler, "saturation", body, defines)[:5] == [0, 0x7C00, 1, 0x7BFF, 1]


def test_bits_of_atomics_are_those_of_the_atomic_functions(compiler: Compiler) -> None:
    body = """
    LocalTensor<int32_t> i = room.Get<int32_t>(); GlobalTensor<int32_t> sum; sum.SetGlobalBuffer((__gm__ int32_t *)y);
    Duplicate(i, 5, 8);
    SetCtrlSpr<6, 8>(4); SetCtrlSpr<9, 10>(0); DataCopy(sum[64], i, 8); DataCopy(sum[64], i, 8);
    SetAtomicMax<half>(); out.SetValue(0, GetCtrlSpr<6, 8>()); out.SetValue(1, GetCtrlSpr<9, 10>());
    SetAtomicNone(); out.SetValue(2, GetCtrlSpr<6, 10>());
    """
    y = run(compiler, "atomics", body)
    assert y[:3] == [2, 1, 0]
    assert np.array(y[32:36], np.int64).view(np.int32).tolist() == [10] * 8


@pytest.mark.parametrize(
    ("body", "defines", "message"),
    [
        ("SetCtrlSpr<60, 60>(1);", (), "kernels may not set these bits on this SoC"),
        ("SetCtrlSpr<47, 48>(1);", WIDE, "kernels may not set these bits on this SoC"),
        ("ResetCtrlSpr<0, 5>();", WIDE, "kernels may not set these bits on this SoC"),
        ("GetCtrlSpr<8, 6>();", WIDE, "takes bits from 0 to 63, the lower one first"),
        ("GetUBSizeInBytes();", (), "on the Ascend950 only"),
    ],
)
def test_bits_that_a_chip_lacks_are_refused(
    compiler: Compiler, body: str, defines: tuple[str, ...], message: str
) -> None:
    assert message in compiler.errors(source("lacks", body), "lacks", *defines)


def test_values_beyond_the_bits_are_errors(compiler: Compiler) -> None:
    with pytest.raises(KernelError, match="2 does not fit into bits 48 to 48"):
        run(compiler, "beyond", "SetCtrlSpr<48, 48>(2);")
    with pytest.raises(KernelError, match="bits 6 to 10 name no atomic operation"):
        run(compiler, "nonsense", "SetCtrlSpr<6, 8>(7);")


def test_a_kernel_begins_with_a_clean_state(compiler: Compiler) -> None:
    body = """
    SetAtomicAdd<float>(); SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(3); SetCtrlSpr<53, 53>(1);
    SetCtrlSpr<48, 48>(1); SetDeqScale(half(2.0f));
    SetLoopModePara(LoopModeParams{2, 2, 0, 0, 0, 0}, DataCopyMVType::UB_TO_OUT);
    InitSocState();
    out.SetValue(0, GetCtrlSpr<6, 8>()); out.SetValue(1, GetCtrlSpr<48, 48>()); out.SetValue(2, GetCtrlSpr<53, 53>());
    LocalTensor<int32_t> i = room.GetWithOffset<int32_t>(64, 512); Duplicate(i, 7, 64);
    Cast<half, int32_t, false>(ub, i, RoundMode::CAST_NONE, MASK_PLACEHOLDER, 1, {1, 1, 4, 8});
    out.SetValue(3, ub.GetValue(63).bits);
    """
    assert run(compiler, "clean", body)[:4] == [0, 1, 0, 0x4700]


def test_what_a_core_says_about_itself(compiler: Compiler) -> None:
    body = """
    out.SetValue(0, GetUBSizeInBytes()); out.SetValue(1, GetRuntimeUBSize()); out.SetValue(2, GetProgramCounter() != 0);
    out.SetValue(3, GetDataBlockSizeInBytes()); out.SetValue(4, GetICachePreloadStatus());
    static_assert(GetUBSizeInBytes() == 248 * 1024, "a constant");
    """
    assert run(compiler, "itself", body)[:5] == [253952, 253952, 1, 32, 0]


def test_functions_run_on_one_kind_of_core(compiler: Compiler) -> None:
    body = "Async<EngineType::AIV, put>(y, 5, 1); Async<EngineType::AIC, put>(y, 6, 2);"
    text = "inline void put(GM_ADDR y, int32_t at, int32_t v) { ((__gm__ int64_t *)y)[at] = v; }\n" + source(
        "kinds", body
    )
    y = np.zeros(64, np.int64)
    compiler.compile(text, "kinds")(y)
    assert y[5:7].tolist() == [1, 0]


TRUNCATION = """
LocalTensor<float> f = room.GetWithOffset<float>(64, 512);
LocalTensor<int32_t> i = room.GetWithOffset<int32_t>(64, 768);
LocalTensor<int16_t> narrow = ub.ReinterpretCast<int16_t>();
{off}
Duplicate(f, 70000.6f, 64); Cast(narrow, f, RoundMode::CAST_RINT, 64); out.SetValue(0, narrow.GetValue(0));
Duplicate(f, -3e9f, 64); Cast(i, f, RoundMode::CAST_RINT, 64); out.SetValue(1, i.GetValue(0));
Duplicate(i, -65537, 64); Cast(narrow, i, RoundMode::CAST_NONE, 64); out.SetValue(2, narrow.GetValue(0));
Duplicate(ub, half(-9.0f), 64); Cast(ub.ReinterpretCast<int4b_t>(), ub, RoundMode::CAST_RINT, 64);
out.SetValue(3, ub.ReinterpretCast<uint8_t>().GetValue(0));
{on}
Duplicate(f, 70000.6f, 64); Cast(narrow, f, RoundMode::CAST_RINT, 64); out.SetValue(4, narrow.GetValue(0));
"""
FLAG = "SetSaturationFlag<SaturationMode::CAST>({value}); out.SetValue(5, GetSaturationFlag<SaturationMode::CAST>());"


@pytest.mark.parametrize(
    ("off", "on", "defines", "flag"),
    [
        (FLAG.format(value="false"), FLAG.format(value="true"), (), 1),
        ("SetCtrlSpr<59, 59>(1);", "SetCtrlSpr<60, 60>(0);", WIDE, 0),
        ("SetCtrlSpr<59, 59>(1);", "ResetCtrlSpr<59, 59>();", WIDE, 0),
    ],
)
def test_casts_to_integers_keep_the_lower_bits_where_saturation_is_off(
    compiler: Compiler, off: str, on: str, defines: tuple[str, ...], flag: int
) -> None:
    y = run(compiler, "truncation", TRUNCATION.format(off=off, on=on), defines)
    low = [70001 - 65536, -3_000_000_000 + 2**32, -1, 0x77]
    assert y[:6] == [*low, 32767, flag]


def test_the_register_of_squeezed_bytes_is_empty(compiler: Compiler) -> None:
    body = """
    ClearSpr<SpecialPurposeReg::AR>(); out.SetValue(0, GetSpr<SpecialPurposeReg::AR>());
    static_assert(GetVecLen() == 256, "a constant"); out.SetValue(1, GetVecLen());
    """
    assert run(compiler, "squeezed", body)[:2] == [0, 256]
    for call in ("GetSpr<SpecialPurposeReg::AR>();", "ClearSpr<SpecialPurposeReg::AR>();", "GetVecLen();"):
        assert "is there on the Ascend950 only" in compiler.errors(source("lacks", call), "lacks")


SATURATED = """
LocalTensor<T> a = room.GetWithOffset<T>(32, 0), b = room.GetWithOffset<T>(32, 256);
LocalTensor<T> d = room.GetWithOffset<T>(32, 512);
const T high = NumericLimits<T>::Max(), low = NumericLimits<T>::Lowest();
SetCtrlSpr<53, 53>(1);
Duplicate(a, high, 32); Duplicate(b, T(2), 32);
Add(d, a, b, 32); out.SetValue(0, d.GetValue(31));
Duplicate(a, low, 32); Sub(d, a, b, 32); out.SetValue(1, d.GetValue(31));
"""
WRAPPED = "ResetCtrlSpr<53, 53>(); Sub(d, a, b, 32); out.SetValue(2, d.GetValue(31));"
PRODUCT = "Duplicate(a, high, 32); Mul(d, a, b, 32); out.SetValue(3, d.GetValue(31)); Duplicate(a, low, 32);"
WITH_SCALAR = "Adds(d, b, high, 32); out.SetValue(4, d.GetValue(31));"
BY_SCALAR = "Muls(d, b, high, 32); out.SetValue(5, d.GetValue(31));"
PARTS = {
    "int8": WITH_SCALAR,
    "uint8": WITH_SCALAR,
    "int16": PRODUCT + WITH_SCALAR + BY_SCALAR,
    "uint16": PRODUCT,
    "int32": PRODUCT + WITH_SCALAR + BY_SCALAR,
    "uint32": PRODUCT,
    "int64": PRODUCT + WITH_SCALAR + BY_SCALAR,
    "uint64": PRODUCT + WITH_SCALAR + BY_SCALAR,
}


@pytest.mark.parametrize("dtype", PARTS)
def test_integers_saturate_where_bit_53_says_so(compiler: Compiler, dtype: str) -> None:
    parts = PARTS[dtype]
    y = np.array(run(compiler, "saturating", f"using T = {dtype}_t; {SATURATED} {parts} {WRAPPED}"), np.int64)
    got = (y.view(np.uint64) if dtype == "uint64" else y).tolist()
    info = np.iinfo(dtype)
    wrapped = (np.array([info.min], dtype) - np.array([2], dtype)).tolist()[0]
    expected = [info.max if part in parts else 0 for part in (PRODUCT, WITH_SCALAR, BY_SCALAR)]
    assert got[:6] == [info.max, info.min, wrapped, *expected]
