"""Sums of atoms and what facts say of them."""

from tests.verify.support import said

from edgekernelbench.verify.conditions import FAR, either, require
from edgekernelbench.verify.labels import Labels
from edgekernelbench.verify.linear import NOTHING, NOTHING_KNOWN, Known, Sum, atom, combine, number, scale

I, J = atom("i", (0, 9)), atom("j", (0, 4))  # noqa: E741


def least(value: Sum, below: int, known: Known = NOTHING_KNOWN) -> Known:
    """Know that a number is at least another."""
    return require(value, (below, FAR), known)


def test_what_cancels_is_gone() -> None:
    both = combine(combine(I, J, 1), J, -1)
    assert both.range == (0, 9)
    assert both.factors == {"i": 1}
    assert combine(I, I, -1).range == (0, 0)


def test_multiples_add_up() -> None:
    assert combine(scale(I, 3), scale(I, 2), -1).range == (0, 9)
    assert scale(I, -2).range == (-18, 0)
    assert scale(I, 0) == number(0)


def test_nothing_stays_nothing() -> None:
    assert combine(NOTHING, I, 1) is NOTHING
    assert scale(NOTHING, 0) is NOTHING
    assert atom("k", (1, 0)) is NOTHING


def test_a_fact_between_two_atoms_bounds_their_difference() -> None:
    known = least(combine(I, J, -1), 1)
    assert combine(I, J, -1, known.facts).range == (1, 9)
    assert combine(J, I, -1, known.facts).range == (-9, -1)
    assert combine(combine(I, J, -1, known.facts), number(1), -1).range == (0, 8)


def test_a_fact_bounds_what_is_a_multiple_of_it_and_more() -> None:
    known = least(combine(I, J, -1), 1)
    twice = combine(scale(I, 2), scale(J, 2), -1, known.facts)
    assert twice.range == (2, 18)
    assert combine(combine(I, J, -1, known.facts), atom("k", (0, 1)), 1, known.facts).low == 1


def test_a_fact_about_one_atom_narrows_it() -> None:
    known = require(scale(I, 2), (3, 7), NOTHING_KNOWN)
    assert known.narrowed == {"i": (2, 3)}
    assert require(scale(I, -2), (-7, -3), NOTHING_KNOWN).narrowed == {"i": (2, 3)}


def test_a_fact_between_atoms_narrows_both() -> None:
    known = least(combine(J, I, -1), 2)
    assert known.narrowed == {"i": (0, 2), "j": (2, 4)}


def test_a_fact_that_cannot_be_is_a_contradiction() -> None:
    assert least(I, 10).dead
    assert least(combine(J, I, -1), 5).dead


def test_a_fact_that_says_nothing_is_not_kept() -> None:
    assert least(I, 0) is NOTHING_KNOWN


def test_what_is_not_equal_is_known_whichever_way_it_is_asked() -> None:
    params = "a: i32[4] in range(50), b: i32[4] in range(50)"
    for condition in ("a[i] != b[i]", "not b[i] == a[i]", "a[i] - b[i] != 0", "a[i] < b[i] or a[i] > b[i]"):
        for divisor in ("(a[i] - b[i])", "(b[i] - a[i])"):
            body = f"out[i]: i32[4] = 9 // {divisor} if {condition} else 0"
            assert [d.code for d in said(params, body)] == []


def test_of_two_ways_in_only_what_holds_in_both_is_kept() -> None:
    first, second = least(I, 3), require(I, (0, 5), NOTHING_KNOWN)
    assert either(first, second).narrowed == {"i": (0, 9)}
    assert either(first, least(J, 1)).narrowed == {}
    assert either(first, least(I, 10)) is first
    apart = either(least(combine(I, J, -1), 1), least(combine(I, J, -1), 3))
    assert combine(I, J, -1, apart.facts).range == (1, 9)


def test_equal_structures_have_equal_labels() -> None:
    labels = Labels()
    assert labels.of_structure("//", 1, 4) == labels.of_structure("//", 1, 4)
    assert labels.of_structure("//", 1, 4) != labels.of_structure("%", 1, 4)
