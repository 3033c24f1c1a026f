"""Families of instructions that the twin lacks: the compiler says so in one sentence, however much of one is used."""

from __future__ import annotations

import pytest
from twin_harness import Compiler

CUBE = "the twin has no cube instructions (Mmad, LoadData, Fixpipe ...); the Matmul object makes products of matrices"
REG = "the twin has no Reg instructions (vector registers); kernels that use them need a device"
SIMT = "the twin has no SIMT instructions (threads); kernels that use them need a device"

KERNEL = """
using namespace AscendC;
template <typename T>
__aicore__ inline void work(LocalTensor<T> a, LocalTensor<T> b, LocalTensor<float> c, GlobalTensor<T> out)
{{
    {body}
}}
extern "C" __global__ __aicore__ void lacking(GM_ADDR x)
{{
    GlobalTensor<half> out;
    out.SetGlobalBuffer((__gm__ half *)x);
    work<half>(LocalTensor<half>(0), LocalTensor<half>(0), LocalTensor<float>(0), out);
}}
"""

WHOLE = """
    LoadData2DParams load; load.startIndex = 0; load.repeatTimes = 4; load.srcStride = 1; load.ifTranspose = false;
    LoadData(a, b, load);
    LoadData3DParamsV2<T> image; image.padList[0] = 0; image.l1H = 4; image.enTranspose = true;
    LoadData<T>(a, b, image);
    LoadDataWithTranspose(a, b, LoadData2dTransposeParams{0, 1, 2, 3, 4});
    MmadParams multiply; multiply.m = 16; multiply.n = 16; multiply.k = 16; multiply.cmatrixInitVal = true;
    Mmad(c, a, b, multiply);
    FixpipeParamsV220 fix; fix.nSize = 16; fix.mSize = 16; fix.quantPre = QuantMode_t::F322F16; fix.reluEn = false;
    fix.ndNum = 1; Fixpipe<T, float, CFG_ROW_MAJOR>(out, c, fix); SetFixpipeNz2ndFlag(1, 0, 0);
    FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> other; other.params.ndNum = 1; Fixpipe(out, c, other);
"""


def said(compiler: Compiler, body: str, before: str = "") -> str:
    errors = compiler.errors(before + KERNEL.format(body=body), "lacking", "__NPU_ARCH__=3510", "__CCE_AICORE__=310")
    lines = [line for line in errors.splitlines() if " error: " in line and "[-Werror=unused" not in line]
    assert len(lines) == 1, errors
    return lines[0]


@pytest.mark.parametrize(
    "body",
    [
        WHOLE,
        "Mmad(c, a, b, {16, 16, 16, false, 0, false, false, false});",
        "Mmad<float, T, T>(c, a, b, MmadParams());",
        "LoadData(a, b, {0, 4, 1, 0, 0, true, 0});",
        "LoadData(a, out, LoadData2DParams(0, 1, 0, 0, 0, false, 0));",
        "LoadData<T, IS_RESER_LOAD3D_DEFAULT_CONFIG>(a, b, LoadData3DParamsV2<T>());",
        "Fixpipe<T, float, CFG_NZ>(out, c, FixpipeParamsM300());",
        "Fill(a, InitConstValueParams<T>(1, 2, 0, T(0)));",
        "SetLoadDataRepeat({0, 1, 0}); uint8_t pads[PAD_SIZE] = {}; SetFmatrix(1, 1, pads, FmatrixMode::FMATRIX_LEFT);",
        "DataCopyCO12DstParams row; row.nSize = 16; row.nz2ndEn = true; DataCopy(out, c, row);",
    ],
)
def test_cube_instructions_are_one_sentence(compiler: Compiler, body: str) -> None:
    assert CUBE in said(compiler, body)


def test_groups_of_cube_cores_are_named(compiler: Compiler) -> None:
    assert "the twin has no groups of cube cores" in said(compiler, "CubeResGroupHandle<T> group;")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            "auto t = MakeTensorTrait<half, TPosition::VECIN>(MakeLayout(MakeShape(4), MakeStride(1)));",
            "no TensorTrait",
        ),
        ("TensorTrait<T> t; (void)t;", "the twin has no TensorTrait; its tensors are of plain types"),
        ("complex64 z(1, 2); (void)z;", "the twin has no complex numbers (complex32, complex64)"),
        (
            "CheckLocalMemoryIA({0, 0, 64, false, false, false, true, false, false, true});",
            "the twin has no registers that watch memory (CheckLocalMemoryIA)",
        ),
    ],
)
def test_smaller_things_are_named(compiler: Compiler, body: str, sentence: str) -> None:
    assert sentence in said(compiler, body)


def test_registers_of_a_kernel_are_one_sentence(compiler: Compiler) -> None:
    assert REG in said(compiler, "Reg::RegTensor<T> r; MicroAPI::RegTensor<float> q;")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [("asc_vf_call<on_registers>(1, 2.0f);", REG), ("Simt::VF_CALL<on_registers>(Simt::Dim3{64, 1, 1}, 2.0f);", SIMT)],
)
def test_calls_of_functions_on_registers_and_of_threads(compiler: Compiler, call: str, sentence: str) -> None:
    assert sentence in said(compiler, call, "inline void on_registers(int, float) {}\n")


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [("__simd_vf__", REG), ("__simd_callee__", REG), ("__simt_vf__", SIMT), ("__simt_callee__", SIMT)],
)
def test_markers_of_functions_are_named_where_they_stand(compiler: Compiler, marker: str, sentence: str) -> None:
    function = f"template <typename T>\n{marker} inline void on_registers(T *) {{}}\n"
    assert sentence in said(compiler, "", function)


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("c_api/asc_simd.h", "the twin has no C interface of the instructions (c_api)"),
        ("simt_api/asc_simt.h", "the twin has no SIMT instructions (simt_api)"),
        ("tensor_api/tensor.h", "the twin has no tensor interface (tensor_api)"),
    ],
)
def test_headers_of_what_is_lacking_say_so(compiler: Compiler, header: str, sentence: str) -> None:
    assert sentence in said(compiler, "", f'#include "{header}"\n')


def test_kernels_may_have_functions_of_these_names(compiler: Compiler) -> None:
    """A class with a LoadData of its own is no use of the cube core."""
    own = """
    struct Loader {
        __aicore__ inline void LoadData(AscendC::LocalTensor<half> to, int) { AscendC::Duplicate(to, half(1), 16); }
        __aicore__ inline void Mmad() { LoadData(AscendC::LocalTensor<half>(0), 1); }
    };
    """
    free = """
    __aicore__ inline void LoadData(const AscendC::LocalTensor<half> &to, uint32_t n)
    {
        AscendC::Duplicate(to, half(1), n);
    }
    template <typename T>
    __aicore__ inline void Fixpipe(AscendC::LocalTensor<T> to, AscendC::LocalTensor<T> from, float factor)
    {
        AscendC::Muls(to, from, static_cast<T>(factor), 16);
    }
    """
    body = "Loader().Mmad(); LoadData(a, 16); Fixpipe(a, b, 2); (void)c; (void)out;"
    compiler.compile(own + free + KERNEL.format(body=body), "lacking")
