"""Queues, buffers, pools, tensors, the list of a dynamic input, and the scalar types."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from twin_harness import Compiler, Kernel, KernelError

HEAD = "using namespace AscendC;\n"


def kernel(function: str, body: str) -> str:
    return (
        HEAD
        + f'extern "C" __global__ __aicore__ void {function}(GM_ADDR x, GM_ADDR y)\n'
        + "{ (void)x; (void)y; GlobalTensor<int32_t> out; out.SetGlobalBuffer((__gm__ int32_t *)y);"
        + body
        + "}\n"
    )


def run(compiler: Compiler, function: str, body: str, x: np.ndarray | None = None, n: int = 16) -> list[int]:
    y = np.zeros(n, np.int32)
    compiler.compile(kernel(function, body), function)(np.zeros(1) if x is None else x, y)
    return y.tolist()


@pytest.mark.parametrize(
    ("function", "body", "message"),
    [
        (
            "leak",
            "q.AllocTensor<int>(); q.AllocTensor<int>(); q.AllocTensor<int>();",
            "AllocTensor on a queue of VECIN whose 2 buffers are all in use: a FreeTensor is missing",
        ),
        ("empty", "q.DeQue<int>();", "DeQue on an empty queue of VECIN: an EnQue is missing"),
        ("twice", "auto t = q.AllocTensor<int>(); q.FreeTensor(t); q.FreeTensor(t);", "free already"),
        (
            "stranger",
            "TBuf<> b; pipe.InitBuffer(b, 64); auto t = b.Get<int>(); q.FreeTensor(t);",
            "does not come from the AllocTensor of a queue",
        ),
        ("events", "for (int i = 0; i < 9; ++i) { pipe.AllocEventID<HardEvent::V_S>(); }", "ReleaseEventID is missing"),
        (
            "pool",
            "TBufPool<TPosition::VECCALC> p; pipe.InitBufPool(p, 128); TBuf<> b; p.InitBuffer(b, 256);",
            "asks a TBufPool for 256 bytes at VECCALC, but only 128 of its 128 bytes are left",
        ),
        ("cube", "TBuf<TPosition::A1> b; pipe.InitBuffer(b, 524288 + 32);", "524288 bytes of the L1 Buffer"),
        ("trap", "Trap();", "Trap"),
        ("released", "pipe.ReleaseEventID<HardEvent::V_S>(2);", "ReleaseEventID of 2, which AllocEventID has not"),
        (
            "beyond",
            "LocalTensor<int32_t> t(TPosition::VECIN, 192 * 1024 - 64, 17);",
            "a LocalTensor of 68 bytes at 196544 does not lie in the Unified Buffer, which has 196608 bytes",
        ),
        ("no_list", "ListTensorDesc list; list.GetDataPtr<int32_t>(0);", "ListTensorDesc: tensor 0 of a list of 0"),
        ("no_pipe", "pipe.Destroy(); GetTPipePtr();", "GetTPipePtr where no TPipe is alive"),
        (
            "narrow",
            "TBufPool<TPosition::VECCALC> p, r; pipe.InitBufPool(p, 128); pipe.InitBufPool(r, 160, p);",
            "InitBufPool of 160 bytes in the place of a TBufPool that has 128",
        ),
        (
            "nowhere",
            "TBufPool<TPosition::VECCALC> p, r; pipe.InitBufPool(r, 160, p);",
            "InitBufPool of 160 bytes in the place of a TBufPool that has 0",
        ),
    ],
)
def test_what_would_hang_or_break_on_the_chip_is_an_error(
    compiler: Compiler, function: str, body: str, message: str
) -> None:
    setup = "TPipe pipe; TQue<TPosition::VECIN, 2> q; pipe.InitBuffer(q, 2, 64);"
    with pytest.raises(KernelError, match=message):
        run(compiler, function, setup + body)


def test_a_queue_hands_tensors_out_in_order(compiler: Compiler) -> None:
    body = """
    TPipe pipe; TQue<TPosition::VECOUT, 4> q; pipe.InitBuffer(q, 4, 20);
    for (int i = 0; i < 4; ++i) { auto t = q.AllocTensor<int32_t>(); t.SetValue(0, 10 + i);
        t.SetUserTag(i); q.EnQue(t); }
    out.SetValue(0, q.GetTensorCountInQue()); out.SetValue(1, q.HasIdleBuffer()); out.SetValue(2, q.VacantInQue());
    for (int i = 0; i < 4; ++i) {
        auto t = q.DeQue<int32_t>(); out.SetValue(3 + i, t.GetValue(0) * 10 + t.GetUserTag());
        out.SetValue(7, t.GetSize()); q.FreeTensor(t);
    }
    out.SetValue(8, q.HasTensorInQue()); out.SetValue(9, q.HasIdleBuffer());
    """
    assert run(compiler, "order", body)[:10] == [4, 0, 0, 100, 111, 122, 133, 8, 0, 1]


QUEUE_OF = """
static constexpr TQueConfig said = {{{nd2nz}, false, false, 64, 2}};
TPipe pipe; TQue<TPosition::VECIN, 2, &said> q; pipe.InitBuffer(q, 2, 64);
auto t = q.AllocTensor<int32_t>(); out.SetValue(0, t.GetSize()); q.FreeTensor(t);
"""


def test_a_queue_may_be_described_when_it_is_compiled(compiler: Compiler) -> None:
    assert run(compiler, "described", QUEUE_OF.format(nd2nz="false"))[0] == 16
    errors = compiler.errors(kernel("converting", QUEUE_OF.format(nd2nz="true")), "converting")
    assert "the twin has no queues that convert between ND and NZ (TQueConfig)" in errors


SPILL = """
TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 512); auto t = b.Get<int32_t>();
for (int i = 0; i < 64; ++i) { t.SetValue(i, i); }
pipe.InitSpmBuffer(WHERE 256);
pipe.WriteSpmBuffer(t, DataCopyParams{2, 1, 1, 2}, 32); pipe.WriteSpmBuffer(t[40], 16, 160);
Duplicate(t, -1, 128);
pipe.ReadSpmBuffer(t, DataCopyParams{2, 1, 2, 0}, 32); pipe.ReadSpmBuffer(t[16], 16, 160);
for (int i = 0; i < 40; ++i) { out.SetValue(i, t.GetValue(i)); }
"""
OLD_CHIP = ("__NPU_ARCH__=2002", "__CCE_AICORE__=200")


@pytest.mark.parametrize(("where", "defines"), [("out[64],", ()), ("", OLD_CHIP), ("out[64],", OLD_CHIP)])
def test_what_the_unified_buffer_cannot_hold_is_put_aside(
    compiler: Compiler, where: str, defines: tuple[str, ...]
) -> None:
    y = np.zeros(128, np.int32)
    call = compiler.compile(kernel("spill", SPILL.replace("WHERE", where)), "spill", *defines)
    call(np.zeros(1), y, soc="Ascend310P3" if defines else "Ascend910B1")
    assert y[:40].tolist() == [*range(8), *range(16, 24), *range(40, 56), *[-1] * 8]
    assert y[64:].any() == bool(where)


def test_room_to_put_aside_has_an_end_and_a_place(compiler: Compiler) -> None:
    body = "TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 512); auto t = b.Get<int32_t>();"
    with pytest.raises(KernelError, match="WriteSpmBuffer of 64 bytes at offset 32 of an SPM buffer that has 64"):
        run(compiler, "narrow_spill", body + "pipe.InitSpmBuffer(out, 64); pipe.WriteSpmBuffer(t, 16, 32);")
    with pytest.raises(KernelError, match="ReadSpmBuffer of 32 bytes at offset 0 of an SPM buffer that has 0"):
        run(compiler, "no_spill", body + "pipe.ReadSpmBuffer(t, 8);")
    errors = compiler.errors(kernel("in_l1", body + "pipe.InitSpmBuffer(64);"), "in_l1")
    assert "InitSpmBuffer in L1, without a workspace, is not there on this SoC" in errors


def test_in_place_forms_and_bound_queues(compiler: Compiler) -> None:
    body = """
    TPipe pipe; TQueBind<TPosition::VECIN, TPosition::VECOUT, 0> q; pipe.InitBuffer(q, 1, 64);
    LocalTensor<int32_t> t; q.AllocTensor(t); t(3) = 5; t.SetValue(4, t(3) + 1); q.EnQue(t);
    LocalTensor<int32_t> u; q.DeQue(u); out.SetValue(0, u.GetValue(3)); out.SetValue(1, u.GetValue(4)); q.FreeTensor(u);
    """
    assert run(compiler, "in_place", body)[:2] == [5, 6]


def test_buffers_pools_and_allocators_share_the_unified_buffer(compiler: Compiler) -> None:
    body = """
    TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 100);
    auto whole = b.Get<int32_t>(); auto part = b.GetWithOffset<int32_t>(4, 32);
    whole.SetValue(8, 77); out.SetValue(0, whole.GetSize()); out.SetValue(1, part.GetValue(0));
    out.SetValue(2, part.GetSize());
    TBufPool<TPosition::VECCALC> p0, p1; pipe.InitBufPool(p0, 256); pipe.InitBufPool(p1, 256, p0);
    TBuf<> c, d; p0.InitBuffer(c, 64); p1.InitBuffer(d, 64); c.Get<int32_t>().SetValue(1, 9);
    out.SetValue(3, d.Get<int32_t>().GetValue(1));
    LocalMemAllocator<> allocator; auto first = allocator.Alloc<float, 5>(); auto second = allocator.Alloc<half>(7);
    out.SetValue(4, first.GetSize()); out.SetValue(5, allocator.GetCurAddr()); out.SetValue(6, second.GetSize());
    auto bytes = whole.ReinterpretCast<uint8_t>(); out.SetValue(7, bytes.GetValue(32));
    out.SetValue(8, bytes[32].GetSize());
    """
    assert run(compiler, "shared", body)[:9] == [32, 77, 4, 9, 5, 64, 7, 77, 96]


OWN_POOL = """
class Backwards {
public:
    Backwards() { Init(); }
    template <typename Queue>
    bool InitBuffer(Queue &queue, uint8_t num, uint32_t len)
    {
        auto handle = GetBufHandle(GetCurBufSize());
        queue.InitStartBufHandle(handle, num, len);
        for (uint32_t i = 0; i < num; ++i) {
            queue.InitBufHandle(this, i, handle, GetCurAddr() + (num - 1 - i) * len, len);
        }
        SetCurAddr(GetCurAddr() + num * len);
        SetCurBufSize(GetCurBufSize() + num);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(Backwards, TPosition::VECCALC, 4);
};
"""


def own_pool(compiler: Compiler, function: str, body: str) -> list[int]:
    y = np.zeros(16, np.int32)
    text = kernel(function, "TPipe pipe; Backwards own; " + body).replace(HEAD, HEAD + OWN_POOL)
    compiler.compile(text, function)(np.zeros(1), y)
    return y.tolist()


def test_a_pool_of_the_users_own_places_buffers_as_it_likes(compiler: Compiler) -> None:
    body = """
    TBuf<> before; pipe.InitBuffer(before, 96); pipe.InitBufPool(own, 256);
    TQue<TPosition::VECIN, 2> q; TBuf<TPosition::VECIN> b; own.InitBuffer(q, 2, 64); own.InitBuffer(b, 1, 32);
    auto first = q.AllocTensor<int32_t>(), second = q.AllocTensor<int32_t>();
    auto start = before.Get<uint8_t>().GetPhyAddr();
    out.SetValue(0, (uint8_t *)first.GetPhyAddr() - start); out.SetValue(1, (uint8_t *)second.GetPhyAddr() - start);
    out.SetValue(2, (uint8_t *)b.Get<int32_t>().GetPhyAddr() - start); out.SetValue(3, b.Get<int32_t>().GetSize());
    out.SetValue(4, own.GetCurAddr()); out.SetValue(5, own.GetCurBufSize());
    q.EnQue(second); auto back = q.DeQue<int32_t>(); q.FreeTensor(back); q.FreeTensor(first);
    own.Reset(); out.SetValue(6, own.GetCurAddr()); out.SetValue(7, own.GetCurBufSize());
    """
    assert own_pool(compiler, "own", body)[:8] == [160, 96, 224, 8, 96 + 160, 3, 96, 0]


@pytest.mark.parametrize(
    ("function", "body", "message"),
    [
        (
            "own_outside",
            "pipe.InitBufPool(own, 96); TQue<TPosition::VECIN, 2> q; own.InitBuffer(q, 2, 64);",
            "outside of its",
        ),
        ("own_handle", "own.GetBufHandle(4);", "GetBufHandle\\(4\\) of a pool that has 4 buffers"),
        ("own_tbuf", "pipe.InitBufPool(own, 96); TBuf<> b; own.InitBuffer(b, 2, 32);", "TBuf with 2 buffers"),
    ],
)
def test_what_a_pool_of_the_users_own_does_wrong_is_an_error(
    compiler: Compiler, function: str, body: str, message: str
) -> None:
    with pytest.raises(KernelError, match=message):
        own_pool(compiler, function, body)


def test_pools_are_divided_and_share_places(compiler: Compiler) -> None:
    body = """
    TPipe pipe; TBufPool<TPosition::VECCALC> whole, one, two; pipe.InitBufPool(whole, 256);
    whole.InitBufPool(one, 128); TBuf<> rest; whole.InitBuffer(rest, 128); whole.InitBufPool(two, 128, one);
    TBuf<> a, b; one.InitBuffer(a, 64); one.InitBuffer(b, 64); a.Get<int32_t>().SetValue(0, 4);
    b.Get<int32_t>().SetValue(0, 5); rest.Get<int32_t>().SetValue(0, 6); one.Reset();
    TQue<TPosition::VECIN, 1> q; two.InitBuffer(q, 2, 64);
    auto t = q.AllocTensor<int32_t>(), u = q.AllocTensor<int32_t>();
    out.SetValue(0, t.GetValue(0)); out.SetValue(1, u.GetValue(0)); out.SetValue(2, rest.Get<int32_t>().GetValue(0));
    """
    assert run(compiler, "divided", body)[:3] == [4, 5, 6]


def test_one_pipe_after_another_begins_at_the_start(compiler: Compiler) -> None:
    body = """
    for (int32_t i = 0; i < 3; ++i) {
        TPipe pipe; TBuf<> b; ::GetTPipePtr()->InitBuffer(b, 190 * 1024); out.SetValue(i, GetTPipePtr() == &pipe);
        if (i == 1) { pipe.DestroyWithoutPipeAll(); }
    }
    """
    assert run(compiler, "one_after_another", body)[:3] == [1, 1, 1]


def test_fetched_events_are_those_that_nobody_has(compiler: Compiler) -> None:
    body = """
    TPipe pipe; out.SetValue(0, pipe.FetchEventID<HardEvent::V_S>());
    out.SetValue(1, pipe.AllocEventID<HardEvent::V_S>());
    out.SetValue(2, pipe.FetchEventID(HardEvent::V_S)); out.SetValue(3, pipe.AllocEventID<HardEvent::V_S>());
    pipe.ReleaseEventID<HardEvent::V_S>(0); out.SetValue(4, pipe.FetchEventID<HardEvent::V_S>());
    LocalTensor<int32_t> t(TPosition::VECIN, 192 * 1024 - 64, 16); t.SetValue(15, 3); out.SetValue(5, t.GetValue(15));
    """
    assert run(compiler, "fetched", body)[:6] == [0, 0, 1, 1, 0, 3]


def test_what_is_left_of_a_buffer_and_functions_of_a_queue_on_a_tbuf(compiler: Compiler) -> None:
    body = """
    TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 192 * 1024 - 96); LocalTensor<int32_t> left;
    out.SetValue(0, PopStackBuffer<int32_t, TPosition::LCM>(left)); out.SetValue(1, left.GetSize());
    auto t = b.AllocTensor<int32_t>(); t.SetValue(3, 8); b.EnQue(t); auto u = b.DeQue<int32_t>();
    out.SetValue(2, u.GetValue(3)); b.FreeTensor(u);
    TSCM<TPosition::VECIN> l1; pipe.InitBuffer(l1, 2, 512 * 1024 / 2); auto v = l1.AllocTensor<int32_t>();
    out.SetValue(3, v.GetSize());
    """
    assert run(compiler, "left", body)[:4] == [1, 24, 8, 65536]


def test_reset_starts_the_buffer_again(compiler: Compiler) -> None:
    body = """
    TPipe pipe; TQue<TPosition::VECIN, 1> q;
    for (int i = 0; i < 3; ++i) { pipe.InitBuffer(q, 1, 192 * 1024); pipe.Reset(); out.SetValue(i, 1); }
    out.SetValue(3, GetTPipePtr() == &pipe);
    """
    assert run(compiler, "again", body)[:4] == [1, 1, 1, 1]


def test_a_dynamic_input_lists_its_tensors(compiler: Compiler) -> None:
    first, second = np.array([5, 6], np.int32), np.array([7], np.int32)
    words = [
        *(2 | 0 << 32, 1, 2),
        *(3 | 1 << 32, 4, 5, 6),
        *(first.ctypes.data, second.ctypes.data),
    ]
    block = np.array([8 * 8, *words], np.uint64)
    body = """
    ListTensorDesc list((__gm__ void *)x); out.SetValue(0, list.GetSize());
    out.SetValue(1, list.GetDataPtr<int32_t>(0)[1]); out.SetValue(2, list.GetDataPtr<int32_t>(1)[0]);
    uint64_t room[8]; TensorDesc<int32_t> desc; desc.SetShapeAddr(room); list.GetDesc(desc, 1);
    out.SetValue(3, desc.GetDim()); out.SetValue(4, desc.GetIndex()); out.SetValue(5, desc.GetShape(2));
    out.SetValue(6, desc.GetDataPtr()[0]);
    """
    assert run(compiler, "listed", body, block)[:7] == [2, 6, 7, 3, 1, 6, 7]


def test_half_is_rounded_after_every_operation(compiler: Compiler) -> None:
    source = (
        HEAD
        + """
    constexpr half kThird = half(1.0f) / half(3.0f);
    static_assert(kThird.bits == 0x3555, "constants round as values do");
    extern "C" __global__ __aicore__ void halves(GM_ADDR x, GM_ADDR y)
    {
        const __gm__ half *in = (__gm__ half *)x;
        __gm__ half *out = (__gm__ half *)y;
        half a = in[0], b = in[1];
        out[0] = a + b; out[1] = a - b; out[2] = a * b; out[3] = a / b; out[4] = -a;
        half c = a; c += b; out[5] = c; out[6] = (half)(a * 2); out[7] = half(a + 1.5f);
        out[8] = (half)(int32_t)b; out[9] = a > b ? a : b; out[10] = (a == a && a != b) ? half(1) : half(0);
    }
    """
    )
    compiled = compiler.compile(source, "halves")
    for a, b in ((1.0009766, 3.0), (65504.0, 65504.0), (6e-8, 0.3), (-2.5, 7.75), (np.inf, 1.0)):
        x, y = np.array([a, b], np.float16), np.zeros(11, np.float16)
        compiled(x, y)
        with np.errstate(all="ignore"):
            p, q = x
            wanted = [
                p + q,
                p - q,
                p * q,
                p / q,
                -p,
                p + q,
                p * np.float16(2),
                np.float16(np.float32(p) + np.float32(1.5)),
            ]
            if np.isfinite(q):
                wanted.append(np.float16(int(q)))
        np.testing.assert_array_equal(y[: len(wanted)], np.array(wanted, np.float16))
        assert y[9] == max(p, q)
        assert y[10] == (1 if p != q else 0)


def test_every_float_to_half_conversion_agrees_with_numpy(compiler: Compiler) -> None:
    source = (
        HEAD
        + """
    extern "C" __global__ __aicore__ void convert(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
    {
        (void)workspace;
        GET_TILING_DATA(data, tiling);
        const __gm__ float *in = (__gm__ float *)x;
        __gm__ uint16_t *out = (__gm__ uint16_t *)y;
        for (int32_t i = 0; i < data.count; ++i) {
            out[i] = opkg::twin::soft_float_to_half(in[i]);
            out[data.count + i] = half(in[i]).bits;
            out[2 * data.count + i] = opkg::twin::soft_float_to_half(opkg::twin::soft_half_to_float(out[i]));
        }
    }
    """
    )
    compiled: Kernel = compiler.compile(source, "convert", tiling="int32_t count;")
    rng = np.random.default_rng(2)
    every = np.arange(0, 65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    near = np.nextafter(every[np.isfinite(every)], np.float32(np.inf))
    a = np.concatenate(
        [every, near, (rng.standard_normal(5000) * 10.0 ** rng.integers(-9, 6, 5000)).astype(np.float32)]
    )
    a = a[~np.isnan(a)]
    y = np.zeros(3 * len(a), np.uint16)
    compiled(a, y, None, struct.pack("<i", len(a)))
    with np.errstate(over="ignore"):
        expected = a.astype(np.float16).view(np.uint16)
    for part in y.reshape(3, len(a)):
        np.testing.assert_array_equal(part, expected)


def test_scalar_helpers(compiler: Compiler) -> None:
    body = """
    out.SetValue(0, CeilDivision(10, 3)); out.SetValue(1, AlignUp(33, 32)); out.SetValue(2, DivCeil(7, 7));
    out.SetValue(3, ScalarGetCountOfValue<1>(0xF0)); out.SetValue(4, ScalarGetSFFValue<1>(8));
    out.SetValue(5, ScalarGetSFFValue<0>(7)); out.SetValue(6, ScalarCountLeadingZero(1));
    out.SetValue(7, ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f));
    out.SetValue(8, NumericLimits<half>::Max() == half(65504.0f)); out.SetValue(9, NumericLimits<int16_t>::Max());
    out.SetValue(10, GetSystemCycle() > 0);
    """
    assert run(compiler, "helpers", body)[:11] == [4, 64, 1, 4, 3, 3, 63, 2, 1, 32767, 1]


def test_what_a_kernel_prints_reaches_stdout(compiler: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
    TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 64); auto t = b.Get<half>(3);
    t.SetValue(0, half(1.5f)); t.SetValue(1, half(-2.0f)); t.SetValue(2, half(3.0f));
    PRINTF("core %d\\n", 7); AscendC::printf("half %s\\n", "way"); DumpTensor(t, 5, 3); fflush(stdout);
    """
    run(compiler, "prints", body)
    printed = capfd.readouterr().out
    assert "[AIV Block 0/1] core 7\n[AIV Block 0/1] half way\n[AIV Block 0/1] DumpTensor: desc=5" in printed
    assert "desc=5, addr=0x0, data_type=float16, position=UB, dump_size=3\n[1.500000, -2.000000, 3.000000]\n" in printed


