"""Names of operators and how they turn into file names, symbols and identifiers."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

RESERVED_ATTRS = frozenset(
    "False None True __attrs__ __inputs__ __outputs__ _build_args and arg as ascendc_src_dir ascendc_src_dir_ex "
    "ascendc_src_file assert attr bisheng bisheng_path break class code_channel compile_op continue "
    "custom_all_compile_options custom_all_compile_options_soc custom_compile_options custom_compile_options_soc def "
    "del elif else except finally for from get_code_channel get_current_build_config get_dtype_fmt_options "
    "get_kernel_source global if impl_mode import in is isinstance lambda nonlocal not op_info op_type options or "
    "origin_func_name os pass raise result return shutil soc_short soc_version src tikcpp_path try while with "
    "yield".split()
)
"""Attribute names that the vendor's generated Python wrapper uses itself."""


def is_identifier(name: str) -> bool:
    """Whether `name` is a C++ identifier (ASCII; keywords are not looked at)."""
    return _IDENTIFIER.match(name) is not None


def snake_case(op_type: str) -> str:
    """The file name, kernel symbol and header name of an operator, as msopgen makes it.

    The first letter is lowered; a capital after a non-capital starts a word; in a run of capitals the last one starts
    the next word: `AddCustom` -> `add_custom`, `Conv2D` -> `conv2_d`, `GRUCell` -> `gru_cell`.
    """
    out: list[str] = []
    for i, ch in enumerate(op_type):
        if ch.isupper() and i > 0:
            previous = op_type[i - 1]
            following = op_type[i + 1] if i + 1 < len(op_type) else ""
            if previous != "_" and (not previous.isupper() or following.islower()):
                out.append("_")
        out.append(ch.lower())
    return "".join(out)
