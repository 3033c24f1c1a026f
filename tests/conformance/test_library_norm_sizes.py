"""The host functions of softmax, normalisation, activation and quantization: temporary memory, and tiling structs."""

from __future__ import annotations

import subprocess

import pytest

from opkg.paths import native_dir

INCLUDE = native_dir() / "include"
LIB = native_dir() / "lib"

# Calls that set most and least, for a matrix of m rows and k columns of T bytes.
PAIRS = [
    "most = GetSoftMaxMaxTmpSize(shape, T, false), least = GetSoftMaxMinTmpSize(shape, T, false)",
    "most = GetSoftMaxFlashMaxTmpSize(shape, T, true, false), least = GetSoftMaxFlashMinTmpSize(shape, T, true, false)",
    "most = GetSoftMaxFlashV2MaxTmpSize(shape, T, 4, true), least = GetSoftMaxFlashV2MinTmpSize(shape, T, 4, true)",
    "GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, 4, most, least, true)",
    "most = GetSoftMaxGradMaxTmpSize(shape, T, true, false), least = GetSoftMaxGradMinTmpSize(shape, T, true, false)",
    "most = GetLogSoftMaxMaxTmpSize(shape, T, false), least = GetLogSoftMaxMinTmpSize(shape, T, false)",
    "GetGeluMaxMinTmpSize(shape, T, most, least)",
    "GetGeGLUMaxMinTmpSize(shape, T, false, most, least)",
    "GetReGluMaxMinTmpSize(shape, T, false, most, least)",
    "GetSigmoidMaxMinTmpSize(shape, T, false, most, least)",
    "GetSiluTmpSize(shape, T, false, most, least)",
    "GetSwishTmpSize(shape, T, false, most, least)",
    "GetSwiGLUMaxMinTmpSize(shape, T, most, least, false)",
    "GetLayerNormMaxMinTmpSize(bsh, T, false, most, least)",
    "GetLayerNormMaxMinTmpSize(shape, T, false, true, false, most, least)",
    "GetLayerNormGradMaxMinTmpSize(bsh, T, false, most, least)",
    "GetLayerNormGradBetaMaxMinTmpSize(bsh, T, false, most, least)",
    "GetNormalizeMaxMinTmpSize(shape, 4, T, false, true, false, most, least)",
    "GetRmsNormMaxMinTmpSize(bsh, T, most, least)",
    "GetDeepNormMaxMinTmpSize(bsh, T, false, false, most, least)",
    "GetBatchNormMaxMinTmpSize(cube, cube, T, false, most, least)",
    "GetGroupNormMaxMinTmpSize(nchw, T, false, 2, most, least)",
    "GetWelfordUpdateMaxMinTmpSize(shape, T, 4, false, true, most, least)",
    "GetWelfordFinalizeMaxMinTmpSize(shape, 4, false, most, least)",
    "GetAscendQuantMaxMinTmpSize(shape, T, most, least)",
    "GetAscendDequantMaxMinTmpSize(shape, 4, most, least)",
    "GetAscendAntiQuantMaxMinTmpSize(shape, shape, false, ge::DT_INT8, ge::DT_FLOAT16, most, least)",
    "GetQuantizeMaxMinTmpSize(shape, T, most, least)",
    "GetDequantizeMaxMinTmpSize(shape, 4, most, least)",
    "GetAntiQuantizeMaxMinTmpSize(shape, shape, false, ge::DT_INT8, ge::DT_FLOAT16, most, least)",
]
# Tiling functions, each for the kernel's struct and for the host's class: the type and the call on `t`.
TILINGS = [
    ("SoftMaxTiling", "SoftMaxTilingFunc(shape, 4, 1024, t)"),
    ("SoftMaxTiling", "SoftMaxFlashTilingFunc(shape, 4, 1024, t, true)"),
    ("SoftMaxTiling", "SoftMaxFlashV2TilingFunc(shape, 2, 4, 1024, t, true)"),
    ("SoftMaxTiling", "SoftMaxFlashV3TilingFunc(shape, 2, 4, 1024, t, true)"),
    ("SoftMaxTiling", "SoftMaxGradTilingFunc(shape, 4, 1024, t, true)"),
    ("LogSoftMaxTiling", "LogSoftMaxTilingFunc(shape, 4, 1024, t)"),
    ("LayerNormTiling", "GetLayerNormNDTilingInfo(bsh, 1024, 4, false, t)"),
    ("LayerNormSeparateTiling", "GetLayerNormNDTilingInfo(shape, 1024, 4, false, true, t)"),
    ("LayerNormGradTiling", "GetLayerNormGradNDTilingInfo(bsh, 1024, 4, false, t)"),
    ("LayerNormGradBetaTiling", "GetLayerNormGradBetaNDTilingInfo(bsh, 1024, 4, false, t)"),
    ("RmsNormTiling", "ok = GetRmsNormTilingInfo(bsh, bsh, 1024, 4, t)"),
    ("DeepNormTiling", "ok = GetDeepNormTilingInfo(bsh, bsh, 1024, 4, false, false, t)"),
    ("BatchNormTiling", "ok = GetBatchNormNDTilingInfo(bsh, bsh, 1024, 4, false, t)"),
    ("GroupNormTiling", "GetGroupNormNDTilingInfo(nchw, 1024, 4, false, 2, t)"),
]
FACTORS = [
    ("GetGeGLUMaxMinTmpSize(shape, 2, false, most, least)", "GetGeGLUTmpBufferFactorSize(2, live, extra)", 2),
    ("GetSwiGLUMaxMinTmpSize(shape, 2, most, least, false)", "GetSwiGLUTmpBufferFactorSize(2, live, extra)", 2),
    ("GetAscendQuantMaxMinTmpSize(shape, 2, most, least)", "GetAscendQuantTmpBufferFactorSize(live, extra)", 2),
    (
        "GetAscendDequantMaxMinTmpSize(shape, 4, most, least)",
        "GetAscendDequantTmpBufferFactorSize(shape, live, extra)",
        4,
    ),
    ("GetQuantizeMaxMinTmpSize(shape, 2, most, least)", "GetQuantizeTmpBufferFactorSize(live, extra)", 2),
    ("GetDequantizeMaxMinTmpSize(shape, 4, most, least)", "GetDequantizeTmpBufferFactorSize(shape, live, extra)", 4),
    (
        "GetAscendAntiQuantMaxMinTmpSize(shape, shape, false, ge::DT_INT8, ge::DT_FLOAT16, most, least)",
        "GetAscendAntiQuantTmpBufferFactorSize(shape, shape, false, ge::DT_INT8, ge::DT_FLOAT16, live, extra)",
        1,
    ),
    (
        "GetAntiQuantizeMaxMinTmpSize(shape, shape, false, ge::DT_INT8, ge::DT_FLOAT16, most, least)",
        "GetAntiQuantizeTmpBufferFactorSize(shape, shape, ge::DT_INT8, ge::DT_FLOAT16, live, extra)",
        1,
    ),
]


