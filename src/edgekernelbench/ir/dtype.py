"""Element types and their ranges."""

from enum import StrEnum


class DType(StrEnum):
    """An element type, by the name that kernel texts use."""

    BOOL = "bool"
    I4 = "i4"
    U4 = "u4"
    I8 = "i8"
    U8 = "u8"
    I16 = "i16"
    U16 = "u16"
    I32 = "i32"
    U32 = "u32"
    I64 = "i64"
    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"
    F64 = "f64"

    def __init__(self, value: str) -> None:
        # Plain attributes, not properties: the verifier asks for them a thousand times a text.
        self.is_float: bool = value in ("f16", "bf16", "f32", "f64")
        """Whether it is a floating-point type."""
        self.is_int: bool = value != "bool" and not self.is_float
        """Whether it is an integer type; `bool` is not."""
        self.is_signed: bool = self.is_float or value.startswith("i")
        """Whether negative values can be held."""
        self.bits: int = 8 if value == "bool" else int(value.lstrip("iubf"))
        """Bits of one element; a `bool` is stored in 8."""
        last = 2 ** (self.bits - 1) if self.is_signed else 2**self.bits
        self._bounds = (0, 1) if value == "bool" else (-last if self.is_signed else 0, last - 1)

    @property
    def bounds(self) -> tuple[int, int]:
        """Least and greatest value of an integer type; (0, 1) for `bool`.

        Raises:
            ValueError: For a floating-point type.
        """
        if self.is_float:
            raise ValueError(f"{self} has no integer bounds")
        return self._bounds


def widened(a: DType, b: DType) -> DType | None:
    """Find the type that two mixed operands meet in without loss.

    Args:
        a: The type of one operand.
        b: The type of the other.

    Returns:
        The common type; None when they may not be mixed (rule T03).

    Source:
        Kernel language, A3: narrow integers to `i32` to `i64`, `u32` to `i64`, `f16` and `bf16`
        to `f32` to `f64`; two different narrow integers meet in `i32`.
    """
    if a is b:
        return a
    if DType.BOOL in (a, b) or a.is_float != b.is_float:
        return None
    if a.is_float:
        return None if {a, b} == {DType.F16, DType.BF16} else max(a, b, key=lambda t: t.bits)
    if DType.I64 in (a, b):
        return DType.I64
    if {a, b} == {DType.I32, DType.U32}:
        return None
    return (
        DType.U32
        if DType.U32 in (a, b) and not (a.is_signed or b.is_signed)
        else (None if DType.U32 in (a, b) else DType.I32)
    )
