// SPDX-License-Identifier: Apache-2.0
// Another package in the same process, with an operator class of the same name.
#include "opkg/package_table.h"
#include "register/op_def_registry.h"

namespace ops {
class Square : public OpDef {
public:
    explicit Square(const char *name) : OpDef(name)
    {
        Input("other").ParamType(REQUIRED).DataType({ge::DT_INT8});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_INT8});
    }
};
OP_ADD(Square);
} // namespace ops

OPKG_PACKAGE("acme", "second", "2.0.0", "Ascend310P3")
