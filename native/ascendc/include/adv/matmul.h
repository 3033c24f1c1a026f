// SPDX-License-Identifier: Apache-2.0
// The Matmul object: C = A * B + bias for the part of the matrices that this core works on. The object only records what
// it is told; the library makes the product. On a chip a vector core asks its cube core for it; here whichever core holds
// the object makes the product itself, at once, so the asynchronous forms have nothing left to wait for.
#ifndef OPKG_ADV_MATMUL_H
#define OPKG_ADV_MATMUL_H

#include "adv/matmul_types.h"

namespace opkg::twin {

template <typename T, typename = void>
struct ScaleTraits {
    static constexpr bool present = false;
    static constexpr CubeFormat format = CubeFormat::ND;
};
template <typename T>
struct ScaleTraits<T, std::void_t<decltype(T::scaleFormat)>> {
    static constexpr bool present = true;
    static constexpr CubeFormat format = T::scaleFormat;
};

template <typename P, typename = void>
struct TriangleOf {
    static constexpr MatmulTriangle value = kFull;
};
template <typename P>
struct TriangleOf<P, std::void_t<decltype(P::triangle)>> {
    static constexpr MatmulTriangle value = P::triangle;
};
template <typename P, typename = void>
struct SplitOf {
    static constexpr MatmulSplit value = kNoSplit;
};
template <typename P>
struct SplitOf<P, std::void_t<decltype(P::split)>> {
    static constexpr MatmulSplit value = P::split;
};

template <typename T>
MatmulOperand operand(const AscendC::GlobalTensor<T> &tensor, CubeFormat format, bool transposed)
{
    return {tensor.data(), DtypeOf<T>::value, static_cast<uint32_t>(format), 0, transposed, tensor.GetSize(), 0};
}
template <typename T>
MatmulOperand operand(const AscendC::LocalTensor<T> &tensor, CubeFormat format, bool transposed)
{
    const uint32_t local = buffer_of(static_cast<AscendC::TPosition>(tensor.GetPosition())) == kL1 ? 2 : 1;
    return {tensor.data(), DtypeOf<T>::value, static_cast<uint32_t>(format), local, transposed, tensor.GetSize(), 0};
}
template <typename T>
MatmulTarget target(const AscendC::GlobalTensor<T> &tensor, uint32_t atomic, bool sequential)
{
    return {tensor.data(), 0, atomic, sequential, 0, tensor.GetSize()};
}
template <typename T>
MatmulTarget target(const AscendC::LocalTensor<T> &tensor, uint32_t atomic, bool sequential)
{
    return {tensor.data(), 1, atomic, sequential, 0, tensor.GetSize()};
}

// How the matrices of a batch follow each other: of one matrix rows and columns, of the batch the axes of its layout.
struct BatchPlan {
    int64_t within; // from matrix to matrix
    int64_t group;  // so many matrices stand beside each other
    int64_t next;   // from one group of them to the next
    int64_t line;   // from row to row, 0: the matrices stand one after the other
};

constexpr BatchPlan batch_plan(LayoutMode layout, int64_t b, int64_t s, int64_t n, int64_t g, int64_t d,
                               int64_t contiguous)
{
    switch (layout) {
        case LayoutMode::BSNGD:
            return {d, n * g, s * n * g * d, n * g * d};
        case LayoutMode::SBNGD:
            return {d, b * n * g, 0, b * n * g * d};
        case LayoutMode::BNGS1S2:
            return {s * d, 1, s * d, 0};
        default:
            return {contiguous, 1, contiguous, 0};
    }
}
constexpr int64_t batch_offset(const BatchPlan &plan, int64_t index)
{
    return index / plan.group * plan.next + index % plan.group * plan.within;
}

} // namespace opkg::twin

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto & = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
class MatmulImpl {
public:
    using SrcAT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    using L0cT = typename GetMmDstType<SrcAT>::Type;
    static constexpr MatmulConfig config = opkg::twin::config_of(MM_CFG);
    static constexpr bool kDualMaster = config.enableMixDualMaster;
    // The templates whose configurations say how B of int8 is scaled.
    static constexpr bool kLoadsMany = config.doMultiDataLoad || config.doSpecialMDL;

