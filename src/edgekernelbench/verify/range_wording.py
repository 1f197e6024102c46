"""The sentences about indices and divisors, with the guard that would prove them."""

from edgekernelbench.base.span import Span
from edgekernelbench.ir.expr import Binary, Read
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.verify.linear import Sum

Words = tuple[str, Span, str | None]


def divisor(node: Binary, found: Sum) -> Words:
    """Word R02."""
    text = print_expr(node.right)
    return f"{print_expr(node)}: {text} is {found.low}..{found.high}, a divisor is not 0", node.span, None


def index(node: Read, place: int, found: Sum, size: int) -> Words:
    """Word R01."""
    text = f"{print_expr(node)}: index {place} reaches {found.low}..{found.high}, the axis has 0..{size - 1}"
    return f"{text}; indices do not wrap", node.span, None
