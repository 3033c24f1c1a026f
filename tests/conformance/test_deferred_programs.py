"""Programs of random instructions give the same bits whether copies from global memory are made late or at once."""

from __future__ import annotations

import numpy as np
import pytest
from twin_harness import Compiler, Kernel

LOCAL, GLOBAL = 8192, 8192  # floats

# Each has d, s, t (places in the buffer or in global memory), n (elements, a multiple of 64) and k (a number).
LOADS = {
    "by count": "DataCopy(u[d], x[s], n);",
    "in blocks": "DataCopy(u[d], x[s], DataCopyParams{1, uint16_t(n / 8), 0, 0});",
    "in rows": "DataCopy(u[d], x[s], DataCopyParams{2, uint16_t(n / 16), 1, 0});",
    "padded": "DataCopyPad(u[d], x[s], DataCopyExtParams{1, uint32_t(n * 4 - 4), 0, 0, 0},"
    "DataCopyPadExtParams<float>{true, 0, 1, k});",
    "padded by a block": "DataCopyPad(u[d], x[s], DataCopyExtParams{1, uint32_t(n * 4), 0, 0, 0},"
    "DataCopyPadExtParams<float>{true, 0, 8, k});",
    "padded in rows": "DataCopyPad(u[d], x[s], DataCopyExtParams{2, uint32_t(n * 2 - 8), 8, 0, 0},"
    "DataCopyPadExtParams<float>{true, 0, 2, k});",
    "rows without a gap": "DataCopyPad(u[d], x[s], DataCopyExtParams{2, uint32_t(n * 2), 0, 0, 0},"
    "DataCopyPadExtParams<float>{});",
    "a slice": "SliceInfo all[1] = {{0, n - 1, 0, n / 8, n}}; DataCopy(u[d], x[s], all, all, 1);",
}
STORES = {
    "by count": "DataCopy(x[d], u[s], n);",
    "in rows": "DataCopy(x[d], u[s], DataCopyParams{2, uint16_t(n / 16), 0, 1});",
    "part of a block": "DataCopyPad(x[d], u[s], DataCopyExtParams{1, uint32_t(n * 4 - 12), 0, 0, 0});",
    "a few": "DataCopy(x[d], u[s], 64);",
    "a slice": "SliceInfo all[1] = {{0, n - 1, 0, n / 8, n}}; DataCopy(x[d], u[s], all, all, 1);",
    "atomic": "SetAtomicAdd<float>(); DataCopy(x[d], u[s], n); SetAtomicNone();",
    "an element": "x.SetValue(d + 3, u.GetValue(s + 5));",
    "bare, behind a barrier": "PipeBarrier<PIPE_ALL>(); raw[d + 7] = k;",
    "bare, behind a flag": "SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0); raw[d + 9] = k;",
}
# In place or from elsewhere.
IN_PLACE = {
    "Adds": "Adds(to, a, k, n);",
    "Add": "Add(to, a, b, n);",
    "operator": "to = a * b;",
    "AddRelu": "AddRelu(to, a, b, n);",
    "Abs": "Abs(to, a, n);",
    "Not": "Not(to.ReinterpretCast<int16_t>(), a.ReinterpretCast<int16_t>(), n * 2);",
    "repeats": "Muls(to, a, k, 64, repeats, UnaryRepeatParams{1, 1, 8, 8});",
    "masked repeats": "Muls(to, a, k, mask, repeats, UnaryRepeatParams{1, 1, 8, 8});",
    "counted": "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(0, n);"
    "Adds<float, false>(to, a, k, MASK_PLACEHOLDER, 1, UnaryRepeatParams{1, 1, 8, 8}); SetMaskNorm(); ResetMask();",
    "part": "Maxs(to, a, k, 40);",
    "an element": "u.SetValue(d + 3, u.GetValue(s + 4) + k);",
    "Duplicate": "Duplicate(to, k, n);",
    "a product that goes out": "Mul(to, a, b, n); DataCopy(x[t], to, n);",
    "a function that goes out": "Abs(to, a, n); DataCopy(x[t], to, n);",
    "a sum of which a part goes out": "Add(to, a, b, n); DataCopy(x[t], to, n / 2);",
}
# From elsewhere only.
APART = {
    "MulAddDst": "MulAddDst(to, a, b, n);",
    "Axpy": "Axpy(to, a, k, n);",
    "widening": "Cast(to, a.ReinterpretCast<half>(), RoundMode::CAST_NONE, n);",
    "narrowing": "Cast(to.ReinterpretCast<int16_t>(), a, RoundMode::CAST_RINT, n);",
    "ReduceMax": "ReduceMax(to, a, b, n, true);",
    "ReduceSum": "ReduceSum(to, a, b, n);",
    "WholeReduceMin": "WholeReduceMin(to, a, 64, repeats, 1, 1, 8);",
    "BlockReduceMax": "BlockReduceMax(to, a, repeats, 64, 1, 1, 8);",
    "Compare": "Compare(to.ReinterpretCast<uint8_t>(), a, b, CMPMODE::GT, n);",
    "Select": "Select(to, a.ReinterpretCast<uint8_t>(), b, k, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);",
    "Brcb": "Brcb(to, a, repeats, {1, 8});",
    "Copy": "Copy(to, a, 64, repeats, {1, 1, 8, 8});",
    "DataCopy": "DataCopy(to, a, n);",
    "Gather": "CreateVecIndex(room, 0, n); Muls(room, room, 4, n);"
    "Gather(to, a, room.ReinterpretCast<uint32_t>(), 0, n);",
    "GatherMask": "uint64_t left = 0; GatherMask(to, a, uint8_t(1), false, 64, {1, repeats, 8, 0}, left);",
    "Sort32": "Sort32(to, a, b.ReinterpretCast<uint32_t>(), n / 32);",
    "Transpose": "Transpose(to.ReinterpretCast<half>(), a.ReinterpretCast<half>());",
    "Tanh": "Tanh(to, a, room.ReinterpretCast<uint8_t>(), n);",
    "SoftMax": "SoftMaxTiling tiling{};"
    "SoftMax<float>(to, a, room.ReinterpretCast<uint8_t>(), tiling, {rows, 64, rows, 64});",
    "AscendDequant": "AscendDequant(to, a.ReinterpretCast<int32_t>(), b, DequantParams{1, n, n});",
}
# Of the Ascend950, with the kind of each.
LOOPS = (
    "const DataCopyMVType way = DataCopyMVType::%s; SetLoopModePara(LoopModeParams{2, 1, %s, n * 2, 0, 0}, way);"
    "%s ResetLoopModePara(way);"
)
HALF = "DataCopyPad(%s, DataCopyExtParams{1, uint32_t(n * 2), 0, 0, 0}%s);"
LOAD_HALF = HALF % ("u[d], x[s]", ", DataCopyPadExtParams<float>{}")
WIDE = {
    "two halves": (LOADS, LOOPS % ("OUT_TO_UB", "n * 2", LOAD_HALF)),
    "two halves from apart": (LOADS, LOOPS % ("OUT_TO_UB", "n * 4", LOAD_HALF)),
    "compact": (
        LOADS,
        "DataCopyPad<float, PaddingMode::Compact>(u[d], x[s], DataCopyExtParams{2, uint32_t(n * 2), 0, 0, 0},"
        "DataCopyPadExtParams<float>{});",
    ),
    "two dimensions": (
        LOADS,
        "MultiCopyParams<float, 2> p{{{1, n / 2}, {1, n / 2}, {n / 2, 2}, {}, {}}, 0};"
        "DataCopy<float, 2>(u[d], x[s], p);",
    ),
    "two halves out": (STORES, LOOPS % ("UB_TO_OUT", "n * 2", HALF % ("x[d], u[s]", ""))),
    "Subs": (IN_PLACE, "Subs(to, a, k, n);"),
    "Adds of an element": (IN_PLACE, "Adds(to, a, b, n);"),
    "Duplicate of an element": (IN_PLACE, "Duplicate(to, a, n);"),
    "ExpSub": (APART, "ExpSub(to, a, b, n);"),
}
COMMON = [(kind, text) for kind in (LOADS, STORES, IN_PLACE, APART) for text in kind.values()]
CHIPS = {"2201": ("Ascend910B1", COMMON), "3510": ("Ascend950PR", [*COMMON, *WIDE.values()])}
STEP = np.dtype([("op", "<i4"), ("d", "<u4"), ("s", "<u4"), ("t", "<u4"), ("n", "<u4"), ("k", "<f4")])

