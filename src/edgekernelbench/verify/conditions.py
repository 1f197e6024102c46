"""What is known where an expression is evaluated: conditions in force, as facts about numbers."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from edgekernelbench.ir.expr import Compare, Expr, Literal, Logic, Select, Unary
from edgekernelbench.verify.intervals import Range, join, meet
from edgekernelbench.verify.linear import Atom, Fact, Sum, combine, spread

DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""What holds when a comparison does not."""

FAR = 1 << 80
"""Beyond every number of the language."""


class Known(NamedTuple):
    """Facts in force.

    Attributes:
        narrowed: Ranges of single atoms.
        facts: Ranges of sums of atoms.
        dead: Whether the conditions contradict each other, so that nothing here is ever evaluated.
    """

    narrowed: Mapping[Atom, Range]
    facts: tuple[Fact, ...] = ()
    dead: bool = False


NOTHING_KNOWN = Known({})
CONTRADICTION = Known({}, (), dead=True)

Evaluate = Callable[[Expr, Known], Sum]
"""Bounds a whole number where some facts are in force."""


def assume(node: Expr, known: Known, evaluate: Evaluate, *, truth: bool = True) -> Known:
    """Add a condition to what is known.

    Args:
        node: A typed condition.
        known: What holds before it is tested.
        evaluate: Bounds the numbers in it.
        truth: Whether it turned out true or false.

    Returns:
        What holds after; what cannot be used is left out.
    """
    if known.dead:
        return known
    match node:
        case Literal(value=value):
            return known if bool(value) is truth else CONTRADICTION
        case Unary(op="not", operand=operand):
            return assume(operand, known, evaluate, truth=not truth)
        case Logic(op=op, operands=operands):
            if (op == "and") is truth:
                for part in operands:
                    known = assume(part, known, evaluate, truth=truth)
                return known
            return _one_of(operands, known, evaluate, truth)
        case Compare():
            return _compared(node, known, evaluate, truth)
        case Select(condition=condition, then=then, other=other):
            taken = assume(condition, known, evaluate)
            passed = assume(condition, known, evaluate, truth=False)
            return either(
                assume(then, taken, evaluate, truth=truth), assume(other, passed, evaluate, truth=truth)
            )
        case _:
            return known


def _one_of(operands: tuple[Expr, ...], known: Known, evaluate: Evaluate, truth: bool) -> Known:  # noqa: FBT001
    """Assume that the first operands turned out one way and then one turned out `truth`."""
    result = CONTRADICTION
    for part in operands:
        result = either(result, assume(part, known, evaluate, truth=truth))
        known = assume(part, known, evaluate, truth=not truth)
    return result


def _compared(node: Compare, known: Known, evaluate: Evaluate, truth: bool) -> Known:  # noqa: FBT001
    first = node.operands[0].dtype
    if first is None or not first.is_int:
        return known
    pairs = list(zip(node.ops, node.operands, node.operands[1:], strict=False))
    if truth:
        for op, left, right in pairs:
            known = _relation(op, left, right, known, evaluate)
        return known
    result = CONTRADICTION
    for op, left, right in pairs:
        result = either(result, _relation(DENIED[op], left, right, known, evaluate))
        known = _relation(op, left, right, known, evaluate)
    return result


def _relation(op: str, left: Expr, right: Expr, known: Known, evaluate: Evaluate) -> Known:
    if known.dead:
        return known
    gap = combine(evaluate(left, known), evaluate(right, known), -1, known.facts)
    if gap.empty:
        return CONTRADICTION
    return require(gap, _wanted(op, gap), known)


def _wanted(op: str, gap: Sum) -> Range:
    match op:
        case "<":
            return -FAR, -1
        case "<=":
            return -FAR, 0
        case ">":
            return 1, FAR
        case ">=":
            return 0, FAR
        case "==":
            return 0, 0
        case _:
            return (1 if gap.low == 0 else -FAR), (-1 if gap.high == 0 else FAR)


def require(value: Sum, wanted: Range, known: Known) -> Known:
    """Add that a number is in a range.

    Args:
        value: The number.
        wanted: The range.
        known: What holds already.

    Returns:
        Ranges of its atoms, narrowed, and of their sum.
    """
    low, high = meet(value.range, wanted)
    if low > high:
        return CONTRADICTION
    if (low, high) == value.range:
        return known
    narrowed = dict(known.narrowed)
    atoms = dict(value.atoms)
    for key, factor in value.factors.items():
        rest = spread(value.constant, {k: f for k, f in value.factors.items() if k != key}, atoms)
        room = _quotients(low - rest[1], high - rest[0], factor)
        atoms[key] = narrowed[key] = meet(atoms[key], room)
        if narrowed[key][0] > narrowed[key][1]:
            return CONTRADICTION
    if len(value.factors) == 1:
        return Known(narrowed, known.facts)
    fact = Fact(value.factors, atoms, (low - value.constant, high - value.constant))
    return Known(narrowed, (*known.facts, fact))


def _quotients(low: int, high: int, factor: int) -> Range:
    """Give the range of `x` with `low <= factor * x <= high`."""
    if factor < 0:
        low, high, factor = -high, -low, -factor
    return -(-low // factor), high // factor


def either(a: Known, b: Known) -> Known:
    """Keep what holds in both cases."""
    if a.dead:
        return b
    if b.dead:
        return a
    narrowed = {key: join(known, b.narrowed[key]) for key, known in a.narrowed.items() if key in b.narrowed}
    shared = {frozenset(fact.factors.items()): fact for fact in b.facts}
    facts = []
    for fact in a.facts:
        other = shared.get(frozenset(fact.factors.items()))
        if other is not None:
            atoms = {key: join(known, other.atoms[key]) for key, known in fact.atoms.items()}
            facts.append(Fact(fact.factors, atoms, join(fact.known, other.known)))
    return Known(narrowed, tuple(facts))
