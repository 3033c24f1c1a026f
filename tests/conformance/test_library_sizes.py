"""The host functions of the library: temporary memory, and tiling structs as kernels read them."""

from __future__ import annotations

import subprocess

import pytest

from opkg.paths import native_dir

INCLUDE = native_dir() / "include"
LIB = native_dir() / "lib"

HEAD = """
#include "kernel_operator.h"
#include "tiling/tiling_api.h"
#include <cstdio>
#include <cstring>

using namespace AscendC;
using Sizes = void (*)(const TensorShape &, uint32_t, bool, uint32_t &, uint32_t &);
using Factor = void (*)(uint32_t, uint32_t &, uint32_t &);
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What one program prints that calls every function; it is compiled once."""
    folder = tmp_path_factory.mktemp("sizes")
    source = folder / "sizes.cpp"
    source.write_text(HEAD + PROGRAM)
    program = folder / "sizes"
    subprocess.run(
        [
            *("c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program)),
            *("-I", str(INCLUDE / "host"), "-I", str(INCLUDE / "ascendc"), "-I", str(INCLUDE)),
            *(f"-L{LIB}", f"-Wl,-rpath,{LIB}", "-lopkg_host", "-lopkg_twin"),
        ],
        check=True,
    )
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


MATH = [
    *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Axpy", "Ceil", "Clamp", "Cosh", "Digamma", "Erf", "Erfc"),
    *(
        "Floor",
        "Fmod",
        "Frac",
        "Hypot",
        "Lgamma",
        "Log",
        "Log2",
        "Log10",
        "Sign",
        "Sinh",
        "Tan",
        "Tanh",
        "Trunc",
        "Xor",
    ),
]
NONE = [
    *("BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Fma", "IsInf", "IsNan", "LogicalAnd", "LogicalAnds"),
    *("LogicalNot", "LogicalOr", "LogicalOrs", "LogicalXor", "Rint", "Round", "SinCos", "Where"),
]
REDUCE = ["ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceAll", "ReduceAny"]

PROGRAM = (
    """
struct Math { const char *name; Sizes sizes; Factor factor; };
int main()
{
    const auto &chip = *platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1");
    const Math all[] = {"""
    + ", ".join(f'{{"{n}", Get{n}MaxMinTmpSize, Get{n}TmpBufferFactorSize}}' for n in MATH)
    + """};
    for (const Math &m : all) {
        for (const int64_t n : {1, 100, 5000}) {
            for (const uint32_t bytes : {2u, 4u}) {
                uint32_t most = 1, least = 1, times = 1, more = 1;
                m.sizes(TensorShape({n}), bytes, false, most, least);
                m.factor(bytes, times, more);
                std::printf("math %s %d %u %u %u ", m.name, static_cast<int>(n), bytes, most, least);
                std::printf("%u %u\\n", times, more);
            }
        }
    }
    uint32_t most = 1, least = 1;
    const TensorShape seven({7, 20});
"""
    + "".join(
        f"    most = least = 1; Get{n}MaxMinTmpSize(chip, TensorShape({{64}}), 4, false, most, least);"
        f' std::printf("none {n} %u %u\\n", most, least);\n'
        for n in NONE
    )
    + "".join(
        f"    Get{n}MaxMinTmpSize(seven, ge::DT_FLOAT, ReducePattern::AR, true, false, most, least);"
        f' std::printf("reduce {n} %u %u\\n", most, least);\n'
        for n in REDUCE
    )
    + """
    GetPowerMaxMinTmpSize(TensorShape({1}), TensorShape({1000}), false, 4, false, most, least);
    std::printf("power %u %u\\n", most, least);
    std::printf("exp %d\\n", GetExpMaxMinTmpSize(TensorShape({64}), 4, false, most, least));
    GetSumMaxMinTmpSize(1000, 4, false, most, least);
    std::printf("sum %u %u\\n", most, least);
    GetMeanMaxMinTmpSize(1000, 2, 4, false, most, least);
    std::printf("mean %u %u\\n", most, least);
    std::printf("sort %u %u\\n", GetSortTmpSize(chip, 128, 4), GetConcatTmpSize(chip, 128, 4));

    optiling::TopkTiling topk;
    tiling::TopkTiling plain;
    const auto &soc = chip;
    const bool fits = TopKTilingFunc(soc, 64, 3, 5, 4, false, TopKMode::TOPK_NORMAL, true, topk);
    TopKTilingFunc(soc, 64, 3, 5, 4, false, TopKMode::TOPK_NORMAL, true, plain);
    GetTopKMaxMinTmpSize(soc, 64, 3, false, false, TopKMode::TOPK_NORMAL, true, 4, most, least);
    const bool odd = TopKTilingFunc(soc, 40, 3, 5, 4, false, TopKMode::TOPK_NORMAL, true, topk);
    std::printf("topk %d %d %u %d %d\\n", fits, odd, least, plain.tmpLocalSize, plain.innerDataSize);
    std::printf("size %zu %zu %zu %zu\\n", topk.GetDataSize(), optiling::PadTiling().GetDataSize(),
                optiling::UnPadTiling().GetDataSize(), optiling::ConfusionTransposeTiling().GetDataSize());
    std::printf("size %zu %zu %zu %zu\\n", sizeof(TopkTiling), sizeof(PadTiling), sizeof(UnPadTiling),
                sizeof(ConfusionTransposeTiling));

    PadTiling pad;
    PadTilingFunc(TensorShape({16, 32}), TensorShape({16, 30}), 1024, 4, pad);
    std::printf("pad %u %u %u\\n", pad.srcHeight, pad.srcWidth, pad.srcOriWidth);
    ConfusionTransposeTiling t;
    GetTransposeTilingInfo(TensorShape({1, 2, 64, 32}), 0, 2, 4, t);
    std::printf("reorder %u %u %u %u %u\\n", t.param0, t.param1, t.param2, t.param3, t.param4);
    const TransDataConfig known{DataFormat::NCDHW, DataFormat::NDC1HWC0}, unknown{DataFormat::ND, DataFormat::NZ};
    const TensorShape flat({1, 16, 1, 2, 8}), folded({1, 1, 1, 2, 8, 16});
    const bool is_known = GetTransDataMaxMinTmpSize(soc, flat, folded, ge::DT_FLOAT16, known, most, least);
    const bool is_not = GetTransDataMaxMinTmpSize(soc, flat, folded, ge::DT_FLOAT16, unknown, most, least);
    std::printf("volumes %d %d\\n", is_known, is_not);
    GetSelectMaxMinTmpSize(TensorShape({2, 32}), TensorShape({1}), 4, TensorShape({2, 32}), 1, false, most, least);
    std::printf("select %u %u\\n", most, least);
    GetDropOutMaxMinTmpSize(TensorShape({2, 32}), 4, false, most, least);
    std::printf("dropout %u %u\\n", most, least);
}
"""
)


def lines(outputs: list[str], word: str) -> list[list[str]]:
    return [line.split()[1:] for line in outputs if line.split()[0] == word]


def test_memory_of_mathematics_is_a_multiple_of_the_input(outputs: list[str]) -> None:
    found = lines(outputs, "math")
    assert len(found) == len(MATH) * 6
    for name, n, size, most, least, times, more in found:
        repeats = -(-int(n) * int(size) // 256)
        assert int(least) == 256 * int(times), name
        assert int(most) == 256 * repeats * int(times) + int(more), name


def test_memory_is_no_less_than_kernels_want(outputs: list[str]) -> None:
    """A kernel refuses less than 256 bytes where it wants any."""
    least = {name: int(values[2]) for name, *values in lines(outputs, "math")}
    assert [name for name, size in least.items() if size < 256] == ["Log", "Log2", "Log10"]
    for word in ("power", "select", "dropout"):
        most, small = map(int, lines(outputs, word)[0])
        assert most >= small >= 256


def test_functions_without_memory(outputs: list[str]) -> None:
    assert lines(outputs, "none") == [[name, "0", "0"] for name in NONE]


def test_memory_of_reductions(outputs: list[str]) -> None:
    assert lines(outputs, "reduce") == [[name, "384", "384"] for name in REDUCE]  # 4 rows of 24 floats
    assert lines(outputs, "sum") == [["64", "64"]]  # 16 repeats of 64 floats
    assert lines(outputs, "mean") == [["4064", "4064"]]  # and the row as floats


def test_memory_of_sorting(outputs: list[str]) -> None:
    assert lines(outputs, "sort") == [["1024", "0"]]
    (fits, odd, least, told, inner) = lines(outputs, "topk")[0]
    assert (fits, odd, inner) == ("1", "0", "64")
    assert int(least) == int(told) >= 2 * 8 * 64


def test_tiling_structs_have_one_layout(outputs: list[str]) -> None:
    classes, structs = lines(outputs, "size")
    assert classes == structs == ["112", "104", "32", "72"]
    assert lines(outputs, "pad") == [["16", "32", "30"]]
    assert lines(outputs, "reorder") == [["1", "2", "64", "32", "4"]]


def test_what_is_refused(outputs: list[str]) -> None:
    assert lines(outputs, "volumes") == [["1", "0"]]
    assert lines(outputs, "exp") == [["1"]]


def test_either_order_of_the_headers() -> None:
    """The kernel's headers and the host's may come in any order, and their names of data types do not collide."""
    headers = ['#include "tiling/tiling_api.h"', '#include "kernel_operator.h"']
    flags = [f"-I{INCLUDE / 'host'}", f"-I{INCLUDE / 'ascendc'}", f"-I{INCLUDE}"]
    for order in (headers, headers[::-1]):
        both = "\n".join([*order, "static_assert(AscendC::TensorDataType::DT_BF16 == 27);"])
        done = subprocess.run(
            ["c++", "-std=c++17", "-fsyntax-only", "-x", "c++", *flags, "-"], input=both, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
