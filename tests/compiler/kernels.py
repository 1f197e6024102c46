"""Nests by hand: a convolution as a person would schedule it, and pieces of it."""

from tests.compiler.hand import axis, lit, loops, nest, output, param, places, read, work

from edgekernelbench.compiler.programs import Term, select
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Compare, Expr, Logic
from edgekernelbench.nest.tree import Allocate, Buffer, Kind, Mark, Nest, Role, Store, Update


def between(low: int, value: Term, high: int) -> Expr:
    bounds = (lit(low, DType.I32).expr, value.expr, lit(high, DType.I32).expr)
    return Compare(("<=", "<="), bounds, dtype=DType.BOOL)


def below(value: Term, high: int) -> Expr:
    return Compare(("<",), (value.expr, lit(high, DType.I32).expr), dtype=DType.BOOL)


def convolution(c: int, k: int, h: int, w: int, *, kt: int = 16, jt: int = 14) -> Nest:
    """3x3, padding 1, bias, ReLU: packed weights, a tile of accumulators on the stack, rows in parallel."""
    x, weights, bias = param("x", 1, c, h, w), param("w", k, c, 3, 3), param("b", k)
    out, pad = output("out", 1, k, h, w), work("pad", 1, c, h + 2, w + 2)
    packed = Buffer("w.packed", DType.F32, (k // kt, c, 3, 3, kt), Role.PREPARED)
    acc = work("conv", 1, 1, jt, kt, scope="local")
    inside = Logic("and", (between(1, axis("pad.i"), h), between(1, axis("pad.j"), w)), dtype=DType.BOOL)
    given = read(x, "pad.n", "pad.c", axis("pad.i") - 1, axis("pad.j") - 1)
    padding = loops(
        [("pad.n", 1, Mark.PARALLEL), ("pad.c", c, Mark.PARALLEL), ("pad.i", h + 2), ("pad.j", w + 2)],
        Store(
            "pad",
            places("pad.n", "pad.c", "pad.i", "pad.j"),
            select(Term(inside), given, lit(0.0)).expr,
            "pad",
        ),
    )
    tile = [("conv.j", jt, Mark.UNROLL), ("conv.k", kt, Mark.VECTOR)]
    begin = loops(tile, Store("conv", places(0, 0, "conv.j", "conv.k"), lit(0.0).expr, "conv"))
    column = axis("jo") * jt + axis("conv.j") + axis("conv.s")
    product = read(pad, 0, "conv.c", axis("out.i") + axis("conv.r"), column) * read(
        packed, "ko", "conv.c", "conv.r", "conv.s", "conv.k"
    )
    step = Update("sum", "conv", places(0, 0, "conv.j", "conv.k"), product.expr, stage="conv")
    summing = loops([("conv.c", c), ("conv.r", 3), ("conv.s", 3)], loops(tile, step), kind=Kind.REDUCTION)
    channel = axis("ko") * kt + axis("ki")
    total = read(acc, 0, 0, "ji", "ki") + read(bias, channel)
    positive = select(total > 0.0, total, lit(0.0)).expr
    end = loops(
        [("ji", jt), ("ki", kt)],
        Store("out", places("out.n", channel, "out.i", axis("jo") * jt + axis("ji")), positive, "out"),
    )
    rows = [("out.n", 1, Mark.PARALLEL), ("ko", k // kt, Mark.PARALLEL), ("out.i", h, Mark.PARALLEL)]
    main = loops(rows, loops([("jo", w // jt)], Allocate((acc,), (begin, summing, end))))
    prepare = loops(
        [("k", k // kt), ("c", c), ("r", 3), ("s", 3), ("kk", kt)],
        Store(
            "w.packed",
            places("k", "c", "r", "s", "kk"),
            read(weights, axis("k") * kt + axis("kk"), "c", "r", "s").expr,
        ),
    )
    body = Allocate((pad,), (padding, main))
    return nest([x, weights, bias], [out], body, prepared=(packed,), prepare=(prepare,))
