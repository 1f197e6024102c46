"""One number by itself, as the language writes numbers: what a size is when others are known."""

import ast
from collections.abc import Mapping

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.context import Context, Number
from edgekernelbench.lang.numbers import number
from edgekernelbench.lang.python_text import parse_python


def read_number(text: str, known: Mapping[str, Number | DType]) -> Number | None:
    """Evaluate a number such as `HQ + 2 * HK`.

    Args:
        text: A number of the language: literals, capitals and `+ - * / // % **`.
        known: Values of capitals.

    Returns:
        Its value; None when it names a capital that is not known.

    Raises:
        SourceError: When the text is no number.
        SyntaxError: When it is no expression at all.
    """
    ctx = Context(text, known, pattern=True)
    ctx.constants.update(known)
    value = number(_expression(text), ctx)
    if ctx.diagnostics:
        raise SourceError(ctx.ordered(), text)
    return value


def _expression(text: str) -> ast.expr:
    match parse_python(text).body:
        case [ast.Expr(expression)]:
            return expression
        case _:
            raise SyntaxError(f"expected one number, found {text!r}")
