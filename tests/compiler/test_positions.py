from tests.compiler.hand import axis, lit, loops, param, places, read, work

from edgekernelbench.compiler.positions import Positions
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary
from edgekernelbench.nest.tree import Stmt, Store

OWN = work("own", 64)
X, OUT = param("x", 64), param("out", 64)
E = axis("o") * 16 + axis("i")


def hold(*body: Stmt) -> bool:
    return Positions("o", 16, ({"i": 1}, {"j": 1}), frozenset({"own"})).hold(body)


def test_what_lives_in_the_tile_is_indexed_from_its_start() -> None:
    fill = loops([("i", 16)], Store("own", places("i"), read(X, E).expr))
    assert hold(
        fill, loops([("j", 16)], Store("out", places(axis("o") * 16 + axis("j")), read(OWN, "j").expr))
    )


def test_elsewhere_a_position_stands_whole() -> None:
    assert not hold(loops([("i", 16)], Store("out", places(E), read(X, "i").expr)))
    assert not hold(loops([("i", 16)], Store("out", places(E), axis("i").cast(DType.F32).expr)))


def test_a_copy_of_something_fixed_is_not_indexed_from_the_tile() -> None:
    # `own[c] = x[c]`, then read at `i`, which was `(o * 16 + i) % 16`.
    copy = loops([("c", 16)], Store("own", places("c"), read(X, "c").expr))
    assert not hold(copy, loops([("i", 16)], Store("out", places(E), read(OWN, "i").expr)))


def test_a_box_at_twice_the_position_is_read_at_twice_the_variable() -> None:
    box = loops([("b", 35)], Store("own", places("b"), read(X, axis("o") * 32 + axis("b")).expr))
    strided = Store("out", places(E), read(OWN, axis("i") * 2 + axis("s")).expr)
    assert hold(box, loops([("i", 16), ("s", 3)], strided))
    once = Store("out", places(E), read(OWN, axis("i") + axis("s")).expr)
    assert not hold(box, loops([("i", 16), ("s", 3)], once))


def test_half_a_tile_is_no_position() -> None:
    assert not hold(loops([("i", 16)], Store("out", places(E), read(X, axis("o") * 8).expr)))


def test_a_remainder_of_the_whole_position_may_stay() -> None:
    rest = Binary("%", E.expr, lit(5, DType.I32).expr, dtype=DType.I32)
    assert hold(loops([("i", 16)], Store("out", places(E), read(X, type(E)(rest)).expr)))
