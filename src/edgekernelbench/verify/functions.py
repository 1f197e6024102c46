"""The functions of the language: how many operands they take, and of which kind."""

from edgekernelbench.ir.dtype import DType

COMMON = frozenset(("min", "max", "clamp"))
"""Functions of numbers that keep the common type."""

FLOAT_UNARY = frozenset(
    (
        "floor", "ceil", "trunc", "round", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tan",
        "asin", "acos", "atan", "tanh", "sigmoid", "erf",
    )
)  # fmt: skip
"""Functions of one float."""

FLOAT_BINARY = frozenset(("pow", "atan2"))
"""Functions of two floats."""

REINTERPRET = {"as_i32": DType.I32, "as_u32": DType.U32, "as_f32": DType.F32}
"""Functions that keep the 32 bits and change the type."""


def arity(function: str) -> tuple[int, int | None] | None:
    """Give the least and the greatest number of operands.

    Args:
        function: A name.

    Returns:
        Both, the second None when there is no greatest; None for a name that is no function.
    """
    if function in ("min", "max"):
        return 2, None
    if function == "clamp":
        return 3, 3
    if function in FLOAT_BINARY:
        return 2, 2
    if function in FLOAT_UNARY or function in REINTERPRET or function in ("abs", "popcount"):
        return 1, 1
    return None
