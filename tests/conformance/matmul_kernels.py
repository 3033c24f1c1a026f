"""A kernel with a Matmul object, and what tests need around it: tilings, and matrices in the formats of the chip."""

from __future__ import annotations

import struct

import numpy as np
from twin_harness import Compiler, Kernel

# TCubeTiling, field by field.
FIELDS = (
    "usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 stepM stepN isBias "
    "transLength iterateOrder shareMode shareL1Size shareL0CSize shareUbSize batchM batchN singleBatchM singleBatchN "
    "stepKa stepKb depthAL1CacheUB depthBL1CacheUB dbL0A dbL0B dbL0C ALayoutInfoB ALayoutInfoS ALayoutInfoN "
    "ALayoutInfoG ALayoutInfoD BLayoutInfoB BLayoutInfoS BLayoutInfoN BLayoutInfoG BLayoutInfoD CLayoutInfoB "
    "CLayoutInfoS1 CLayoutInfoN CLayoutInfoG CLayoutInfoS2 BatchNum mxTypePara"
).split()

DEFAULTS = {
    "FORMAT_A": "CubeFormat::ND",
    "FORMAT_B": "CubeFormat::ND",
    "FORMAT_C": "CubeFormat::ND",
    "POSITION_A": "TPosition::GM",
    "POSITION_C": "TPosition::GM",
    "LAYOUT": "LayoutMode::NONE",
    "SHARE": "false",
    "TRANS_A": "false",
    "TRANS_B": "false",
    "A_T": "half",
    "B_T": "half",
    "C_T": "float",
    "BIAS_T": "float",
    "TASK": "KERNEL_TYPE_AIC_ONLY",
    "CONFIG": "CFG_NORM",
    "CALLBACKS": "MatmulCallBackFunc<>",
    "POLICY": "Impl::Detail::MatmulPolicy",
    "BEFORE": "",
}

SOURCE = """
#include "lib/matmul_intf.h"
using namespace AscendC;
@BEFORE@
extern "C" __global__ __aicore__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR extra,
                                              GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(@TASK@);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, t, tiling);
    TPipe pipe;
    Matmul<MatmulType<@POSITION_A@, @FORMAT_A@, @A_T@, @TRANS_A@, @LAYOUT@, @SHARE@>,
           MatmulType<TPosition::GM, @FORMAT_B@, @B_T@, @TRANS_B@, @LAYOUT@, @SHARE@>,
           MatmulType<@POSITION_C@, @FORMAT_C@, @C_T@, false, @LAYOUT_C@>,
           MatmulType<TPosition::GM, CubeFormat::ND, @BIAS_T@>, @CONFIG@, @CALLBACKS@, @POLICY@> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    const int rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int row = static_cast<int>(GetBlockIdx()) % rows * t.singleCoreM;
    const int column = static_cast<int>(GetBlockIdx()) / rows * t.singleCoreN;
    GlobalTensor<@A_T@> A;
    GlobalTensor<@B_T@> B;
    GlobalTensor<@C_T@> C, W;
    GlobalTensor<@BIAS_T@> Bias;
    A.SetGlobalBuffer(reinterpret_cast<@A_T@ *>(a));
    B.SetGlobalBuffer(reinterpret_cast<@B_T@ *>(b));
    C.SetGlobalBuffer(reinterpret_cast<@C_T@ *>(c));
    W.SetGlobalBuffer(reinterpret_cast<@C_T@ *>(workspace));
    Bias.SetGlobalBuffer(reinterpret_cast<@BIAS_T@ *>(bias));
    static_cast<void>(row), static_cast<void>(column), static_cast<void>(extra);
    @BODY@
    mm.End();
}
"""

# This core's part of plain matrices.
PART = """
mm.SetTail(t.M - row < t.singleCoreM ? t.M - row : t.singleCoreM,
           t.N - column < t.singleCoreN ? t.N - column : t.singleCoreN);
mm.SetTensorA(A[@TRANS_A@ ? row : row * t.Ka], @TRANS_A@);
mm.SetTensorB(B[@TRANS_B@ ? column * t.Kb : column], @TRANS_B@);
if (t.isBias) { mm.SetBias(Bias[column]); }
auto mine = C[row * t.N + column];
"""


def product(compiler: Compiler, body: str, **words: str) -> Kernel:
    """The kernel with some of DEFAULTS replaced."""
    chosen = {**DEFAULTS, **words}
    chosen.setdefault("LAYOUT_C", chosen["LAYOUT"])
    source = SOURCE.replace("@BODY@", body)
    for word, value in chosen.items():
        source = source.replace(f"@{word}@", value)
    defines = [f"__NPU_ARCH__={words['ARCH']}"] if "ARCH" in words else []
    return compiler.compile(source, "product", *defines, *(["OPKG_TWIN_CHECK"] if "CHECK" in words else []))


def tiling(m: int, n: int, k: int, **fields: int) -> bytes:
    """A tiling of one core with base blocks of 32 x 32 x 32, where nothing else is said."""
    values = dict.fromkeys(FIELDS, 0)
    values.update(usedCoreNum=1, M=m, N=n, Ka=k, Kb=k, singleCoreM=m, singleCoreN=n, singleCoreK=k)
    values.update(baseM=32, baseN=32, baseK=32, depthA1=1, depthB1=1, stepM=1, stepN=1, stepKa=1, stepKb=1)
    values.update(fields)
    return struct.pack(f"{len(FIELDS)}i", *(values[name] for name in FIELDS))


def fractals(matrix: np.ndarray, width: int = 16) -> np.ndarray:
    """The NZ format: columns of `width` elements, each 16-row-aligned, one after the other."""
    rows, columns = matrix.shape
    tall, wide = -(-rows // 16) * 16, -(-columns // width) * width
    padded = np.zeros((tall, wide), matrix.dtype)
    padded[:rows, :columns] = matrix
    return np.ascontiguousarray(padded.reshape(tall, wide // width, width).transpose(1, 0, 2))


def from_fractals(values: np.ndarray, rows: int, columns: int, width: int = 16) -> np.ndarray:
    """The matrix that `fractals` has spread."""
    tall = -(-rows // 16) * 16
    return values.reshape(-1, tall, width).transpose(1, 0, 2).reshape(tall, -1)[:rows, :columns]
