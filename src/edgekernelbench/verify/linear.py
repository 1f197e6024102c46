"""Whole numbers as sums: a constant and multiples of *atoms*, each with what is known of it.

An atom is what cannot be taken apart further: an axis, a read, a quotient. It is named by its structure,
so that a condition about `pick[r - 1]` is known again where `pick[r - 1]` is used.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from edgekernelbench.verify.intervals import EMPTY, Range, meet

Atom = Hashable
"""The structure that names an atom."""


class Sum(NamedTuple):
    """A whole number.

    Attributes:
        constant: What is added to the multiples.
        factors: The factor of each atom, none of them 0.
        atoms: The range of each atom.
        low: Least value.
        high: Greatest value.
    """

    constant: int
    factors: Mapping[Atom, int]
    atoms: Mapping[Atom, Range]
    low: int
    high: int

    @property
    def range(self) -> Range:
        """Least and greatest value."""
        return self.low, self.high

    @property
    def empty(self) -> bool:
        """Whether there is no value."""
        return self.low > self.high

    @property
    def key(self) -> Hashable:
        """What names this number by its structure."""
        return self.constant, frozenset(self.factors.items())


NOTHING = Sum(0, {}, {}, *EMPTY)
"""The number that no value has."""


def number(value: int) -> Sum:
    """Give a constant."""
    return Sum(value, {}, {}, value, value)


def atom(key: Atom, known: Range) -> Sum:
    """Give an atom on its own."""
    return Sum(0, {key: 1}, {key: known}, *known) if known[0] <= known[1] else NOTHING


def spread(constant: int, factors: Mapping[Atom, int], atoms: Mapping[Atom, Range]) -> Range:
    """Bound a sum by the ranges of its atoms alone."""
    low = high = constant
    for key, factor in factors.items():
        a, b = atoms[key]
        if factor > 0:
            low += factor * a
            high += factor * b
        else:
            low += factor * b
            high += factor * a
    return low, high


class Fact(NamedTuple):
    """That a sum of multiples is in a range.

    Attributes:
        factors: The factor of each atom; two atoms or more.
        atoms: The range of each atom.
        known: The range of the sum.
    """

    factors: Mapping[Atom, int]
    atoms: Mapping[Atom, Range]
    known: Range


def combine(left: Sum, right: Sum, factor: int, facts: Iterable[Fact]) -> Sum:
    """Give `left + factor * right`.

    Args:
        left: A sum.
        right: Another.
        factor: How often it is added.
        facts: What else is known of sums of the same atoms.

    Returns:
        The sum, bounded by its atoms and by one fact at a time.
    """
    if left.low > left.high or right.low > right.high:
        return NOTHING
    constant = left.constant + factor * right.constant
    if not right.factors or factor == 0:
        shift = constant - left.constant
        return Sum(constant, left.factors, left.atoms, left.low + shift, left.high + shift)
    factors = dict(left.factors)
    atoms = {**left.atoms, **right.atoms}
    for key, times in right.factors.items():
        both = factors.get(key, 0) + factor * times
        if both:
            factors[key] = both
        else:
            del factors[key]
    return settle(constant, factors, atoms, facts)


def scale(value: Sum, factor: int) -> Sum:
    """Give a multiple of a sum."""
    if factor == 0 and not value.empty:
        return number(0)
    if value.empty or factor == 1:
        return value
    ends = (value.low * factor, value.high * factor)
    factors = {key: times * factor for key, times in value.factors.items()}
    return Sum(value.constant * factor, factors, value.atoms, min(ends), max(ends))


def settle(
    constant: int, factors: Mapping[Atom, int], atoms: Mapping[Atom, Range], facts: Iterable[Fact]
) -> Sum:
    """Make a sum and find its range."""
    known = spread(constant, factors, atoms)
    if factors:
        for fact in facts:
            known = meet(known, _through(constant, factors, atoms, fact))
    if known[0] > known[1]:
        return NOTHING
    return Sum(constant, factors, atoms, *known)


def _through(constant: int, factors: Mapping[Atom, int], atoms: Mapping[Atom, Range], fact: Fact) -> Range:
    """Bound a sum as a multiple of the fact's sum and a rest."""
    low, high = spread(constant, factors, atoms)
    tried: set[int] = set()
    for key, unit in fact.factors.items():
        have = factors.get(key, 0)
        times = have // unit
        if not have or have % unit or times in tried:
            continue
        tried.add(times)
        rest = dict(factors)
        for other, by in fact.factors.items():
            rest[other] = rest.get(other, 0) - times * by
        a, b = spread(constant, rest, {**fact.atoms, **atoms})
        ends = (times * fact.known[0], times * fact.known[1])
        low, high = max(low, a + min(ends)), min(high, b + max(ends))
    return low, high
