"""The words of the language, each once."""

import re

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import REDUCTIONS

NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")
"""Tensors, axes and loops."""

CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*\Z")
"""Constants, and the free capitals of a pattern."""

DTYPES = {str(dtype): dtype for dtype in DType}
SATURATING = {f"sat_{dtype}": dtype for dtype in DType if dtype.is_int}

FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "min": (2, None), "max": (2, None), "clamp": (3, 3), "abs": (1, 1),
    **dict.fromkeys(
        ("floor", "ceil", "trunc", "round", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos",
         "tan", "asin", "acos", "atan", "tanh", "sigmoid", "erf", "popcount", "as_i32", "as_u32", "as_f32"),
        (1, 1),
    ),
    "pow": (2, 2), "atan2": (2, 2),
}  # fmt: skip
"""Least and greatest number of arguments of each function; None where any number is taken."""

SCHEDULE_WORDS = (
    "split", "fuse", "order", "inline", "precompute", "compute_at", "rfactor", "scatter", "hoist",
    "parallel", "vectorize", "unroll", "bind", "tensorize",
)  # fmt: skip
MEMORY_WORDS = ("layout", "place", "cache", "accumulate", "fold", "reuse")

RESERVED = frozenset(
    {*DTYPES, *SATURATING, *FUNCTIONS, *REDUCTIONS, *SCHEDULE_WORDS, *MEMORY_WORDS,
     "const", "range", "inf", "pi", "choose", "compute", "schedule", "memory"}
)  # fmt: skip
"""What can be no name of a tensor, an axis or a loop."""
