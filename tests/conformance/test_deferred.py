"""Copies into the Unified Buffer that are made late must not be seen to be late."""

from __future__ import annotations

import numpy as np
import pytest
from twin_harness import Compiler

N = 1024  # floats: long enough for a copy to be deferred

HEAD = """
using namespace AscendC;
struct Room {
    TPipe pipe;
    TBuf<> buffers[3];
    GlobalTensor<float> x, y;
    LocalTensor<float> a, b, c;
    __aicore__ inline Room(GM_ADDR from, GM_ADDR to)
    {
        for (auto &buffer : buffers) {
            pipe.InitBuffer(buffer, 1024 * 4);
        }
        a = buffers[0].Get<float>();
        b = buffers[1].Get<float>();
        c = buffers[2].Get<float>();
        x.SetGlobalBuffer((__gm__ float *)from);
        y.SetGlobalBuffer((__gm__ float *)to);
    }
};
"""

TWO = "DataCopy(r.a, r.x, 1024); DataCopy(r.b, r.x[1024], 1024);"

THREES = np.full(4, 3, np.float32)

# So much that what follows is written past the caches.
FLOOD = "Duplicate(r.c, 0.0f, 1024); for (int i = 0; i < 1100; ++i) { DataCopy(r.y, r.c, 1024); }"

