"""The functions of the language, by the kind of their operands; all others are of floats."""

from edgekernelbench.ir.dtype import DType

NUMBERS = frozenset(("min", "max", "clamp", "abs"))
"""Functions of integers and floats."""

REINTERPRET = {"as_i32": DType.I32, "as_u32": DType.U32, "as_f32": DType.F32}
"""Functions that keep the 32 bits and change the type."""
