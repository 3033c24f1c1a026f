"""Many cores: SyncAll, flags between cores, atomic copies, task types, deadlocks and failures."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from twin_harness import Compiler, Kernel, KernelError

# Each core writes its number, all wait, each reads its neighbour's; as many rounds as the tiling says.
NEIGHBOURS = """
using namespace AscendC;
extern "C" __global__ __aicore__ void neighbours(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    GlobalTensor<int32_t> shared, out;
    shared.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    const int32_t me = GetBlockIdx(), cores = GetBlockNum();
    int32_t seen = 0;
    for (int32_t round = 0; round < data.rounds; ++round) {
        shared.SetValue(me, me * 10 + round);
        SyncAll();
        seen += shared.GetValue((me + 1) % cores);
        SyncAll();
    }
    out.SetValue(me, seen);
}
"""


@pytest.fixture(scope="module")
def neighbours(compiler: Compiler) -> Kernel:
    return compiler.compile(NEIGHBOURS, "neighbours", tiling="int32_t rounds;")


@pytest.mark.parametrize("cores", [1, 2, 3, 48])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_sync_all_holds_every_core_on_any_number_of_threads(neighbours: Kernel, cores: int, threads: int) -> None:
    rounds = 4
    x, y = np.zeros(cores, np.int32), np.zeros(cores, np.int32)
    neighbours(x, y, None, struct.pack("<i", rounds), block_dim=cores, threads=threads)
    expected = [((me + 1) % cores) * 10 * rounds + sum(range(rounds)) for me in range(cores)]
    assert y.tolist() == expected


def test_sync_all_can_be_called_again_and_again(neighbours: Kernel) -> None:
    x, y = np.zeros(48, np.int32), np.zeros(48, np.int32)
    for _ in range(30):
        neighbours(x, y, None, struct.pack("<i", 2), block_dim=48, threads=2)
    assert y[47] == 1


def test_cores_that_wait_for_one_that_has_returned_are_named(compiler: Compiler) -> None:
    source = """
    using namespace AscendC;
    extern "C" __global__ __aicore__ void forgets(GM_ADDR x)
    {
        (void)x;
        if (GetBlockIdx() != 2) {
            SyncAll();
        }
    }
    """
    forgets = compiler.compile(source, "forgets")
    for threads in (1, 3):
        with pytest.raises(
            KernelError,
            match=r"deadlock: 4 of 5 cores wait and no core is left that could let them go on: .*"
            r"vector core \d of 5 in SyncAll, vector core",
        ):
            forgets(np.zeros(1), block_dim=5, threads=threads)


def test_a_failing_core_releases_the_others(compiler: Compiler) -> None:
    source = """
    using namespace AscendC;
    extern "C" __global__ __aicore__ void breaks(GM_ADDR x)
    {
        (void)x;
        ASSERT(GetBlockIdx() != 3);
        SyncAll();
    }
    """
    breaks = compiler.compile(source, "breaks")
    with pytest.raises(
        KernelError, match=r"vector core 3 of 8: .*:\d+: the assertion GetBlockIdx\(\) != 3 does not hold"
    ):
        breaks(np.zeros(1), block_dim=8, threads=2)


def test_exceptions_of_a_kernel_are_reported_with_the_core(compiler: Compiler) -> None:
    source = """
    #include <stdexcept>
    extern "C" __global__ __aicore__ void throws(GM_ADDR x)
    {
        (void)x;
        if (AscendC::GetBlockIdx() == 1) {
            throw std::runtime_error("no such row");
        }
    }
    """
    throws = compiler.compile(source, "throws")
    with pytest.raises(KernelError, match="throws: vector core 1 of 2: no such row"):
        throws(np.zeros(1), block_dim=2)


ATOMIC = """
using namespace AscendC;
extern "C" __global__ __aicore__ void accumulate(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, data.count * sizeof(DTYPE_X));
    LocalTensor<DTYPE_X> local = buffer.Get<DTYPE_X>();
    GlobalTensor<DTYPE_X> from, to;
    from.SetGlobalBuffer((__gm__ DTYPE_X *)x + GetBlockIdx() * data.count);
    to.SetGlobalBuffer((__gm__ DTYPE_X *)y);
    DataCopy(local, from, data.count);
    if (TILING_KEY_IS(0)) {
        SetAtomicAdd<DTYPE_X>();
    } else if (TILING_KEY_IS(1)) {
        SetAtomicMax<DTYPE_X>();
    } else {
        SetAtomicMin<DTYPE_X>();
    }
    for (int32_t i = 0; i < data.times; ++i) {
        DataCopy(to, local, data.count);
    }
    SetAtomicNone();
    DataCopy(to[data.count], local, 32 / sizeof(DTYPE_X));
}
"""


@pytest.mark.parametrize(("c_type", "dtype"), [("float", "float32"), ("half", "float16"), ("int32_t", "int32")])
def test_atomic_copies_of_many_cores_lose_nothing(compiler: Compiler, c_type: str, dtype: str) -> None:
    compiled = compiler.compile(ATOMIC, "accumulate", f"DTYPE_X={c_type}", tiling="int32_t count; int32_t times;")
    cores, count, times = 16, 2048, 5
    x = np.random.default_rng(1).integers(-4, 5, (cores, count)).astype(dtype)
    tail = 32 // x.itemsize
    for key, expected in ((0, x.sum(0) * times), (1, x.max(0)), (2, x.min(0))):
        y = np.zeros(count + tail, dtype)
        compiled(x, y, None, struct.pack("<ii", count, times), block_dim=cores, threads=4, key=key)
        start = np.zeros(count, dtype)
        wanted = {0: expected, 1: np.maximum(start, expected), 2: np.minimum(start, expected)}[key]
        np.testing.assert_array_equal(y[:count], wanted)
        assert any((y[count:] == row[:tail]).all() for row in x)


MIXED = """
using namespace AscendC;
extern "C" __global__ __aicore__ void mixed(GM_ADDR x, GM_ADDR y)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<int32_t> in, out;
    in.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    if (ASCEND_IS_AIC) {
        in.SetValue(GetBlockIdx(), 7 + GetBlockIdx());
        CrossCoreSetFlag<2, PIPE_FIX>(1);
        CrossCoreWaitFlag(2);
        out.SetValue(100 + GetBlockIdx(), out.GetValue(2 * GetBlockIdx()) + out.GetValue(2 * GetBlockIdx() + 1));
    }
    if (ASCEND_IS_AIV) {
        CrossCoreWaitFlag(1);
        out.SetValue(GetBlockIdx(), in.GetValue(GetBlockIdx() / 2) * 10 + GetSubBlockIdx());
        CrossCoreSetFlag<2, PIPE_MTE3>(2);
    }
}
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_a_block_of_one_cube_and_two_vector_cores_works_together(compiler: Compiler, threads: int) -> None:
    mixed = compiler.compile(MIXED, "mixed")
    assert mixed.table.task_type == 5
    x, y = np.zeros(8, np.int32), np.zeros(128, np.int32)
    mixed(x, y, block_dim=3, threads=threads)
    assert y[:6].tolist() == [70, 71, 80, 81, 90, 91]
    assert y[100:103].tolist() == [141, 161, 181]