    MatmulImpl()
    {
        static_assert(opkg::twin::matmul_dtypes<SrcAT, SrcBT, DstT, BiasT>(),
                      "Matmul does not support this combination of A, B and C on this SoC");
        problem_.result_dtype = opkg::twin::DtypeOf<DstT>::value;
        problem_.result_format = static_cast<uint32_t>(C_TYPE::format);
        problem_.channel_split = config.isEnableChannelSplit;
        problem_.relu = config.enableRelu;
        problem_.partial = config.isPartialOutput;
        problem_.triangle = opkg::twin::TriangleOf<Policy>::value;
        problem_.split = opkg::twin::SplitOf<Policy>::value;
        if constexpr (MM_CB::CopyA1 != nullptr) {
            problem_.load_a = &load<MM_CB::CopyA1, TPosition::A1>;
        }
        if constexpr (MM_CB::CopyB1 != nullptr) {
            problem_.load_b = &load<MM_CB::CopyB1, TPosition::B1>;
        }
        if constexpr (MM_CB::DataCopyOut != nullptr) {
            problem_.store = &store;
        }
    }
    MatmulImpl(const MatmulImpl &) = delete;
    MatmulImpl &operator=(const MatmulImpl &) = delete;
    ~MatmulImpl() { opkg_twin_matmul_release(&problem_); }

    void Init(const TCubeTiling *cubeTiling, TPipe * = nullptr)
    {
        tiling_ = cubeTiling != nullptr ? *cubeTiling : TCubeTiling();
        apply_constants();
        problem_.org_m = tiling_.M;
        problem_.org_n = tiling_.N;
        problem_.org_ka = tiling_.Ka;
        problem_.org_kb = tiling_.Kb;
        problem_.org_kc = 0;
        problem_.org_set = 0;
        problem_.base_m = tiling_.baseM;
        problem_.base_n = tiling_.baseN;
        problem_.base_k = tiling_.baseK;
        problem_.n_first = tiling_.iterateOrder == 1;
        if (config.scheduleType == ScheduleType::OUTER_PRODUCT && config.iterateOrder != IterateOrder::UNDEF) {
            problem_.n_first = config.iterateOrder == IterateOrder::ORDER_N;
        }
        set_single(tiling_.singleCoreM, tiling_.singleCoreN, tiling_.singleCoreK);
    }