# Each body gets x (2 N floats) and y (2 N floats, zero), and leaves its result in y.
CASES: dict[str, tuple[str, object]] = {
    "a source that is written afterwards": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.b, 5.0f, 1024); DataCopy(r.x, r.b, 1024);"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a source whose one element is written": (
        "DataCopy(r.a, r.x, 1024); r.x.SetValue(7, 1000.0f); Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "an element that is read and one that is written": (
        "DataCopy(r.a, r.x, 1024); r.a.SetValue(9, r.a.GetValue(8) * 2.0f);"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[:9], x[8:9] * 2, x[10:N]]) + 1,
    ),
    "an element of another buffer": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.b, 2.0f, 64); r.b.SetValue(1, r.b.GetValue(0) + 3.0f);"
        "Adds(r.c, r.a, r.b.GetValue(1), 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 5,
    ),
    "rows that stand close together": (
        "DataCopyPad(r.a, r.x, DataCopyExtParams{4, 1024, 0, 0, 0}, DataCopyPadExtParams<float>{});"
        "Duplicate(r.a[256], 7.0f, 256); Adds(r.c, r.a[512], 1.0f, 512); Adds(r.c[512], r.a, 0.0f, 512);"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[512:N] + 1, x[:256], np.full(256, 7, np.float32)]),
    ),
    "a result in the place of its source": (
        "DataCopy(r.a, r.x, 1024); Adds(r.a, r.a, 1.0f, 1024); Muls(r.a, r.a, 2.0f, 1024); DataCopy(r.y, r.a, 1024);",
        lambda x: (x[:N] + 1) * 2,
    ),
    "a part that is overwritten": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.a[8], 3.0f, 100); Adds(r.c, r.a, 0.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[:8], np.full(100, 3, np.float32), x[108:N]]),
    ),
    "a destination that is read as well": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.b, r.x[1024], 1024); "
        "MulAddDst(r.a, r.b, r.b, 1024); DataCopy(r.y, r.a, 1024);",
        lambda x: x[N:] * x[N:] + x[:N],
    ),
    "a second copy to the same place": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.a[512], r.x[1024], 512); "
        "Adds(r.c, r.a, 0.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[:512], x[N : N + 512]]),
    ),
    "a source read across two copies": (
        "DataCopy(r.a, r.x, 512); DataCopy(r.a[512], r.x[1024], 512); Adds(r.c, r.a, 0.0f, 1024); "
        "DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[:512], x[N : N + 512]]),
    ),
    "a copy straight back": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.y, r.a, 1024);",
        lambda x: x[:N],
    ),
    "a copy onto its own source, moved on": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.x[512], r.a, 1024); DataCopy(r.b, r.x[512], 1024); "
        "DataCopy(r.y, r.b, 1024);",
        lambda x: x[:N],
    ),
    "an instruction with repeats": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.c, 0.0f, 1024);"
        "Adds(r.c, r.a, 1.0f, 64, 16, UnaryRepeatParams{1, 1, 8, 8}); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "more copies than can wait": (
        "for (int i = 0; i < 4; ++i) { DataCopy(r.a[i * 256], r.x[i * 256], 256); }"
        "for (int i = 0; i < 4; ++i) { DataCopy(r.b[i * 256], r.x[1024 + i * 256], 256); }"
        "Add(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + x[N:],
    ),
    "an accumulation into the source": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.b, 1.0f, 1024); SetAtomicAdd<float>(); DataCopy(r.x, r.b, 1024);"
        "SetAtomicNone(); Adds(r.c, r.a, 0.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N],
    ),
    "another core that writes the source behind a barrier": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.b, 9.0f, 1024); SyncAll(); "
        "if (GetBlockIdx() == 1) { DataCopy(r.x, r.b, 1024); }"
        "SyncAll(); Adds(r.c, r.a, 1.0f, 1024); if (GetBlockIdx() == 0) { DataCopy(r.y, r.c, 1024); }",
        lambda x: x[:N] + 1,
    ),
    "a reduction of the buffer behind one that waits": (
        "Duplicate(r.b, 5.0f, 1024); DataCopy(r.a, r.x, 1024); ReduceMax(r.c, r.b, r.c[512], 1024);"
        "Adds(r.b, r.a, 0.0f, 1024); Adds(r.b, r.c, 0.0f, 1); DataCopy(r.y, r.b, 1024);",
        lambda x: np.concatenate([[np.float32(5)], x[1:N]]),
    ),
    "a source that a bare pointer writes when the scalar unit has waited": (
        "DataCopy(r.a, r.x, 1024); SetFlag<HardEvent::MTE2_S>(0); WaitFlag<HardEvent::MTE2_S>(0);"
        "reinterpret_cast<__gm__ float *>(x)[7] = 1000.0f; Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a source that a bare pointer writes behind a flag between pipes": (
        "DataCopy(r.a, r.x, 1024); set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);"
        "reinterpret_cast<__gm__ float *>(x)[7] = 1000.0f; Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a source that a bare pointer writes when the scalar unit has waited for its use": (
        "DataCopy(r.a, r.x, 1024); Adds(r.b, r.a, 0.0f, 1024); SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);"
        "reinterpret_cast<__gm__ float *>(x)[7] = 1000.0f; Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a source that a bare pointer writes when the scalar unit has waited by a queue's flag": (
        "TQueSync<PIPE_MTE3, PIPE_S> last; DataCopy(r.a, r.x, 1024); DataCopy(r.y, r.a, 1024); last.SetFlag(0);"
        "last.WaitFlag(0); reinterpret_cast<__gm__ float *>(x)[7] = 1000.0f; Adds(r.c, r.a, 1.0f, 1024);"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a source that a bare pointer writes behind a barrier": (
        "DataCopy(r.a, r.x, 1024); PipeBarrier<PIPE_ALL>();"
        "reinterpret_cast<__gm__ float *>(x)[7] = 1000.0f; Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a source that a bare pointer writes behind the built-in barrier": (
        "DataCopy(r.a, r.x, 1024); pipe_barrier(PIPE_ALL);"
        "reinterpret_cast<__gm__ float *>(x)[7] = 1000.0f; Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "the address of a whole buffer": (
        "Duplicate(r.a, -1.0f, 1024); DataCopy(r.a, r.x, 1024);"
        "auto *raw = r.pipe.GetBaseAddr(static_cast<int8_t>(TPosition::VECCALC));"
        "r.y.SetValue(1024, *reinterpret_cast<float *>(raw)); Adds(r.c, r.a, 0.0f, 1024); DataCopy(r.y, r.c, 1024);"
        "r.y.SetValue(0, r.y.GetValue(1024) * 2.0f);",
        lambda x: np.concatenate([x[:1] * 2, x[1:N]]),
    ),
    "words that cores exchange": (
        "GlobalTensor<int32_t> words; words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y) + 1024);"
        "LocalTensor<int32_t> room = r.b.ReinterpretCast<int32_t>(); DataCopy(r.a, r.x, 1024);"
        "if (GetBlockIdx() == 0) { IBSet(words, room, 0, 0); IBWait(words, room, 1, 0);"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "else { IBWait(words, room, 0, 0); Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024);"
        "IBSet(words, room, 1, 0); }",
        lambda x: x[:N] + 1,
    ),
    "flags between cores": (
        "DataCopy(r.a, r.x, 1024); CrossCoreSetFlag<0, PIPE_MTE2>(3); CrossCoreWaitFlag(3);"
        "if (GetBlockIdx() == 1) { Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024); }"
        "CrossCoreSetFlag<0, PIPE_MTE3>(4); CrossCoreWaitFlag(4);"
        "if (GetBlockIdx() == 0) { Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }",
        lambda x: x[:N] + 1,
    ),
    "a word past the caches that lets another core write": (
        "auto *word = reinterpret_cast<__gm__ int32_t *>(y) + 1024; DataCopy(r.a, r.x, 1024);"
        "if (GetBlockIdx() == 0) { WriteGmByPassDCache(word, 1); while (ReadGmByPassDCache(word + 16) != 1) {}"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "else { while (ReadGmByPassDCache(word) != 1) {} Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024);"
        "WriteGmByPassDCache(word + 16, 1); }",
        lambda x: x[:N] + 1,
    ),
    "an atomic word that lets another core write": (
        "auto *word = reinterpret_cast<__gm__ int32_t *>(y) + 1024; DataCopy(r.a, r.x, 1024);"
        "if (GetBlockIdx() == 0) { AtomicAdd(word, 1); while (AtomicAdd(word + 16, 0) != 1) {}"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "else { while (AtomicAdd(word, 0) != 1) {} Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024);"
        "AtomicAdd(word + 16, 1); }",
        lambda x: x[:N] + 1,
    ),
    "a copy that lets another core write": (
        "GlobalTensor<int32_t> words; words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y) + 1024);"
        "LocalTensor<int32_t> word = r.b.ReinterpretCast<int32_t>(); Duplicate(word, 1, 8);"
        "LocalTensor<int32_t> seen = r.b[64].ReinterpretCast<int32_t>(); Duplicate(seen, 0, 8);"
        "DataCopy(r.a, r.x, 1024); Adds(r.c, r.a, 0.0f, 1024);"
        "if (GetBlockIdx() == 0) { DataCopy(words, word, 8);"
        "while (seen.GetValue(0) != 1) { DataCopy(seen, words[16], 8); }"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "else { while (seen.GetValue(0) != 1) { DataCopy(seen, words, 8); } Duplicate(r.c, 9.0f, 1024);"
        "DataCopy(r.x, r.c, 1024); DataCopy(words[16], word, 8); }",
        lambda x: x[:N] + 1,
    ),
    "a copy, looked at past the caches, that lets another core write": (
        "volatile int32_t *raw = reinterpret_cast<int32_t *>(y) + 1024; GlobalTensor<int32_t> words;"
        "words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y) + 1024);"
        "LocalTensor<int32_t> word = r.b.ReinterpretCast<int32_t>(); Duplicate(word, 1, 8); DataCopy(r.a, r.x, 1024);"
        "if (GetBlockIdx() == 0) { DataCopy(words, word, 8); while (raw[512] != 1) {}"
        "Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "else { __gm__ int32_t *first = reinterpret_cast<__gm__ int32_t *>(y) + 1024;"
        "while (ReadGmByPassDCache(first) != 1) {} Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024);"
        "WriteGmByPassDCache(first + 512, 1); }",
        lambda x: x[:N] + 1,
    ),
    "a copy behind a wait for copies that lets another core write": (
        "volatile int32_t *raw = reinterpret_cast<int32_t *>(y) + 1024; GlobalTensor<int32_t> words;"
        "words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y) + 1024);"
        "LocalTensor<int32_t> word = r.b.ReinterpretCast<int32_t>(); Duplicate(word, 1, 256); DataCopy(r.a, r.x, 1024);"
        "if (GetBlockIdx() == 0) { SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);"
        "DataCopy(words, word, 256); while (raw[512] != 1) {} Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "else { while (raw[0] != 1) {} Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024);"
        "WriteGmByPassDCache(reinterpret_cast<__gm__ int32_t *>(y) + 1536, 1); }",
        lambda x: x[:N] + 1,
    ),
    "a copy of a queue from core to core": (
        "volatile int32_t *raw = reinterpret_cast<int32_t *>(y) + 1024; GlobalTensor<int32_t> words;"
        "words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y) + 1024);"
        "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> both; r.pipe.InitBuffer(both, 1, 4096);"
        "LocalTensor<int32_t> word = r.b.ReinterpretCast<int32_t>(); Duplicate(word, 1, 256);"
        "LocalTensor<float> t = both.AllocTensor<float>(); DataCopy(t, r.x, 1024); both.EnQue(t);"
        "if (GetBlockIdx() == 0) { t = both.DeQue<float>(); DataCopy(words, word, 256); while (raw[512] != 1) {}"
        "DataCopy(r.y, t, 1024); }"
        "else { while (raw[0] != 1) {} Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024);"
        "WriteGmByPassDCache(reinterpret_cast<__gm__ int32_t *>(y) + 1536, 1); }",
        lambda x: x[:N],
    ),
    "cores and their turns": (
        "GlobalTensor<int32_t> words; words.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(y) + 1024);"
        "LocalTensor<int32_t> room = r.b.ReinterpretCast<int32_t>(); InitDetermineComputeWorkspace(words, room);"
        "DataCopy(r.a, r.x, 1024); WaitPreBlock(words, room);"
        "if (GetBlockIdx() == 1) { Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024); }"
        "NotifyNextBlock(words, room); WaitPreBlock(words, room);"
        "if (GetBlockIdx() == 0) { Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }"
        "NotifyNextBlock(words, room);",
        lambda x: x[:N] + 1,
    ),
    "a group of cores": (
        "GroupBarrier<PipeMode::MTE3_MODE> group(y + 4096, 2, 2);"
        "const uint32_t me = static_cast<uint32_t>(GetBlockIdx()); DataCopy(r.a, r.x, 1024);"
        "group.Arrive(me); group.Wait(me);"
        "if (me == 1) { Duplicate(r.c, 9.0f, 1024); DataCopy(r.x, r.c, 1024); } group.Arrive(me); group.Wait(me);"
        "if (me == 0) { Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024); }",
        lambda x: x[:N] + 1,
    ),
    "a workspace that goes from core to core": (
        "GlobalTensor<float> room; room.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x), 2048);"
        "const int32_t me = GetBlockIdx(); DataCopy(r.a, room[me * 1024], 1024); SyncAll();"
        "Duplicate(r.b, 7.0f, 1024); DataCopy(room[(1 - me) * 1024], r.b, 1024); SyncAll();"
        "if (me == 0) { DataCopy(r.b, room[1024], 1024); Add(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024); }",
        lambda x: x[:N] + 7,
    ),
    "a queue whose next tile comes before this one is used": (
        "TQue<TPosition::VECIN, 2> in; TQue<TPosition::VECOUT, 2> out; r.pipe.InitBuffer(in, 2, 2048);"
        "r.pipe.InitBuffer(out, 2, 2048);"
        "auto load = [&](int i) { LocalTensor<float> t = in.AllocTensor<float>(); DataCopy(t, r.x[i * 512], 512);"
        "in.EnQue(t); };"
        "load(0); for (int i = 0; i < 2; ++i) { load(i + 1); LocalTensor<float> t = in.DeQue<float>();"
        "LocalTensor<float> o = out.AllocTensor<float>(); Adds(o, t, 1.0f, 512); Add(o, o, t, 512); out.EnQue(o);"
        "in.FreeTensor(t); o = out.DeQue<float>(); DataCopy(r.y[i * 512], o, 512); DataCopy(r.x[i * 512], o, 512);"
        "DataCopy(r.x[(i + 1) * 512], o, 512); out.FreeTensor(o); }",
        lambda x: (x[:N] + 1) + x[:N],
    ),
    "a tile that is used when its buffer is free": (
        "TQue<TPosition::VECIN, 1> in; r.pipe.InitBuffer(in, 1, 4096); LocalTensor<float> t = in.AllocTensor<float>();"
        "DataCopy(t, r.x, 1024); in.EnQue(t); t = in.DeQue<float>(); in.FreeTensor(t); Adds(r.c, t, 1.0f, 1024);"
        "DataCopy(r.x, r.c, 1024); Adds(r.c, t, 2.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 2,
    ),
    "a queue from copy to copy": (
        "TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> both; r.pipe.InitBuffer(both, 2, 4096);"
        "LocalTensor<float> t = both.AllocTensor<float>(); DataCopy(t, r.x, 1024); both.EnQue(t);"
        "t = both.DeQue<float>(); DataCopy(r.x[512], t, 1024); DataCopy(r.y, t, 1024); both.FreeTensor(t);",
        lambda x: x[:N],
    ),
    "memory that is given out anew": (
        "DataCopy(r.a, r.x, 1024); r.pipe.Reset(); TBuf<> again; r.pipe.InitBuffer(again, 4096);"
        "LocalTensor<float> t = again.Get<float>(); Adds(t, t, 1.0f, 100); DataCopy(r.y, t, 1024);",
        lambda x: np.concatenate([x[:100] + 1, x[100:N]]),
    ),
    "slices, and the same bytes as other types": (
        "SliceInfo whole[1] = {{0, 1023, 0, 128, 1024}}; DataCopy(r.a, r.x, 1024);"
        "DataCopy(r.a[256], r.x[1024], 512); LocalTensor<int32_t> bits = r.a.ReinterpretCast<int32_t>();"
        "Adds(bits, bits, 0x00800000, 1024); DataCopy(r.y, r.a, whole, whole, 1);",
        lambda x: np.concatenate([x[:256], x[N : N + 512], x[768:N]]) * 2,
    ),
    "a gap between rows of one copy": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.a, r.x[1024], DataCopyParams{2, 32, 0, 32}); DataCopy(r.y, r.a, 1024);",
        lambda x: np.concatenate([x[N : N + 256], x[256:512], x[N + 256 : N + 512], x[768:N]]),
    ),
    "atomic additions to the source": (
        "DataCopy(r.a, r.x, 1024); Duplicate(r.b, 3.0f, 1024); SetAtomicAdd<float>(); DataCopy(r.x, r.b, 1024);"
        "DataCopy(r.y, r.a, 1024); SetAtomicNone(); DataCopy(r.b, r.x, 1024); Sub(r.c, r.b, r.a, 1024);"
        "SetAtomicAdd<float>(); DataCopy(r.y, r.c, 1024); SetAtomicNone();",
        lambda x: x[:N] + (x[:N] + np.float32(3) - x[:N]),
    ),
    "a source in two tensors": (
        "GlobalTensor<half> other; other.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), 4096);"
        "DataCopy(r.a, r.x, 1024); Duplicate(r.b.ReinterpretCast<half>(), half(0), 64);"
        "DataCopy(other[16], r.b.ReinterpretCast<half>(), 64); Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "filling the source": (
        "DataCopy(r.a, r.x, 1024); Fill(r.x, 1024, 5.0f); Adds(r.c, r.a, 1.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + 1,
    ),
    "a copy between buffers": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.b, r.a, 1024); Duplicate(r.a, 3.0f, 1024); DataCopy(r.y, r.b, 1024);",
        lambda x: x[:N],
    ),
    "a static tensor over the same bytes": (
        "LocalTensor<float> over(TPosition::VECCALC, 0, 1024); DataCopy(r.a, r.x, 1024); Adds(over, over, 1.0f, 512);"
        "DataCopy(r.y, r.a, 1024);",
        lambda x: np.concatenate([x[:512] + 1, x[512:N]]),
    ),
    "elements by their offsets": (
        "LocalTensor<int32_t> at = r.b.ReinterpretCast<int32_t>(); CreateVecIndex(at, 0, 1024); Muls(at, at, 4, 1024);"
        "DataCopy(r.a, r.x, 1024); Gather(r.c, r.a, at.ReinterpretCast<uint32_t>(), 4, 1023);"
        " Duplicate(r.c[1023], 0.0f, 1); DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[1:N], np.zeros(1, np.float32)]),
    ),
    "a sum into the tile": (
        "DataCopy(r.a, r.x, 1024); DataCopy(r.b, r.x[1024], 1024); Axpy(r.a, r.b, 2.0f, 1024);"
        "DataCopy(r.y, r.a, 1024);",
        lambda x: x[:N] + 2 * x[N:],
    ),
    "a reduction and a cast": (
        "DataCopy(r.a, r.x, 1024); ReduceMax(r.c, r.a, r.b, 1024); Cast(r.b.ReinterpretCast<int32_t>(), r.a,"
        "RoundMode::CAST_RINT, 1024); Cast(r.b, r.b.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 1024);"
        "Adds(r.b, r.c, 0.0f, 1); DataCopy(r.y, r.b, 1024);",
        lambda x: np.concatenate([[x[:N].max()], np.rint(x[1:N])]).astype(np.float32),
    ),
    "a product that goes straight to global memory": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a function that goes straight to global memory": (
        "DataCopy(r.a, r.x, 1024); Abs(r.c, r.a, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: np.abs(x[:N]),
    ),
    "a function in place that goes out": (
        "DataCopy(r.a, r.x, 1024); Abs(r.a, r.a, 1024); DataCopy(r.y, r.a, 1024);",
        lambda x: np.abs(x[:N]),
    ),
    "a product in place that goes out": (
        TWO + "Mul(r.a, r.a, r.b, 1024); DataCopy(r.y, r.a, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a length that is no multiple": (
        TWO + "Mul(r.c, r.a, r.b, 1003); DataCopyPad(r.y, r.c, DataCopyExtParams{1, 4012, 0, 0, 0});",
        lambda x: np.concatenate([(x[:N] * x[N:])[:1003], np.zeros(N - 1003, np.float32)]),
    ),
    "a result that goes out twice": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y[1024], r.c, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a result that is used when it has gone out": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y[1024], r.c, 1024); Adds(r.c, r.c, 1.0f, 1024);"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:] + 1,
    ),
    "a result that is overwritten where it went": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024);"
        "Duplicate(r.b, 9.0f, 1024); DataCopy(r.y, r.b, 1024); Adds(r.a, r.c, 1.0f, 1024); DataCopy(r.y, r.a, 1024);",
        lambda x: x[:N] * x[N:] + 1,
    ),
    "a result of which one element is written where it went": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024); r.y.SetValue(3, 7.0f); Adds(r.a, r.c, 1.0f, 1024);"
        "DataCopy(r.y, r.a, 1024);",
        lambda x: x[:N] * x[N:] + 1,
    ),
    "a result that a bare pointer overwrites where it went": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024); SetFlag<HardEvent::MTE3_S>(0);"
        "WaitFlag<HardEvent::MTE3_S>(0); reinterpret_cast<__gm__ float *>(y)[7] = 1000.0f; Adds(r.a, r.c, 1.0f, 1024);"
        "DataCopy(r.y, r.a, 1024);",
        lambda x: x[:N] * x[N:] + 1,
    ),
    "a result of which a part goes out first": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y[1024], r.c, 512); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a result that goes where its source was": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.x, r.c, 1024); Add(r.c, r.c, r.a, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:] + x[:N],
    ),
    "a result that goes over a part of its source": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.x[512], r.c, 1024); DataCopy(r.b, r.x[512], 1024);"
        "DataCopy(r.y, r.b, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a source that is written before the result goes out": (
        TWO + "Mul(r.c, r.a, r.b, 1024); r.x.SetValue(5, 1000.0f); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a source buffer that is overwritten before the result goes out": (
        TWO + "Mul(r.c, r.a, r.b, 1024); Duplicate(r.a, 0.0f, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:],
    ),
    "a source buffer that is filled again before the result goes out": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.b, r.x, 1024); DataCopy(r.y, r.c, 1024); Add(r.c, r.c, r.b, 1024);"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] * x[N:] + x[:N],
    ),
    "an element of the result that is read and one that is written": (
        TWO + "Mul(r.c, r.a, r.b, 1024); r.c.SetValue(9, r.c.GetValue(8) * 2.0f); DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([(x[:N] * x[N:])[:9], 2 * (x[8:9] * x[N + 8 : N + 9]), (x[:N] * x[N:])[10:]]),
    ),
    "a result that is accumulated": (
        TWO + "Mul(r.c, r.a, r.b, 1024); SetAtomicAdd<float>(); DataCopy(r.y, r.c, 1024); DataCopy(r.y, r.c, 1024);"
        "SetAtomicNone();",
        lambda x: x[:N] * x[N:] + x[:N] * x[N:],
    ),
    "a result in whose place a copy comes": (
        TWO + "Mul(r.c, r.a, r.b, 1024);"
        "DataCopyPad(r.c, r.x[1], DataCopyExtParams{1, 4096, 0, 0, 0}, DataCopyPadExtParams<float>{});"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: x[1 : N + 1],
    ),
    "a result in whose place rows come": (
        TWO + "Mul(r.c, r.a, r.b, 1024);"
        "DataCopyPad(r.c, r.x, DataCopyExtParams{4, 1024, 0, 0, 0}, DataCopyPadExtParams<float>{});"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N],
    ),
    "a result in whose place rows with padding come": (
        TWO + "Mul(r.c, r.a, r.b, 1024);"
        "DataCopyPad(r.c, r.x, DataCopyExtParams{2, 2000, 0, 0, 0}, DataCopyPadExtParams<float>{true, 0, 4, 3.0f});"
        "DataCopy(r.y, r.c, 1024);",
        lambda x: np.concatenate([x[:500], THREES, x[500:1000], THREES, (x[:N] * x[N:])[1008:]]),
    ),
    "two results that wait": (
        TWO + "Mul(r.c, r.a, r.b, 1024); Add(r.a, r.a, r.b, 1024); DataCopy(r.y[1024], r.a, 1024);"
        "Sub(r.c, r.a, r.c, 1024); DataCopy(r.y, r.c, 1024);",
        lambda x: x[:N] + x[N:] - x[:N] * x[N:],
    ),
    "a result that never goes out": (
        TWO + "Mul(r.c, r.a, r.b, 1024); DataCopy(r.y, r.b, 1024);",
        lambda x: x[N:],
    ),
    "a result that another core replaces behind a barrier": (
        TWO + "if (GetBlockIdx() == 0) { Mul(r.c, r.a, r.b, 1024); DataCopy(r.y, r.c, 1024); } SyncAll();"
        "if (GetBlockIdx() == 1) { DataCopy(r.y, r.b, 1024); } SyncAll();"
        "if (GetBlockIdx() == 0) { Adds(r.a, r.c, 1.0f, 1024); DataCopy(r.y, r.a, 1024); }",
        lambda x: x[:N] * x[N:] + 1,
    ),
}


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize(("offset", "flood"), [(0, ""), (1, ""), (0, FLOOD)], ids=["aligned", "loose", "streaming"])
def test_late_copies_are_not_seen(compiler: Compiler, case: str, offset: int, flood: str) -> None:
    """With an offset of one float the source is not aligned, and copies are made at once: the same results."""
    body, expected = CASES[case]
    cores = 2 if "core" in case else 1
    if flood and cores == 2:
        flood += "SyncAll();"
    kernel = f'extern "C" __global__ __aicore__ void late(GM_ADDR x, GM_ADDR y) {{ Room r(x, y); {flood} {body} }}'
    compiled = compiler.compile(HEAD + kernel, "late")
    room = np.random.default_rng(3).uniform(-9, 9, 2 * N + 2).astype(np.float32)
    start = (-room.ctypes.data % 8) // 4 + offset
    x = room[start : start + 2 * N]
    y = np.zeros(2 * N + 18, np.float32)
    start = (-y.ctypes.data % 64) // 4 + 2  # in the middle of a line of the caches
    y = y[start : start + 2 * N]
    before = x.copy()
    compiled(x, y, block_dim=cores, threads=2)
    np.testing.assert_array_equal(y[:N], expected(before))  # type: ignore[operator]


