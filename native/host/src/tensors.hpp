// SPDX-License-Identifier: Apache-2.0
// Tensors of a call in the form in which gert shows them, and in words.
#pragma once

#include <string>

#include "exe_graph/runtime/tensor.h"
#include "opkg/package_abi.h"
#include "operator.hpp"

namespace opkg::host {

// Address of the first element.
inline void *DataOf(const opkg_tensor_v1 &t)
{
    return t.dl.data == nullptr ? nullptr : static_cast<char *>(t.dl.data) + t.dl.byte_offset;
}

inline bool IsAbsent(const opkg_tensor_v1 &t) { return (t.flags & OPKG_TENSOR_ABSENT) != 0; }

// Number of elements of the storage shape, -1 where it is not known.
int64_t ElementCount(const opkg_tensor_v1 &t);

// Bytes of the storage shape, -1 where they are not known.
int64_t ByteCount(const opkg_tensor_v1 &t);

void FillTensor(gert::Tensor &tensor, const opkg_tensor_v1 &t, bool with_values);

// DLPack's code and bits of a data type.
DLDataType DlpackType(int32_t dtype);

// "x=float32[2,3]", for messages.
std::string TensorsText(const Operator &op, const opkg_call_v1 &call);

} // namespace opkg::host
