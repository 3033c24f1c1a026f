// SPDX-License-Identifier: Apache-2.0
// ge::Operator is what the graph engine hands to SetCheckSupport and its like. opkg has no graph engine, so those
// functions are never called; the type exists so that their signatures compile.
#ifndef OPKG_HOST_GRAPH_OPERATOR_H
#define OPKG_HOST_GRAPH_OPERATOR_H

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class Operator {
public:
    Operator() = default;
    graphStatus GetName(AscendString &name) const
    {
        name = name_;
        return GRAPH_SUCCESS;
    }
    graphStatus GetOpType(AscendString &type) const
    {
        type = type_;
        return GRAPH_SUCCESS;
    }

private:
    AscendString name_;
    AscendString type_;
};

} // namespace ge

#endif // OPKG_HOST_GRAPH_OPERATOR_H
