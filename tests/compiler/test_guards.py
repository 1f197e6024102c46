from tests.compiler.hand import axis, lit, loops, places
from tests.compiler.kernels import below, between

from edgekernelbench.compiler.guards import conjuncts, tidy_guards
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Logic
from edgekernelbench.nest.tree import Guard, Loop, Store

STORE = Store("out", places("i", "j"), lit(1.0).expr)


def test_a_loop_ends_where_its_guard_says() -> None:
    (loop,) = tidy_guards((loops([("i", 16)], Guard(below(axis("i") + 3, 8), (STORE,))),), {})
    assert loop == Loop("i", 5, (STORE,))


def test_a_guard_moves_out_of_the_loop_that_it_does_not_depend_on() -> None:
    condition = below(axis("o") * 4 + axis("i"), 10)
    body = loops([("o", 3), ("i", 4), ("j", 8)], Guard(condition, (STORE,)))
    (outer,) = tidy_guards((body,), {})
    assert outer == loops([("o", 3), ("i", 4)], Guard(condition, (loops([("j", 8)], STORE),)))


def test_what_the_ranges_decide_disappears() -> None:
    always, never = below(axis("i"), 16), below(axis("i"), 0)
    assert tidy_guards((loops([("i", 16)], Guard(always, (STORE,))),), {}) == (loops([("i", 16)], STORE),)
    assert tidy_guards((loops([("i", 16)], Guard(never, (STORE,))),), {}) == ()


def test_chains_and_conjunctions_are_taken_apart() -> None:
    both = Logic("and", (between(1, axis("i"), 5), below(axis("j"), 3)), dtype=DType.BOOL)
    assert len(conjuncts(both)) == 3
