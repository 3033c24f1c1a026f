"""Words that cannot name a kernel or its arguments."""

from __future__ import annotations

CPP_KEYWORDS = frozenset(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq".split()
)
"""Keywords of C++20."""

KERNEL_WORDS = frozenset(
    "workspace tiling pipe kernel tilingData half bfloat16_t firstElement elementsLeft main shape context platform "
    "unifiedBuffer cores worth used perCore total rows length present attrs i value sum work operand middle count done "
    "row std size_t ge gert ops optiling AscendC EOF NULL errno stdin stdout stderr assert NAN INFINITY HUGE_VAL "
    "RAND_MAX BUFSIZ major minor makedev unix linux signbit "
    "BUFFERS SUM_BYTES NATIVE LOOPED FLOATING Stored IN_NATIVE IN_FLOAT IN_SCALAR IN_DOUBLE LOOPS Sum Init Has "
    "InitWork busy rank".split()
)
"""Names that generated files or macros of the C library use already: arguments get `_arg`."""

TYPE_WORDS = frozenset("OpDef NULL EOF OP_ADD NAN INFINITY ALIGNMENT WORTH_A_CORE BYTES_PER_ELEMENT".split())
"""Names that an operator cannot have, since its OpDef is a class of that name."""

PYTHON_WORDS = frozenset(("np", "output_dtypes", "result", "compute_dtype", "each"))
"""Names that a generated golden function uses itself."""

C_LIBRARY = frozenset(
    "abort abs acos acosh alarm asin asinh atan atan2 atanh bind brk calloc cbrt ceil close connect copysign cos "
    "cosh div drem dup erf erfc exit exp exp2 expm1 fabs fdim floor fma fmax fmin fmod fork free frexp gamma getc "
    "hypot index isinf isnan j0 j1 jn kill labs ldexp ldiv lgamma link listen llabs lldiv llrint llround log "
    "log10 log1p log2 logb lrint lround main malloc memchr memcmp memcpy memset modf nan nearbyint open pause "
    "pipe poll pow printf putc puts qsort raise rand random read realloc remainder remove remquo rename rint "
    "round scalb scanf select send setbuf signal significand sin sinh sleep socket splice sqrt srand strcat "
    "strlen swab sync system tan tanh tee tgamma time truncate trunc ungetc unlink vfork wait write y0 y1 yn".split()
)
"""Functions of the C library: a kernel has C linkage, so its symbol must not be one of them."""