def program() -> str:
    pairs = "\n".join(
        f'{call}; printf("size {i} %u %u %u %u\\n", T, m * k, most, least);' for i, call in enumerate(PAIRS)
    )
    tilings = "\n".join(
        f"""{{
            AscendC::tiling::{kind} t; {call};
            unsigned char plain[sizeof(t)], bytes[sizeof(t)] = {{}};
            memcpy(plain, &t, sizeof(t));
            const bool made = ok;
            {{
                optiling::{kind} t; {call};
                t.SaveToBuffer(bytes, sizeof(bytes));
                same &= t.GetDataSize() == sizeof(bytes);
            }}
            printf("tiling {i} %d %d\\n", same && memcmp(plain, bytes, sizeof(bytes)) == 0, made && ok);
        }}"""
        for i, (kind, call) in enumerate(TILINGS)
    )
    factors = "\n".join(
        f'{sizes}; {factor}; printf("factor {i} %u %u\\n", most, live * 4096 * {size} + extra);'
        for i, (sizes, factor, size) in enumerate(FACTORS)
    )
    return f"""
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
#include <cstdio>
#include <cstring>
using namespace AscendC;
int main()
{{
    uint32_t most = 0, least = 0, live = 0, extra = 0;
    bool ok = true, same = true;
    for (const uint32_t T : {{2u, 4u}}) {{
        for (const uint32_t k : {{16u, 64u, 1024u}}) {{
            for (const uint32_t m : {{8u, 64u}}) {{
                const TensorShape shape({{m, k}}), bsh({{2, m / 2, k, k}});
                const TensorShape cube({{2, m / 2, k}}), nchw({{2, m / 2, 4, k / 4}});
                {pairs}
            }}
        }}
    }}
    const TensorShape shape({{64, 64}}), bsh({{4, 8, 64, 64}}), nchw({{2, 8, 4, 16}});
    {tilings}
    {factors}
    tiling::SoftMaxTiling t;
    SoftMaxTilingFunc(shape, 4, 8 * 288, t);
    printf("basic %d %u %u %u %u\\n", IsBasicBlockInSoftMax(t, 4), t.splitM, t.rangeM, t.tailM, t.outMaxK);
    optiling::SoftMaxTiling host;
    SoftMaxTilingFunc(shape, 2, 9 * 288, host);
    printf("basic %d %u %u %u %u\\n", IsBasicBlockInSoftMax(host, 2), host.get_splitM(), host.get_rangeM(),
           host.get_tailM(), host.get_outMaxK());
    tiling::RmsNormTiling rms;
    tiling::DeepNormTiling deep;
    tiling::BatchNormTiling batch;
    const TensorShape longer({{4, 8, 2048}}), odd({{3, 3, 24}});
    printf("refused %d %d %d %d\\n", GetRmsNormTilingInfo(odd, odd, 1024, 4, rms, true),
           GetDeepNormTilingInfo(longer, longer, 1024, 4, false, false, deep),
           GetDeepNormTilingInfo(odd, bsh, 1024, 4, false, false, deep),
           GetBatchNormNDTilingInfo(TensorShape({{4, 1, 3}}), odd, 1024, 4, false, batch));
    printf("softmax %u %u\\n", GetSoftMaxMinTmpSize(shape, 4, false), GetSoftMaxMaxTmpSize(shape, 4, false));
}}
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The words of each line that one program prints, which calls every function; it is compiled once."""
    folder = tmp_path_factory.mktemp("sizes")
    source, made = folder / "sizes.cpp", folder / "sizes"
    source.write_text(program())
    options = ("-I", str(INCLUDE / "host"), "-I", str(INCLUDE / "ascendc"), "-I", str(INCLUDE))
    libraries = (f"-L{LIB}", f"-Wl,-rpath,{LIB}", "-lopkg_host", "-lopkg_twin")
    subprocess.run(
        ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(made), *options, *libraries],
        check=True,
    )
    text = subprocess.run([made], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in text.splitlines()]


