"""Whole numbers as sums: a constant and multiples of *atoms*, each with what is known of it.

An atom is what cannot be taken apart further: an axis, a read, a quotient. It is named by its structure,
so that a condition about `pick[r - 1]` is known again where `pick[r - 1]` is used.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import gcd
from typing import NamedTuple

from edgekernelbench.verify.intervals import EMPTY, Range, join, meet

Atom = Hashable
"""The structure that names an atom."""


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


class Known(NamedTuple):
    """Facts in force.

    Attributes:
        narrowed: Ranges of single atoms.
        facts: Ranges of sums of atoms.
        dead: Whether the conditions contradict each other, so that nothing here is ever evaluated.
        apart: Keys of sums that are not 0.
    """

    narrowed: Mapping[Atom, Range]
    facts: tuple[Fact, ...] = ()
    dead: bool = False
    apart: frozenset[Hashable] = frozenset()


NOTHING_KNOWN = Known({})


class Case(NamedTuple):
    """Another way to say a number, and what is known if it is said so."""

    sum: "Sum"
    known: Known


class Cases(NamedTuple):
    """Other ways to say an atom: `factor` times the atom is one of them.

    `max(a, b)` is `a` where `a - b >= 0`, else `b`; `i % 4` is `i - 4 * (i // 4)`; 4 times `i // 4` is
    `i - i % 4`.
    """

    factor: int
    ways: tuple[Case, ...]


class Sum(NamedTuple):
    """A whole number.

    Attributes:
        constant: What is added to the multiples.
        factors: The factor of each atom, none of them 0.
        atoms: The range of each atom.
        low: Least value.
        high: Greatest value.
        cases: Other ways to say some of the atoms.
    """

    constant: int
    factors: Mapping[Atom, int]
    atoms: Mapping[Atom, Range]
    low: int
    high: int
    cases: Mapping[Atom, Cases] = {}

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


def atom(key: Atom, known: Range, cases: Cases | None = None) -> Sum:
    """Give an atom on its own."""
    low, high = known
    if low > high:
        return NOTHING
    return Sum(0, {key: 1}, {key: known}, low, high, {} if cases is None else {key: cases})


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


def combine(left: Sum, right: Sum, factor: int, facts: Sequence[Fact] = ()) -> Sum:
    """Give `left + factor * right`.

    Args:
        left: A sum.
        right: Another.
        factor: How often it is added.
        facts: What else is known of sums of the same atoms.

    Returns:
        The sum, bounded by its atoms, by one fact at a time, and by the cases of one atom at a time.
    """
    if left.low > left.high or right.low > right.high:
        return NOTHING
    if not right.factors or not factor:
        shift = factor * right.constant
        return Sum(
            left.constant + shift, left.factors, left.atoms, left.low + shift, left.high + shift, left.cases
        )
    whole = _added(left, right, factor)
    low, high = whole.low, whole.high
    if whole.factors:
        for fact in facts:
            low, high = meet((low, high), _through(whole, fact))
        for found in _by_cases(whole) if whole.cases and len(whole.factors) > 1 else ():
            low, high = meet((low, high), found)
    if low > high:
        return NOTHING
    return whole if (low, high) == whole.range else whole._replace(low=low, high=high)


def _added(left: Sum, right: Sum, factor: int) -> Sum:
    factors = dict(left.factors)
    for key, times in right.factors.items():
        both = factors.get(key, 0) + factor * times
        if both:
            factors[key] = both
        else:
            del factors[key]
    atoms = {**left.atoms, **right.atoms}
    constant = left.constant + factor * right.constant
    cases = {**left.cases, **right.cases} if left.cases or right.cases else left.cases
    return Sum(constant, factors, atoms, *spread(constant, factors, atoms), cases)


def scale(value: Sum, factor: int) -> Sum:
    """Give a multiple of a sum."""
    if factor == 1 or value.low > value.high:
        return value
    if factor == 0:
        return number(0)
    ends = (value.low * factor, value.high * factor)
    factors = {key: times * factor for key, times in value.factors.items()}
    return Sum(value.constant * factor, factors, value.atoms, min(ends), max(ends), value.cases)


def part(value: Sum, constant: int, factors: Mapping[Atom, int], facts: Sequence[Fact]) -> Sum:
    """Make another sum of some of the atoms of a sum."""
    bare = Sum(constant, factors, value.atoms, *spread(constant, factors, value.atoms), value.cases)
    return combine(number(0), bare, 1, facts)


def _through(value: Sum, fact: Fact) -> Range:
    """Bound a sum as a multiple of the fact's sum and a rest."""
    low, high = value.low, value.high
    tried: set[int] = set()
    for key, unit in fact.factors.items():
        have = value.factors.get(key, 0)
        times = have // unit
        if not have or have % unit or times in tried:
            continue
        tried.add(times)
        rest = dict(value.factors)
        for other, by in fact.factors.items():
            rest[other] = rest.get(other, 0) - times * by
        a, b = spread(value.constant, rest, {**fact.atoms, **value.atoms})
        ends = (times * fact.known[0], times * fact.known[1])
        low, high = max(low, a + min(ends)), min(high, b + max(ends))
    return low, high


def _by_cases(value: Sum) -> Iterator[Range]:
    """Bound a sum by saying one atom otherwise, whatever case holds."""
    for key, times in value.factors.items():
        cases = value.cases.get(key)
        if cases is None:
            continue
        # 2 * (t - t // 2) is t + t % 2: several times the sum can be said where the sum itself cannot.
        several = cases.factor // gcd(cases.factor, times)
        rest = {k: several * f for k, f in value.factors.items() if k != key}
        found = EMPTY
        for case in cases.ways:
            if not (case.known.dead or case.sum.empty):
                bare = value._replace(constant=several * value.constant, factors=rest)
                found = join(found, _in_case(bare, case, several * times // cases.factor))
        yield -(-found[0] // several), found[1] // several


def _in_case(value: Sum, case: Case, times: int) -> Range:
    narrowed = case.known.narrowed
    atoms = {key: meet(known, narrowed.get(key, known)) for key, known in value.atoms.items()}
    whole = _added(value._replace(atoms=atoms), case.sum, times)
    found = whole.range
    for fact in case.known.facts:
        found = meet(found, _through(whole, fact))
    return found