def test_a_flag_that_nobody_sets_is_a_deadlock(compiler: Compiler) -> None:
    source = 'extern "C" __global__ __aicore__ void waits(GM_ADDR) { AscendC::CrossCoreWaitFlag(3); }'
    with pytest.raises(KernelError, match=r"deadlock: 2 of 2 cores wait .* in CrossCoreWaitFlag\(3\), vector"):
        compiler.compile(source, "waits")(np.zeros(1), block_dim=2)


def test_task_types_by_tiling_key(compiler: Compiler) -> None:
    source = """
    using namespace AscendC;
    extern "C" __global__ __aicore__ void keyed(GM_ADDR y)
    {
        KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
        KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIC_1_1);
        GlobalTensor<int32_t> out;
        out.SetGlobalBuffer((__gm__ int32_t *)y);
        out.SetValue(ASCEND_IS_AIC ? 0 : 1, out.GetValue(ASCEND_IS_AIC ? 0 : 1) + 1);
    }
    """
    keyed = compiler.compile(source, "keyed")
    for key, expected in ((0, [0, 4]), (1, [4, 0]), (2, [4, 4])):
        y = np.zeros(2, np.int32)
        keyed(y, block_dim=4, key=key)
        assert y.tolist() == expected


def test_a_310p_core_is_cube_and_vector_in_one(compiler: Compiler) -> None:
    mixed_source = """
    extern "C" __global__ __aicore__ void one_kind(GM_ADDR y)
    {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
        AscendC::AtomicAdd((__gm__ int32_t *)y, 1);
    }
    """
    compiled = compiler.compile(mixed_source, "one_kind")
    for soc, expected in (("Ascend310P3", 4), ("Ascend910B1", 12)):
        y = np.zeros(1, np.int32)
        compiled(y, block_dim=4, soc=soc, threads=2)
        assert y[0] == expected


def test_scalar_atomics(compiler: Compiler) -> None:
    source = """
    using namespace AscendC;
    extern "C" __global__ __aicore__ void scalars(GM_ADDR i, GM_ADDR f)
    {
        __gm__ int32_t *ints = (__gm__ int32_t *)i;
        AtomicAdd(ints, 1);
        AtomicMax(ints + 1, static_cast<int32_t>(GetBlockIdx()));
        AtomicMin(ints + 2, static_cast<int32_t>(-GetBlockIdx()));
        AtomicAdd((__gm__ float *)f, 0.5f);
    }
    """
    compiled = compiler.compile(source, "scalars")
    ints, floats = np.zeros(3, np.int32), np.zeros(1, np.float32)
    compiled(ints, floats, block_dim=64, threads=4)
    assert ints.tolist() == [64, 63, -63]
    assert floats[0] == 32.0