def lines(outputs: list[list[str]], kind: str) -> list[list[int]]:
    return [[int(word) for word in line[1:]] for line in outputs if line[0] == kind]


def test_the_least_is_no_more_than_the_most_and_both_grow(outputs: list[list[str]]) -> None:
    sizes = lines(outputs, "size")
    assert {call for call, *_ in sizes} == set(range(len(PAIRS)))
    for call, width, elements, most, least in sizes:
        assert least <= most, PAIRS[call]
        smaller = [s for s in sizes if s[:2] == [call, width] and s[2] < elements]
        assert all(s[3] <= most for s in smaller), PAIRS[call]
        assert most % 32 == 0 and least % 32 == 0


def test_the_kernels_struct_and_the_hosts_class_have_the_same_bytes(outputs: list[list[str]]) -> None:
    assert lines(outputs, "tiling") == [[i, 1, 1] for i in range(len(TILINGS))]


def test_factors_give_the_most(outputs: list[list[str]]) -> None:
    factors = lines(outputs, "factor")
    assert len(factors) == len(FACTORS)
    assert all(most == by_factor for _, most, by_factor in factors)


def test_rows_are_split_by_the_memory_there_is(outputs: list[list[str]]) -> None:
    assert lines(outputs, "basic") == [[1, 8, 8, 0, 8], [0, 9, 7, 1, 16]]
    assert lines(outputs, "softmax") == [[288, 64 * 288]]


def test_shapes_that_a_function_does_not_take_are_refused(outputs: list[list[str]]) -> None:
    assert lines(outputs, "refused") == [[0, 0, 0, 0]]