    void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0)
    {
        problem_.org_m = orgM;
        problem_.org_n = orgN;
        problem_.org_ka = orgKa;
        problem_.org_kb = orgKb;
        problem_.org_kc = orgKc;
        problem_.org_set = 1;
    }
    void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1)
    {
        set_single(tailM == -1 ? problem_.single_m : tailM, tailN == -1 ? problem_.single_n : tailN,
                   tailK == -1 ? problem_.single_k : tailK);
    }

    void SetTensorA(const GlobalTensor<SrcAT> &gm, bool isTransposeA = false)
    {
        problem_.a = opkg::twin::operand(gm, A_TYPE::format, isTransposeA);
        restart();
    }
    void SetTensorA(const LocalTensor<SrcAT> &leftMatrix, bool isTransposeA = false)
    {
        problem_.a = opkg::twin::operand(leftMatrix, A_TYPE::format, isTransposeA);
        restart();
    }
    void SetTensorA(SrcAT aScalar)
    {
        scalar_a_ = aScalar;
        problem_.a = scalar(&scalar_a_);
        restart();
    }
    void SetTensorB(const GlobalTensor<SrcBT> &gm, bool isTransposeB = false)
    {
        problem_.b = opkg::twin::operand(gm, B_TYPE::format, isTransposeB);
        restart();
    }
    void SetTensorB(const LocalTensor<SrcBT> &rightMatrix, bool isTransposeB = false)
    {
        problem_.b = opkg::twin::operand(rightMatrix, B_TYPE::format, isTransposeB);
        restart();
    }
    void SetTensorB(SrcBT bScalar)
    {
        scalar_b_ = bScalar;
        problem_.b = scalar(&scalar_b_);
        restart();
    }
    template <typename ScaleT>
    void SetTensorScaleA(const GlobalTensor<ScaleT> &gm, bool isTransposeScaleA = false)
    {
        problem_.scale_a = opkg::twin::operand(gm, opkg::twin::ScaleTraits<A_TYPE>::format, isTransposeScaleA);
    }
    template <typename ScaleT>
    void SetTensorScaleA(const LocalTensor<ScaleT> &local, bool isTransposeScaleA = false)
    {
        problem_.scale_a = opkg::twin::operand(local, opkg::twin::ScaleTraits<A_TYPE>::format, isTransposeScaleA);
    }
    template <typename ScaleT>
    void SetTensorScaleB(const GlobalTensor<ScaleT> &gm, bool isTransposeScaleB = true)
    {
        problem_.scale_b = opkg::twin::operand(gm, opkg::twin::ScaleTraits<B_TYPE>::format, isTransposeScaleB);
    }
    template <typename ScaleT>
    void SetTensorScaleB(const LocalTensor<ScaleT> &local, bool isTransposeScaleB = true)
    {
        problem_.scale_b = opkg::twin::operand(local, opkg::twin::ScaleTraits<B_TYPE>::format, isTransposeScaleB);
    }
    void SetBias(const GlobalTensor<BiasT> &biasGlobal)
    {
        if (config.enableSetBias) {
            problem_.bias = opkg::twin::operand(biasGlobal, CubeFormat::ND, false);
        }
    }
    void SetBias(const LocalTensor<BiasT> &inputBias)
    {
        if (config.enableSetBias) {
            problem_.bias = opkg::twin::operand(inputBias, CubeFormat::ND, false);
        }
    }
    void ClearBias() { problem_.bias.data = nullptr; }
    void DisableBias() { ClearBias(); }

    void SetHF32(bool enableHF32 = false, int32_t transMode = 0)
    {
        problem_.hf32 = !enableHF32 ? 0 : transMode == 1 ? 2 : 1;
    }
    void SetQuantScalar(const uint64_t quantScalar)
    {
        problem_.quant = opkg::twin::kQuantScalar;
        problem_.quant_scalar = quantScalar;
    }
    void SetQuantVector(const GlobalTensor<uint64_t> &quantTensor)
    {
        problem_.quant = opkg::twin::kQuantVector;
        problem_.quant_vector = quantTensor.data();
    }
    void SetQuantVector(const LocalTensor<uint64_t> &quantTensor)
    {
        problem_.quant = opkg::twin::kQuantVector;
        problem_.quant_vector = quantTensor.data();
    }
    // For B of int8: the scale and the offset of all of it, or of each column.
    void SetAntiQuantScalar(const SrcAT offsetScalar, const SrcAT scaleScalar)
    {
        static_assert(!kLoadsMany || config.isPerTensor, "SetAntiQuantScalar needs a configuration with isPerTensor");
        anti_offset_ = offsetScalar;
        anti_scale_ = scaleScalar;
        anti_quantize(scalar(&anti_offset_), scalar(&anti_scale_));
    }
    void SetAntiQuantVector(const LocalTensor<SrcAT> &offsetTensor, const LocalTensor<SrcAT> &scaleTensor)
    {
        static_assert(!kLoadsMany || !config.isPerTensor, "SetAntiQuantVector needs a configuration without isPerTensor");
        anti_quantize(opkg::twin::operand(offsetTensor, CubeFormat::ND, false),
                      opkg::twin::operand(scaleTensor, CubeFormat::ND, false));
    }
    void SetSparseIndex(const GlobalTensor<uint8_t> &indexGlobal) { problem_.sparse_index = indexGlobal.data(); }
    void SetUserDefInfo(const uint64_t tilingPtr) { problem_.user_tiling = tilingPtr; }
    template <typename V>
    void SetSelfDefineData(V dataPtr)
    {
        __builtin_memcpy(&problem_.user_data, &dataPtr, sizeof(V) < 8 ? sizeof(V) : 8);
    }
    // Room that the chip needs for changes of format; here there are none.
    void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
    void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }
    uint8_t GetSubBlockIdx() const { return sub_block_; }
    void SetBatchNum(int32_t batchA, int32_t batchB)
    {
        batch_a_ = batchA;
        batch_b_ = batchB;
    }

    template <class T>
    void SetWorkspace(GlobalTensor<T> &addr)
    {
        workspace_ = reinterpret_cast<uint8_t *>(addr.data());
    }
    template <class T>
    void SetWorkspace(__gm__ const T *addr, int)
    {
        workspace_ = reinterpret_cast<uint8_t *>(const_cast<T *>(addr));
    }

    // One base block. The asynchronous form makes all of them, in the workspace.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false)
    {
        if constexpr (!sync) {
            if (!ahead_) {
                opkg_twin_matmul_run_ahead(&problem_, workspace_);
                ahead_ = true;
                return true;
            }
            return false;
        }
        return opkg_twin_matmul_step(&problem_, enPartialSum) != 0;
    }
    template <bool sync = true, typename T>
    bool Iterate(bool enPartialSum, const LocalTensor<T> &localCmatrix)
    {
        static_assert(C_TYPE::pos == TPosition::CO1, "Iterate into a LocalTensor needs a result at TPosition::CO1");
        return opkg_twin_matmul_step_into(&problem_, enPartialSum, localCmatrix.data()) != 0;
    }

    template <bool sync = true>
    void GetTensorC(const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        // A buffer on the chip holds one base block.
        static_cast<void>(enSequentialWrite);
        fetch(opkg::twin::target(co2Local, enAtomic, true));
    }
    template <bool sync = true, bool doPad>
    void GetTensorC(const LocalTensor<DstT> &c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    uint32_t = 0, uint32_t = 0, uint32_t = 0, uint32_t = 0)
    {
        GetTensorC<sync>(c, enAtomic, enSequentialWrite);
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        fetch(opkg::twin::target(gm, enAtomic, enSequentialWrite));
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                    bool enSequentialWrite = false)
    {
        const opkg::twin::MatmulTarget global = opkg::twin::target(gm, enAtomic, enSequentialWrite);
        const opkg::twin::MatmulTarget local = opkg::twin::target(co2Local, 0, true);
        if (ahead_) {
            const void *block = opkg_twin_matmul_take(&problem_, workspace_);
            opkg_twin_matmul_copy_block(&problem_, block, &global);
            opkg_twin_matmul_copy_block(&problem_, block, &local);
            return;
        }
        opkg_twin_matmul_fetch(&problem_, &global);
        opkg_twin_matmul_fetch(&problem_, &local);
    }
    // The next base block where it stands in the workspace.
    template <bool sync = true>
    GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        static_cast<void>(enAtomic);
        static_cast<void>(enSequentialWrite);
        GlobalTensor<DstT> block;
        block.SetGlobalBuffer(static_cast<__gm__ DstT *>(opkg_twin_matmul_take(&problem_, workspace_)),
                              static_cast<uint64_t>(problem_.base_m) * problem_.base_n);
        return block;
    }
    void AsyncGetTensorC(const LocalTensor<DstT> &c) { GetTensorC<false>(c); }
    void WaitGetTensorC() {}

    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool fakeMsg = false)
    {
        static_cast<void>(waitIterateAll);
        if (!fakeMsg) {
            whole(opkg::twin::target(gm, enAtomic, enSequentialWrite));
        }
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT> &ubCmatrix, uint8_t enAtomic = 0)
    {
        const opkg::twin::MatmulTarget to = opkg::twin::target(ubCmatrix, enAtomic, false);
        opkg_twin_matmul_all(&problem_, &to);
    }
    void WaitIterateAll() {}

    template <bool sync = true, bool waitIterateBatch = false>
    void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        static_cast<void>(enSequentialWrite);
        static_cast<void>(matrixStrideC);
        static_cast<void>(enPartialSum);
        batch(opkg::twin::target(gm, enAtomic, false), 0, batchA, batchB, matrixStrideA, matrixStrideB);
    }
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateBatch(const LocalTensor<DstT> &ubCmatrix, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        static_cast<void>(enSequentialWrite);
        static_cast<void>(matrixStrideC);
        static_cast<void>(enPartialSum);
        batch(opkg::twin::target(ubCmatrix, enAtomic, false), 0, batchA, batchB, matrixStrideA, matrixStrideB);
    }
    // The forms of cube kernels, after SetBatchNum. Flag is bool, so that two counts never mean these.
    template <typename Flag>
    std::enable_if_t<std::is_same<Flag, bool>::value>
    IterateBatch(const GlobalTensor<DstT> &gm, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0)
    {
        IterateBatch(gm, static_cast<uint32_t>(batch_a_), static_cast<uint32_t>(batch_b_), enSequentialWrite,
                     matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum, enAtomic);
    }
    template <typename Flag>
    std::enable_if_t<std::is_same<Flag, bool>::value>
    IterateBatch(const LocalTensor<DstT> &ubCmatrix, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0)
    {
        IterateBatch(ubCmatrix, static_cast<uint32_t>(batch_a_), static_cast<uint32_t>(batch_b_), enSequentialWrite,
                     matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum, enAtomic);
    }
    void WaitIterateBatch() {}

    // Several batches, into the workspace.
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                       const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                       const uint32_t matrixStrideC = 0)
    {
        static_cast<void>(enSequentialWrite);
        static_cast<void>(matrixStrideC);
        problem_.taken = 0;
        for (uint32_t i = 0; i < batchLoop; ++i) {
            batch({workspace_, 0, 0, 0, 0, 0}, i, batchA, batchB, matrixStrideA, matrixStrideB);
        }
    }
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        static_cast<void>(enSequentialWrite);
        const int64_t matrices = batchA > batchB ? batchA : batchB;
        GlobalTensor<DstT> result;
        result.SetGlobalBuffer(reinterpret_cast<__gm__ DstT *>(workspace_) +
                                   opkg::twin::batch_offset(result_plan(false), problem_.taken * matrices),
                               static_cast<uint64_t>(matrices) * problem_.single_m * problem_.single_n);
        ++problem_.taken;
        return result;
    }
    template <bool sync = true>
    void GetBatchTensorC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        const int64_t matrices = batchA > batchB ? batchA : batchB;
        const GlobalTensor<DstT> from = GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
        opkg_twin_load(c.data(), from.data(), 1, sizeof(DstT) * matrices * problem_.single_m * problem_.single_n, 0, 0);
    }
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
    }
    template <bool sync = true>
    void GetBatchC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite);
    }

    // Where the base block that Iterate made last stands in this core's part.
    template <bool isTurnOnDebug = true>
    MatrixOffset GetOffsetC()
    {
        MatrixOffset place;
        opkg_twin_matmul_place(&problem_, &place.row, &place.col, &place.height, &place.width);
        place.offset = place.row * problem_.org_n + place.col;
        return place;
    }

    void End() { opkg_twin_matmul_release(&problem_); }