def test_a_cube_core_that_writes_the_source_when_vector_cores_have_copied_it(compiler: Compiler) -> None:
    source = (
        HEAD
        + """
    extern "C" __global__ __aicore__ void mixed(GM_ADDR x, GM_ADDR y)
    {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
        if (ASCEND_IS_AIC) {
            CrossCoreWaitFlag(1);
            for (int i = 0; i < 2048; ++i) { reinterpret_cast<__gm__ float *>(x)[i] = 9.0f; }
            CrossCoreSetFlag<2, PIPE_FIX>(2);
        }
        if (ASCEND_IS_AIV) {
            Room r(x, y);
            const int64_t at = GetSubBlockIdx() * 1024;
            DataCopy(r.a, r.x[at], 1024);
            CrossCoreSetFlag<2, PIPE_MTE2>(1);
            CrossCoreWaitFlag(2);
            DataCopy(r.b, r.x[at], 1024);
            Add(r.c, r.a, r.b, 1024);
            DataCopy(r.y[at], r.c, 1024);
        }
    }
    """
    )
    x, y = np.arange(2 * N, dtype=np.float32), np.zeros(2 * N, np.float32)
    compiler.compile(source, "mixed")(x, y, threads=3)
    np.testing.assert_array_equal(y, np.arange(2 * N) + 9)


