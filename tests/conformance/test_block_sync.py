"""Vector cores that wait for each other through global memory, polling included, and locks between pipes."""

from __future__ import annotations

import numpy as np
import pytest
from twin_harness import Compiler, KernelError

WIDE = ("__NPU_ARCH__=3510", "__CCE_AICORE__=310")


def source(function: str, body: str) -> str:
    return f"""
using namespace AscendC;
extern "C" __global__ __aicore__ void {function}(GM_ADDR x, GM_ADDR y)
{{
    GlobalTensor<int32_t> gm, out;
    gm.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    [[maybe_unused]] const int32_t me = GetBlockIdx();
    TPipe pipe;
    TBuf<> room;
    pipe.InitBuffer(room, 1024);
    [[maybe_unused]] LocalTensor<int32_t> ub = room.Get<int32_t>();
    {body}
}}
"""


def run(
    compiler: Compiler,
    function: str,
    body: str,
    blocks: int = 1,
    threads: int = 1,
    x: np.ndarray | None = None,
    defines: tuple[str, ...] = (),
) -> np.ndarray:
    y = np.zeros(256, np.int32)
    soc = "Ascend950PR" if defines else "Ascend910B1"
    workspace = np.zeros(8192, np.int32) if x is None else x
    kernel = compiler.compile(source(function, body), function, *defines)
    kernel(workspace, y, block_dim=blocks, threads=threads, soc=soc)
    return y


@pytest.mark.parametrize("threads", [1, 3])
def test_a_set_lets_the_core_that_waits_go_on_again_and_again(compiler: Compiler, threads: int) -> None:
    body = """
    for (int32_t i = 0; i < 20; ++i) {
        if (me > 0) { IBWait(gm, ub, me - 1, 2); }
        out.SetValue(i * 4 + me, me == 0 ? i : out.GetValue(i * 4 + me - 1) * 2 + 1);
        if (me < 3) { IBSet(gm, ub, me, 2); }
    }
    """
    workspace = np.zeros(8192, np.int32)
    y = run(compiler, "chain", body, blocks=4, threads=threads, x=workspace)
    rows = y[:80].reshape(20, 4)
    for i in range(20):
        assert rows[i].tolist() == [i, 2 * i + 1, 4 * i + 3, 8 * i + 7]
    assert not workspace.any()


def test_a_set_stands_in_global_memory_where_the_documentation_puts_it(compiler: Compiler) -> None:
    workspace = np.zeros(8192, np.int32)
    run(compiler, "stands", "if (me == 0) { IBSet(gm, ub, 1, 2); }", blocks=3, x=workspace)
    assert np.flatnonzero(workspace).tolist() == [(2 * 3 + 1) * 8]
    assert workspace.max() == 1