private:
    using Policy = MATMUL_POLICY<MM_CFG>;
    static constexpr bool kBothShared = A_TYPE::ibShare && B_TYPE::ibShare;

    template <MatmulCopyIn function, TPosition position>
    static void load(void *local, uint32_t bytes, const void *gm, int row, int col, int rows, int cols, uint64_t tiling,
                     uint64_t data)
    {
        function(LocalTensor<int8_t>(static_cast<uint8_t *>(local), bytes, position), gm, row, col, rows, cols, tiling,
                 data);
    }
    static void store(const void *gm, void *local, uint32_t bytes, const void *params, uint64_t tiling, uint64_t data)
    {
        MM_CB::DataCopyOut(gm, LocalTensor<int8_t>(static_cast<uint8_t *>(local), bytes, TPosition::CO1), params, tiling,
                           data);
    }
    template <typename T>
    static opkg::twin::MatmulOperand scalar(const T *value)
    {
        return {value, opkg::twin::DtypeOf<T>::value, static_cast<uint32_t>(CubeFormat::SCALAR), 0, 0, 1, 0};
    }

    void anti_quantize(const opkg::twin::MatmulOperand &offset, const opkg::twin::MatmulOperand &scale)
    {
        static_assert(std::is_same<SrcAT, half>::value && std::is_same<SrcBT, int8_t>::value,
                      "SetAntiQuantScalar and SetAntiQuantVector are for A of half and B of int8_t");
        problem_.anti_scales = scale;
        if (!kLoadsMany || config.hasAntiQuantOffset) {
            problem_.anti_offsets = offset;
        }
    }

    void apply_constants()
    {
        constexpr MatmulApiStaticTiling known = opkg::twin::constants_of(MM_CFG);
        const auto take = [](int32_t &field, int32_t value) {
            if (value >= 0) {
                field = value;
            }
        };
        if (tiling_.M == 0) {
            take(tiling_.M, known.M);
            take(tiling_.N, known.N);
            take(tiling_.Ka, known.Ka);
            take(tiling_.Kb, known.Kb);
        }
        take(tiling_.singleCoreM, known.singleCoreM);
        take(tiling_.singleCoreN, known.singleCoreN);
        take(tiling_.singleCoreK, known.singleCoreK);
        take(tiling_.baseM, known.baseM);
        take(tiling_.baseN, known.baseN);
        take(tiling_.baseK, known.baseK);
        take(tiling_.iterateOrder, known.iterateOrder);
    }
    void set_single(int32_t m, int32_t n, int32_t k)
    {
        problem_.single_m = m;
        problem_.single_n = n;
        problem_.single_k = k;
        restart();
    }
    void restart()
    {
        problem_.step = 0;
        problem_.taken = 0;
        ahead_ = false;
    }
    void fetch(const opkg::twin::MatmulTarget &to)
    {
        if (ahead_) {
            opkg_twin_matmul_copy_block(&problem_, opkg_twin_matmul_take(&problem_, workspace_), &to);
        } else {
            opkg_twin_matmul_fetch(&problem_, &to);
        }
    }
    void whole(const opkg::twin::MatmulTarget &to)
    {
        if constexpr (kDualMaster || kBothShared) {
            if (opkg_twin_matmul_makes(kDualMaster) != 0) {
                opkg_twin_matmul_all(&problem_, &to);
            }
            opkg_twin_matmul_join(kDualMaster);
        } else {
            opkg_twin_matmul_all(&problem_, &to);
        }
    }

    // Elements of a matrix; rows in an on-chip buffer are whole blocks.
    static int64_t contiguous(int64_t rows, int64_t columns, CubeFormat format, int64_t block, bool local)
    {
        const int64_t wide = (columns + block - 1) / block * block;
        return format == CubeFormat::NZ ? (rows + 15) / 16 * 16 * wide : rows * (local ? wide : columns);
    }
    opkg::twin::BatchPlan result_plan(bool local) const
    {
        const int64_t block = C_TYPE::format == CubeFormat::NZ ? 16 : 64 / opkg::twin::half_bytes<DstT>();
        const int64_t size = contiguous(problem_.single_m, problem_.single_n, C_TYPE::format, block, local);
        return opkg::twin::batch_plan(local ? LayoutMode::NORMAL : C_TYPE::layout, tiling_.CLayoutInfoB,
                                      tiling_.CLayoutInfoS1, tiling_.CLayoutInfoN, tiling_.CLayoutInfoG,
                                      tiling_.CLayoutInfoS2, size);
    }
    void batch(opkg::twin::MatmulTarget to, int64_t loop, int64_t batch_a, int64_t batch_b, int64_t stride_a,
               int64_t stride_b)
    {
        using namespace opkg::twin;
        const MatmulOperand a = problem_.a;
        const MatmulOperand b = problem_.b;
        const MatmulOperand bias = problem_.bias;
        const int64_t m = problem_.single_m;
        const int64_t n = problem_.single_n;
        const int64_t k = problem_.single_k;
        const BatchPlan plan_a = input_plan<A_TYPE>(a, stride_a, a.transposed ? k : m, a.transposed ? m : k,
                                                    {tiling_.ALayoutInfoB, tiling_.ALayoutInfoS, tiling_.ALayoutInfoN,
                                                     tiling_.ALayoutInfoG, tiling_.ALayoutInfoD});
        const BatchPlan plan_b = input_plan<B_TYPE>(b, stride_b, b.transposed ? n : k, b.transposed ? k : n,
                                                    {tiling_.BLayoutInfoB, tiling_.BLayoutInfoS, tiling_.BLayoutInfoN,
                                                     tiling_.BLayoutInfoG, tiling_.BLayoutInfoD});
        const BatchPlan plan_c = result_plan(to.local != 0);
        const int64_t count = batch_a > batch_b ? batch_a : batch_b;
        uint8_t *const result = static_cast<uint8_t *>(to.data);
        const uint64_t whole = to.limit;
        for (int64_t i = 0; i < count; ++i) {
            problem_.a = moved<SrcAT>("A", a, plan_a, loop * batch_a + i * batch_a / count);
            problem_.b = moved<SrcBT>("B", b, plan_b, loop * batch_b + i * batch_b / count);
            if (config.isBiasBatch && bias.data != nullptr) {
                problem_.bias.data =
                    static_cast<const BiasT *>(bias.data) + (loop * count + i) * problem_.single_n;
            }
            const int64_t place = batch_offset(plan_c, loop * count + i);
            to.data = result + bytes_of<DstT>(static_cast<uint64_t>(place));
            to.limit = rest_of("C", whole, place);
            to.line = plan_c.line != 0 || to.local != 0 ? plan_c.line : n;
            opkg_twin_matmul_all(&problem_, &to);
        }
        problem_.a = a;
        problem_.b = b;
        problem_.bias = bias;
    }
    struct Axes {
        int64_t b, s, n, g, d;
    };
    // rows and columns: of the matrix as it is stored.
    template <typename Type>
    static opkg::twin::BatchPlan input_plan(const opkg::twin::MatmulOperand &from, int64_t stride, int64_t rows,
                                            int64_t columns, const Axes &axes)
    {
        const int64_t block = 64 / opkg::twin::half_bytes<typename Type::T>();
        const int64_t size = stride != 0 ? stride : contiguous(rows, columns, Type::format, block, from.local != 0);
        return opkg::twin::batch_plan(from.local != 0 ? LayoutMode::NORMAL : Type::layout, axes.b, axes.s, axes.n, axes.g,
                                      axes.d, size);
    }
    // What is left of a tensor from one matrix of a batch on, 0 where its size is not known.
    static uint64_t rest_of([[maybe_unused]] const char *name, uint64_t limit, int64_t place)
    {
        if (limit > static_cast<uint64_t>(place)) {
            return limit - static_cast<uint64_t>(place);
        }
#ifdef OPKG_TWIN_CHECK
        if (limit != 0) {
            opkg_twin_fail("Matmul: a matrix of the batch begins after %lld elements of %s, but the tensor ends after %llu",
                           static_cast<long long>(place), name, static_cast<unsigned long long>(limit));
        }
#endif
        return 0;
    }
    template <typename T>
    static opkg::twin::MatmulOperand moved(const char *name, opkg::twin::MatmulOperand from,
                                           const opkg::twin::BatchPlan &plan, int64_t index)
    {
        const int64_t offset = opkg::twin::batch_offset(plan, index);
        from.data = static_cast<const uint8_t *>(from.data) + opkg::twin::bytes_of<T>(static_cast<uint64_t>(offset));
        from.limit = rest_of(name, from.limit, offset);
        from.line = plan.line;
        return from;
    }

    opkg::twin::MatmulProblem problem_ = {};
    TCubeTiling tiling_;
    uint8_t *workspace_ = nullptr;
    SrcAT scalar_a_ = {};
    SrcBT scalar_b_ = {};
    SrcAT anti_offset_ = {};
    SrcAT anti_scale_ = {};
    int32_t batch_a_ = 1;
    int32_t batch_b_ = 1;
    uint8_t sub_block_ = 0;
    bool ahead_ = false;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto & = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

} // namespace AscendC

