"""Arithmetic on closed ranges of whole numbers; a range whose low end is above its high end holds nothing."""

from edgekernelbench.ir.dtype import DType

Range = tuple[int, int]
"""Least and greatest value."""

EMPTY: Range = (1, 0)
"""No value at all: what cannot happen, and what was refused already."""

MANY = 64
"""From so many factors on, a product of anything above 1 is taken to be unbounded."""


def join(a: Range, b: Range) -> Range:
    """Give the least range that holds both."""
    if a[0] > a[1]:
        return b
    if b[0] > b[1]:
        return a
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Range, b: Range) -> Range:
    """Give what two ranges have in common."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else EMPTY


def within(a: Range, b: Range) -> bool:
    """Whether `b` holds all of `a`."""
    return a[0] > a[1] or (b[0] <= a[0] and a[1] <= b[1])


def multiply(a: Range, b: Range) -> Range:
    """Bound a product."""
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)


def power(a: Range, exponent: int) -> Range:
    """Bound a whole power."""
    low, high = a[0] ** exponent, a[1] ** exponent
    if exponent % 2:
        return low, high
    return (0 if a[0] <= 0 <= a[1] else min(low, high)), max(low, high)


def floor_divide(a: Range, b: Range) -> Range | None:
    """Bound a floored quotient; None when the divisor can be zero."""
    if b[0] <= 0 <= b[1]:
        return None
    corners = [x // y for x in a for y in b]  # monotone in each operand, as the divisor keeps its sign
    return min(corners), max(corners)


def modulo(a: Range, b: Range) -> Range | None:
    """Bound a remainder, which has the sign of the divisor; None when the divisor can be zero."""
    if b[0] > 0:
        if a[0] >= 0 and a[1] < b[0]:
            return a
        return 0, min(b[1] - 1, a[1]) if a[0] >= 0 else b[1] - 1
    if b[1] < 0:
        return b[0] + 1, 0
    return None


def shift_left(a: Range, b: Range, bits: int) -> Range | None:
    """Bound `a << b`; None when the count is not proven to be less than the bits of the type."""
    if b[0] < 0 or b[1] >= bits:
        return None
    return multiply(a, (1 << b[0], 1 << b[1]))


def shift_right(a: Range, b: Range, bits: int) -> Range | None:
    """Bound `a >> b`, which keeps the sign; None when the count is not proven to be less than the bits."""
    if b[0] < 0 or b[1] >= bits:
        return None
    corners = [x >> y for x in a for y in b]
    return min(corners), max(corners)


def bit_and(a: Range, b: Range) -> Range:
    """Bound `a & b`: not above an operand that is not negative."""
    tops = [r[1] for r in (a, b) if r[0] >= 0]
    if tops:
        return 0, min(tops)
    return -_cover(a, b), max(a[1], b[1])


def bit_or(a: Range, b: Range) -> Range:
    """Bound `a | b`: below the next power of two, and of non-negatives not below either."""
    cover = _cover(a, b)
    if a[0] >= 0 and b[0] >= 0:
        return max(a[0], b[0]), cover - 1
    return -cover, (-1 if a[1] < 0 or b[1] < 0 else cover - 1)


def bit_xor(a: Range, b: Range) -> Range:
    """Bound `a ^ b`."""
    cover = _cover(a, b)
    return (0 if a[0] >= 0 and b[0] >= 0 else -cover), cover - 1


def _cover(a: Range, b: Range) -> int:
    """Give the least power of two, `c`, such that all values are in `-c..c-1`."""
    magnitudes = (x if x >= 0 else -x - 1 for x in (*a, *b))
    return 1 << max(magnitudes).bit_length()


def absolute(a: Range) -> Range:
    """Bound an absolute value."""
    if a[0] >= 0:
        return a
    return (0 if a[1] >= 0 else -a[1]), max(-a[0], a[1])


def total(element: Range, count: int, *, some: bool) -> Range:
    """Bound a sum.

    Args:
        element: The range of an element.
        count: How many elements there are.
        some: Whether a condition can leave elements out.

    Returns:
        The range of all sums of `count` elements, or of up to `count`.
    """
    low, high = element[0] * count, element[1] * count
    return (min(low, 0), max(high, 0)) if some else (low, high)


def product(element: Range, count: int) -> Range:
    """Bound a product of up to `count` elements."""
    most = max(abs(element[0]), abs(element[1]))
    if most > 1 and count > MANY:
        return DType.I64.bounds[0] - 1, DType.I64.bounds[1] + 1
    peak = max(most**count, 1) if most > 1 else 1
    return (0 if element[0] >= 0 else -peak), peak
