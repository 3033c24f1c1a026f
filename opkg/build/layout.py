"""Where things are inside a built package (CANN's layout of an installed vendor)."""

from __future__ import annotations

import platform

from opkg.opinfo.names import snake_case

AI_CORE = "op_impl/ai_core/tbe"
VERSION_INFO = "version.info"
OP_PROTO = "op_proto/inc/op_proto.h"
FRAMEWORK = "framework"
HOST_LIBRARY = "libcust_opmaster_rt2.0.so"


def arch() -> str:
    """The machine's architecture, as `uname -m` names it."""
    return platform.machine()


def host_library() -> str:
    """The host library."""
    return f"{AI_CORE}/op_tiling/lib/linux/{arch()}/{HOST_LIBRARY}"


def kernel_dir(op_type: str) -> str:
    """The folder of an operator's kernel libraries."""
    return f"{AI_CORE}/kernel/cpu/{snake_case(op_type)}"


def kernel_source_dir(vendor: str) -> str:
    """The folder of the kernels' sources."""
    return f"{AI_CORE}/{vendor}_impl/dynamic"


def ops_info(soc: str) -> str:
    """The op infos of all operators, for a SoC."""
    return f"{AI_CORE}/config/{soc}/aic-{soc}-ops-info.json"


def kernel_config_dir(soc: str) -> str:
    """The folder of the indexes of kernels, for a SoC."""
    return f"{AI_CORE}/kernel/config/{soc}"
