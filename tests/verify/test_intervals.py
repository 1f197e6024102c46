"""Ranges of operations against trying everything."""

from collections.abc import Callable
from itertools import product
from math import prod
from operator import and_, floordiv, lshift, mod, mul, or_, rshift, xor

import pytest

from edgekernelbench.verify import intervals
from edgekernelbench.verify.intervals import EMPTY, Range

RANGES = [(low, high) for low in range(-6, 7, 3) for high in (low, low + 1, low + 4, low + 9)]

Bound = Callable[[Range, Range], Range | None]

OPERATIONS: dict[str, tuple[Bound, Callable[[int, int], int]]] = {
    "product": (intervals.multiply, mul),
    "quotient": (intervals.floor_divide, floordiv),
    "remainder": (intervals.modulo, mod),
    "shift left": (lambda a, b: intervals.shift_left(a, b, 32), lshift),
    "shift right": (lambda a, b: intervals.shift_right(a, b, 32), rshift),
    "and": (intervals.bit_and, and_),
    "or": (intervals.bit_or, or_),
    "exclusive or": (intervals.bit_xor, xor),
    "either": (intervals.join, lambda a, _: a),
}


def values(of: Range) -> range:
    """Give all values of a range."""
    return range(of[0], of[1] + 1)


@pytest.mark.parametrize(("bound", "operation"), OPERATIONS.values(), ids=OPERATIONS.keys())
def test_a_range_holds_every_result(bound: Bound, operation: Callable[[int, int], int]) -> None:
    for a, b in product(RANGES, RANGES):
        found = bound(a, b)
        if found is not None:
            results = [operation(x, y) for x in values(a) for y in values(b)]
            assert found[0] <= min(results)
            assert max(results) <= found[1]


EXACT = ("product", "quotient", "shift left", "shift right")


@pytest.mark.parametrize("name", EXACT)
def test_a_range_holds_nothing_else_at_its_ends(name: str) -> None:
    bound, operation = OPERATIONS[name]
    for a, b in product(RANGES, RANGES):
        found = bound(a, b)
        if found is not None:
            results = [operation(x, y) for x in values(a) for y in values(b)]
            assert found == (min(results), max(results))


@pytest.mark.parametrize("exponent", [2, 3, 8])
def test_a_power_is_bounded_exactly(exponent: int) -> None:
    for a in RANGES:
        results = [x**exponent for x in values(a)]
        assert intervals.power(a, exponent) == (min(results), max(results))


def test_an_absolute_value_is_bounded_exactly() -> None:
    for a in RANGES:
        results = [abs(x) for x in values(a)]
        assert intervals.absolute(a) == (min(results), max(results))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_sums_and_products_are_held(count: int) -> None:
    for a in [(-2, 1), (0, 2), (1, 2), (-1, -1), (2, 3)]:
        for some in (False, True):
            low, high = intervals.total(a, count, some=some)
            least, most = intervals.product(a, count)
            for length in range(0 if some else count, count + 1):
                for chosen in product(values(a), repeat=length):
                    assert low <= sum(chosen) <= high
                    assert least <= prod(chosen) <= most


def test_nothing_is_in_the_empty_range() -> None:
    assert intervals.meet((0, 3), (4, 9)) == EMPTY
    assert intervals.join(EMPTY, (1, 2)) == (1, 2)
    assert intervals.join((1, 2), EMPTY) == (1, 2)
    assert intervals.within(EMPTY, (5, 5))
    assert not intervals.within((0, 3), (1, 3))


def test_a_divisor_that_can_be_zero_gives_nothing() -> None:
    assert intervals.floor_divide((1, 2), (0, 3)) is None
    assert intervals.modulo((1, 2), (-1, 3)) is None


def test_a_count_that_is_no_count_gives_nothing() -> None:
    assert intervals.shift_left((1, 2), (-1, 3), 32) is None
    assert intervals.shift_right((1, 2), (0, 32), 32) is None
    assert intervals.product((2, 2), 65)[1] >= 2**63