SOURCE = """
using namespace AscendC;
struct Step { int32_t op; uint32_t d, s, t, n; float k; };
extern "C" __global__ __aicore__ void programs(GM_ADDR gm, GM_ADDR program, GM_ADDR result)
{
    TPipe pipe;
    TBuf<> buffer, other;
    pipe.InitBuffer(buffer, 32768);
    pipe.InitBuffer(other, 32768);
    LocalTensor<float> u = buffer.Get<float>();
    LocalTensor<int32_t> room = other.Get<int32_t>();
    GlobalTensor<float> x, out;
    x.SetGlobalBuffer((__gm__ float *)gm, 8192);
    out.SetGlobalBuffer((__gm__ float *)result, 8192);
#ifdef AT_ONCE // a kernel that keeps an address
    *u.GetPhyAddr() = 0.0f;
#endif
    Duplicate(u, 0.5f, 8192);
    Duplicate(room, 3, 8192);
    // What follows so much output is written past the caches.
    for (int i = 0; *(__gm__ float *)result != 0.0f && i < 1100; ++i) {
        DataCopy(out[1024], u, 1024);
    }
    const uint64_t mask[2] = {0x5a5a5a5a5a5a5a5aull, 0};
    __gm__ float *raw = (__gm__ float *)gm;
    for (const Step *step = (const Step *)program; step->op >= 0; ++step) {
        const uint32_t d = step->d, s = step->s, t = step->t, n = step->n, rows = n / 64;
        [[maybe_unused]] const uint8_t repeats = static_cast<uint8_t>(rows);
        const float k = step->k;
        LocalTensor<float> to = u[d % 8192], a = u[s % 8192], b = u[t % 8192];
        to.SetSize(n); a.SetSize(n); b.SetSize(n);
        switch (step->op) {
            CASES
        }
    }
    DataCopy(out, u, 8192);
}
"""