@pytest.mark.parametrize(
    ("function", "body", "message"),
    [
        (
            "never",
            "if (me == 1) { IBWait(gm, ub, 0, 5); }",
            "let them go on: vector core 1 of 2 in IBWait of block 0, event 5",
        ),
        ("twice", "IBSet(gm, ub, me, 0); IBSet(gm, ub, me, 0);", r"in IBSet of block \d, event 0"),
        (
            "order",
            "InitDetermineComputeWorkspace(gm, ub); WaitPreBlock(gm, ub); if (me == 1) { NotifyNextBlock(gm, ub); }",
            "in WaitPreBlock",
        ),
        ("uninitialised", "WaitPreBlock(gm, ub);", "WaitPreBlock before InitDetermineComputeWorkspace"),
        (
            "group",
            "GroupBarrier<PipeMode::MTE3_MODE> b(x, 2, 1); if (me == 0) { b.Arrive(0); } else { b.Wait(0); }",
            "in GroupBarrier::Wait",
        ),
        ("index", "GroupBarrier<PipeMode::MTE3_MODE> b(x, 2, 1); b.Arrive(2);", r"Arrive\(2\): there are 2 such cores"),
        ("nobody", "GroupBarrier<PipeMode::MTE3_MODE> b(x, 0, 1);", "GroupBarrier of 0 arriving and 1 waiting"),
    ],
)
def test_waits_that_never_end_are_errors(compiler: Compiler, function: str, body: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run(compiler, function, body, blocks=2)


def test_more_blocks_than_the_chip_has_cores_may_not_wait_for_each_other(compiler: Compiler) -> None:
    body = "InitDetermineComputeWorkspace(gm, ub); WaitPreBlock(gm, ub); NotifyNextBlock(gm, ub);"
    run(compiler, "many", body, blocks=48)
    with pytest.raises(KernelError, match="in a launch of 49 vector cores: the chip has 48, and would hang"):
        run(compiler, "many", body, blocks=49)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_cores_take_turns_in_the_order_of_their_numbers(compiler: Compiler, threads: int) -> None:
    body = """
    InitDetermineComputeWorkspace(gm, ub);
    for (int32_t i = 0; i < 3; ++i) {
        WaitPreBlock(gm, ub);
        const int32_t at = out.GetValue(255);
        out.SetValue(at, 10 * i + me);
        out.SetValue(255, at + 1);
        NotifyNextBlock(gm, ub);
    }
    """
    garbage = np.full(8192, 77, np.int32)
    y = run(compiler, "turns", body, blocks=8, threads=threads, x=garbage)
    assert y[:24].tolist() == [10 * i + me for i in range(3) for me in range(8)]


@pytest.mark.parametrize("threads", [1, 4])
def test_one_group_waits_for_all_of_another_in_each_round(compiler: Compiler, threads: int) -> None:
    body = """
    GroupBarrier<PipeMode::MTE3_MODE> ready(x, 2, 3), taken(x + 4096, 3, 2);
    for (int32_t round = 1; round <= 5; ++round) {
        if (me < 2) {
            out.SetValue(me, round * 10 + me);
            ready.Arrive(me);
            taken.Wait(me);
        } else {
            ready.Wait(me - 2);
            out.SetValue(10 * round + me, out.GetValue(0) + out.GetValue(1));
            taken.Arrive(me - 2);
        }
    }
    out.SetValue(200, ready.GetWorkspaceLen());
    """
    y = run(compiler, "groups", body, blocks=5, threads=threads)
    for round_ in range(1, 6):
        assert y[10 * round_ + 2 : 10 * round_ + 5].tolist() == [20 * round_ + 1] * 3
    assert y[200] == 3 * 512


LOOKS = {
    "past the cache": "ReadGmByPassDCache<int32_t>((__gm__ int32_t *)x + i * 16)",
    "by an atomic operation": "AtomicAdd<int32_t>((__gm__ int32_t *)x + i * 16, 0)",
    "by a copy": "copied(gm[i * 16])",
    "by a copy with padding": "copied(gm[i * 16], DataCopyExtParams{1, 4, 0, 0, 0})",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("look", list(LOOKS))
def test_a_core_that_polls_does_not_hold_up_the_others(compiler: Compiler, threads: int, first: int, look: str) -> None:
    body = f"""
    TBuf<> buffer; pipe.InitBuffer(buffer, 256);
    [[maybe_unused]] const auto copied = [&](const GlobalTensor<int32_t> &word, auto... how) {{
        const LocalTensor<int32_t> seen = buffer.Get<int32_t>();
        if constexpr (sizeof...(how) == 0) {{ DataCopy(seen, word, 8); }}
        else {{ DataCopyPad(seen, word, how..., DataCopyPadExtParams<int32_t>{{}}); }}
        SetFlag<HardEvent::MTE2_S>(0); WaitFlag<HardEvent::MTE2_S>(0);
        return seen.GetValue(0);
    }};
    if (me == {first}) {{
        for (int32_t i = 0; i < 4; ++i) {{
            while (i != {first} && {LOOKS[look]} != i + 1) {{
            }}
        }}
        out.SetValue(0, out.GetValue(1) + out.GetValue(2) + out.GetValue(3) + out.GetValue(4));
    }} else {{
        out.SetValue(me + 1, 100 + me);
        DataSyncBarrier<MemDsbT::DDR>();
        WriteGmByPassDCache<int32_t>((__gm__ int32_t *)x + me * 16, me + 1);
    }}
    """
    y = run(compiler, f"polls_{first}_{list(LOOKS).index(look)}", body, blocks=4, threads=threads)
    assert y[0] == sum(100 + i for i in range(4) if i != first)


def test_a_poll_through_the_cache_sees_what_others_write(compiler: Compiler) -> None:
    body = """
    if (me == 0) {
        while (true) {
            DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm[16]);
            if (gm.GetValue(16) == 5) { break; }
        }
        out.SetValue(0, 6);
    } else {
        gm.SetValue(16, 5);
        DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(gm);
    }
    """
    assert run(compiler, "cached", body, blocks=2)[0] == 6


def test_a_core_that_polls_stops_when_another_one_fails(compiler: Compiler) -> None:
    body = """
    if (me == 0) { while (ReadGmByPassDCache<int32_t>((__gm__ int32_t *)x) == 0) {} }
    TQue<TPosition::VECIN, 1> q; q.DeQue<int32_t>();
    """
    with pytest.raises(KernelError, match="core 1 of 2: DeQue on an empty queue"):
        run(compiler, "fails", body, blocks=2)


def test_mutexes_lock_and_unlock_in_turn(compiler: Compiler) -> None:
    body = """
    MutexID a = AllocMutexID(), b = AllocMutexID();
    out.SetValue(0, a); out.SetValue(1, b);
    Mutex::Lock<PIPE_MTE2>(a); Mutex::Unlock<PIPE_MTE2>(a); Mutex::Lock<PIPE_V>(a); Mutex::Unlock<PIPE_V>(a);
    ReleaseMutexID(a); out.SetValue(2, AllocMutexID());
    """
    assert run(compiler, "mutexes", body, defines=WIDE)[:3].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("function", "body", "message"),
    [
        ("m_twice", "Mutex::Lock<PIPE_V>(3); Mutex::Lock<PIPE_V>(3);", r"Lock<PIPE_V>\(3\): this pipe holds the mutex"),
        ("m_unlock", "Mutex::Unlock<PIPE_MTE3>(0);", r"Unlock<PIPE_MTE3>\(0\): this pipe does not hold"),
        ("m_end", "Mutex::Lock<PIPE_S>(7);", "the kernel ends while mutex 7 is locked"),
        ("m_range", "Mutex::Lock<PIPE_S>(32);", "mutex 32 is out of range"),
        ("m_all", "for (int i = 0; i < 29; ++i) { AllocMutexID(); }", "all 28 mutexes are in use"),
        ("m_free", "ReleaseMutexID(4);", "mutex 4, which AllocMutexID has not given out"),
    ],
)
def test_mutexes_that_would_hang_are_errors(compiler: Compiler, function: str, body: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run(compiler, function, body, defines=WIDE)


def test_only_the_950_has_mutexes(compiler: Compiler) -> None:
    assert "Mutex is there on the Ascend950 only" in compiler.errors(source("m", "Mutex::Lock<PIPE_V>(0);"), "m")
    assert "AllocMutexID is there on the Ascend950 only" in compiler.errors(source("m", "AllocMutexID();"), "m")


def test_the_compilers_own_variables_count_blocks(compiler: Compiler) -> None:
    y = run(compiler, "variables", "out.SetValue(2 * block_idx, 1 + block_idx); out.SetValue(9, block_num);", blocks=4)
    assert y[[0, 2, 4, 6, 9]].tolist() == [1, 2, 3, 4, 4]


def test_global_memory_is_filled_with_a_value(compiler: Compiler) -> None:
    y = run(compiler, "initial", "InitOutput<int32_t>(out[3], 5, -2); InitOutput<int32_t>(out[4], 1);")
    assert y[:9].tolist() == [0, 0, 0, -2, 0, -2, -2, -2, 0]


def test_flags_between_pipes_are_counted(compiler: Compiler) -> None:
    body = """
    WaitFlag<HardEvent::V_MTE2>(1); SetFlag<HardEvent::V_MTE2>(1); SetFlag<HardEvent::MTE2_V>(0);
    for (int i = 0; i < 3; ++i) { SetFlag<HardEvent::S_V>(7); WaitFlag<HardEvent::S_V>(7); }
    out.SetValue(0, 1);
    """
    assert run(compiler, "counted", body)[0] == 1
    body = "wait_flag(PIPE_V, PIPE_MTE2, 3); SetFlag<HardEvent::V_MTE2>(3); WaitFlag<HardEvent::V_S>(3);"
    run(compiler, "by_pipe", body)


@pytest.mark.parametrize(
    ("function", "body", "message"),
    [
        (
            "f_event",
            "SetFlag<HardEvent::S_MTE3>(1); WaitFlag<HardEvent::MTE3_MTE1>(1);",
            r"HardEvent::MTE3_MTE1>\(1\) is",
        ),
        (
            "f_id",
            "SetFlag<HardEvent::V_MTE3>(1); WaitFlag<HardEvent::V_MTE3>(2);",
            r"SetFlag<HardEvent::V_MTE3>\(2\) is mis",
        ),
        ("f_twice", "SetFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::S_V>(0);", "S_V"),
        ("f_range", "SetFlag<HardEvent::MTE1_S>(8);", "event 8 of MTE1_S is out of range"),
        ("f_negative", "WaitFlag<HardEvent::S_MTE1>(-1);", "event -1 of S_MTE1 is out of range"),
    ],
)
def test_waits_for_flags_that_are_not_set_are_errors(
    compiler: Compiler, function: str, body: str, message: str
) -> None:
    with pytest.raises(KernelError, match=message):
        run(compiler, function, body)