namespace matmul {
using namespace AscendC;
}

namespace opkg::twin {

inline void init_objects(AscendC::TPipe *) {}
// Objects, each followed by a pointer to its tiling or not.
template <typename Object, typename... Rest>
void init_objects(AscendC::TPipe *pipe, Object &object, Rest &&...rest);

template <typename Object, typename Tiling, typename... Rest>
void init_pair(AscendC::TPipe *pipe, Object &object, Tiling &&tiling, Rest &&...rest)
{
    if constexpr (std::is_convertible<Tiling, const TCubeTiling *>::value) {
        object.Init(tiling, pipe);
        init_objects(pipe, rest...);
    } else {
        init_objects(pipe, tiling, rest...);
    }
}
template <typename Object, typename... Rest>
void init_objects(AscendC::TPipe *pipe, Object &object, Rest &&...rest)
{
    if constexpr (sizeof...(Rest) > 0) {
        init_pair(pipe, object, rest...);
    }
}

// Whether the function that registers the objects ends here on this core.
template <bool cube_only, typename Object, typename... Rest>
bool register_matmul(AscendC::TPipe *pipe, const void *, Object &object, Rest &&...rest)
{
    if (!cube_only && opkg_twin_matmul_served(Object::kDualMaster) != 0) {
        return true;
    }
    init_objects(pipe, object, rest...);
    return false;
}

} // namespace opkg::twin

#endif // OPKG_ADV_MATMUL_H