class Chip:
    """The two kernels that carry out programs on a chip: with late copies, and with all of them at once."""

    def __init__(self, compiler: Compiler, arch: str) -> None:
        self.soc, self.instructions = CHIPS[arch]
        cases = "\n".join(f"case {i}: {{ {text} break; }}" for i, (_, text) in enumerate(self.instructions))
        source, define = SOURCE.replace("CASES", cases), f"__NPU_ARCH__={arch}"
        self.late = compiler.compile(source, "programs", define)
        self.at_once = compiler.compile(source, "programs", define, "AT_ONCE")

    def differ(self, steps: np.ndarray, x: np.ndarray, streams: bool) -> bool:
        return self._run(self.late, steps, x, streams) != self._run(self.at_once, steps, x, streams)

    def shortest(self, steps: np.ndarray, x: np.ndarray, streams: bool) -> list[str]:
        """The instructions of a program that cannot be left out."""
        i = 0
        while i < len(steps) - 1:
            less = np.delete(steps, i)
            if self.differ(less, x, streams):
                steps = less
            else:
                i += 1
        return [f"{self.instructions[step['op']][1]} {step}" for step in steps[:-1]]

    def _run(self, kernel: Kernel, steps: np.ndarray, x: np.ndarray, streams: bool) -> bytes:
        gm, result = x.copy(), np.full(LOCAL, streams, np.float32)
        kernel(gm, steps.view(np.uint8), result, soc=self.soc)
        return gm.tobytes() + result.tobytes()


def program(rng: np.random.Generator, instructions: list[tuple[dict[str, str], str]]) -> np.ndarray:
    """40 instructions over few places, half of them loads, so that they meet."""
    chosen = rng.choice(len(instructions), 8, replace=False)
    places = np.arange(5) * 1024

    def place() -> int:
        moved = int(rng.choice(places)) + int(rng.choice([0, 0, 0, -512, -64, 8, 256]))
        return max(moved, 0)

    steps: list[tuple[int, int, int, int, int, float]] = []
    while len(steps) < 40:
        op = int(rng.choice(chosen)) if rng.random() < 0.6 else int(rng.integers(len(LOADS)))
        kind = instructions[op][0]
        d, s, t, n = place(), place(), place(), int(rng.choice([64, 256, 320, 512, 1024, 1024]))
        apart = min(abs(d - s), abs(d - t)) >= 2 * n
        same = all(other == d or abs(d - other) >= n for other in (s, t))
        if kind is LOADS or kind is STORES or apart or (kind is IN_PLACE and same):
            steps.append((op, d, s, t, n, float(rng.uniform(-2, 2))))
    return np.array([*steps, (-1, 0, 0, 0, 0, 0.0)], STEP)


@pytest.fixture(scope="module", params=list(CHIPS))
def chip(compiler: Compiler, request: pytest.FixtureRequest) -> Chip:
    return Chip(compiler, request.param)


@pytest.mark.parametrize("seed", range(6))
def test_late_copies_are_not_seen(chip: Chip, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        steps, x = program(rng, chip.instructions), rng.uniform(-9, 9, GLOBAL).astype(np.float32)
        if chip.differ(steps, x, streams=seed % 2 == 1):
            pytest.fail("\n".join(chip.shortest(steps, x, streams=seed % 2 == 1)))