def test_a_kernel_may_lack_workspace_and_tiling(compiler: Compiler) -> None:
    source = HEAD + 'extern "C" __global__ __aicore__ void bare(GM_ADDR y) { ((__gm__ int32_t *)y)[0] = 3; }'
    bare = compiler.compile(source, "bare")
    assert (bare.table.n_args, bare.table.task_type, bare.table.tiling_size) == (1, -1, 0)
    y = np.zeros(1, np.int32)
    bare(y, None, None)
    assert y[0] == 3


def test_registered_tiling_structs_shadow_and_their_size_is_known(compiler: Compiler) -> None:
    source = (
        HEAD
        + """
    struct Small { int32_t a; };
    struct Large { int32_t a; int64_t b[3]; };
    extern "C" __global__ __aicore__ void shadows(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
    {
        (void)workspace;
        REGISTER_TILING_DEFAULT(Large);
        GET_TILING_DATA(large, tiling);
        GET_TILING_DATA_WITH_STRUCT(Small, small, tiling);
        GET_TILING_DATA_MEMBER(Large, b, b, tiling);
        ((__gm__ int64_t *)y)[0] = large.b[2] + small.a + b[1];
    }
    """
    )
    shadows = compiler.compile(source, "shadows", tiling="int32_t other;")
    assert shadows.table.tiling_size == 32
    y = np.zeros(1, np.int64)
    shadows(y, None, struct.pack("<iiqqq", 5, 0, 100, 200, 300))
    assert y[0] == 505