def test_a_kernel_that_reads_elements_sees_its_copy_at_once(compiler: Compiler) -> None:
    source = (
        HEAD
        + """
    extern "C" __global__ __aicore__ void reads(GM_ADDR x, GM_ADDR y)
    {
        Room r(x, y);
        DataCopy(r.a, r.x, 1024);
        float sum = 0;
        for (uint32_t i = 0; i < 1024; ++i) {
            sum += r.a.GetValue(i);
        }
        r.y.SetValue(0, sum);
        __ubuf__ float *raw = r.a.GetPhyAddr(3);
        r.y.SetValue(1, *raw);
    }
    """
    )
    compiled = compiler.compile(source, "reads")
    x, y = np.arange(N, dtype=np.float32), np.zeros(2, np.float32)
    compiled(x, y)
    assert y.tolist() == [N * (N - 1) / 2, 3.0]


def test_an_instruction_that_waits_keeps_its_mode(compiler: Compiler) -> None:
    """Sums of integers saturate on the Ascend950 where the control register says so, when the instruction is given."""
    source = (
        HEAD
        + """
    extern "C" __global__ __aicore__ void modes(GM_ADDR x, GM_ADDR y)
    {
        Room r(x, y);
        LocalTensor<int32_t> a = r.a.ReinterpretCast<int32_t>(), b = r.b.ReinterpretCast<int32_t>();
        LocalTensor<int32_t> c = r.c.ReinterpretCast<int32_t>();
        DataCopy(r.a, r.x, 1024);
        DataCopy(r.b, r.x[1024], 1024);
        SetCtrlSpr<53, 53>(1);
        Add(c, a, b, 1024);
        ResetCtrlSpr<53, 53>();
        DataCopy(r.y, r.c, 1024);
        Add(c, a, b, 1024);
        SetCtrlSpr<53, 53>(1);
        DataCopy(r.y[1024], r.c, 1024);
    }
    """
    )
    compiled = compiler.compile(source, "modes", "__NPU_ARCH__=3510", "__CCE_AICORE__=310")
    x = np.random.default_rng(5).integers(-(2**31), 2**31, 2 * N).astype(np.int32)
    y = np.zeros(2 * N, np.int32)
    compiled(x, y, soc="Ascend950PR")
    exact = x[:N].astype(np.int64) + x[N:]
    np.testing.assert_array_equal(y[:N], np.clip(exact, -(2**31), 2**31 - 1))
    np.testing.assert_array_equal(y[N:], x[:N] + x[N:])
