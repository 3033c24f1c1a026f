// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_ACL_GRAPH_HPP
#define OPKG_ACL_GRAPH_HPP

#include <memory>

#include "stream.hpp"

namespace opkg::acl {

// A stream that waits for an event of a capture takes part in it from then on.
aclError join_capture(const std::shared_ptr<Stream> &stream, const std::shared_ptr<Graph> &graph);

// A stream that began a capture is destroyed: what takes part in it runs again, and what was captured is lost.
void abandon_capture(const std::shared_ptr<Stream> &stream);

} // namespace opkg::acl

#endif // OPKG_ACL_GRAPH_HPP
