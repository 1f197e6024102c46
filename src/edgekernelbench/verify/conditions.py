"""What is known where an expression is evaluated: conditions in force, as facts about numbers."""

from typing import Protocol

from edgekernelbench.ir.expr import Compare, Expr, Literal, Logic, Select, Unary
from edgekernelbench.verify.intervals import Range, join, meet
from edgekernelbench.verify.linear import Fact, Known, Sum, combine, scale, spread

DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""What holds when a comparison does not."""

FAR = 1 << 80
"""Beyond every number of the language."""

MAX_FACTS = 24
"""So many facts about sums are kept, the last ones, so that a hostile text costs little."""


CONTRADICTION = Known({}, (), dead=True)


class Evaluator(Protocol):
    """Bounds numbers where facts are in force, and adds conditions to them."""

    def of(self, node: Expr, known: Known) -> Sum:
        """Bound a whole number."""
        ...

    def assume(self, node: Expr, known: Known, *, truth: bool = True) -> Known:
        """Add that a condition turned out true, or false."""
        ...


def deduce(node: Expr, known: Known, values: Evaluator, *, truth: bool) -> Known:
    """Take a condition apart.

    Args:
        node: A typed condition.
        known: What holds before it is tested.
        values: Bounds the numbers in it.
        truth: Whether it turned out true or false.

    Returns:
        What holds after; what cannot be used is left out.
    """
    match node:
        case Literal(value=value):
            return known if bool(value) is truth else CONTRADICTION
        case Unary(op="not", operand=operand):
            return values.assume(operand, known, truth=not truth)
        case Logic(op=op, operands=operands) if (op == "and") is truth:
            for part in operands:
                known = values.assume(part, known, truth=truth)
            return known
        case Logic(operands=operands):
            result = CONTRADICTION
            for part in operands:
                result = either(result, values.assume(part, known, truth=truth))
                known = values.assume(part, known, truth=not truth)
            return result
        case Compare():
            return _compared(node, known, values, truth=truth)
        case Select(condition=condition, then=then, other=other):
            taken = values.assume(then, values.assume(condition, known), truth=truth)
            passed = values.assume(other, values.assume(condition, known, truth=False), truth=truth)
            return either(taken, passed)
        case _:
            return known


def _compared(node: Compare, known: Known, values: Evaluator, *, truth: bool) -> Known:
    first = node.operands[0].dtype
    if first is None or not first.is_int:
        return known
    result = CONTRADICTION
    for op, left, right in zip(node.ops, node.operands, node.operands[1:], strict=False):
        gap = combine(values.of(left, known), values.of(right, known), -1, known.facts)
        if not truth:
            result = either(result, _relate(DENIED[op], gap, known))
        known = _relate(op, gap, known)
        if known.dead:
            break
    return known if truth else result


def _relate(op: str, gap: Sum, known: Known) -> Known:
    """Add that a difference is in the relation `op` to 0."""
    found = require(gap, _wanted(op, gap), known)
    if op not in ("!=", "<", ">") or found.dead:
        return found
    return found._replace(apart=found.apart | {gap.key, scale(gap, -1).key})


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
    if known.dead or low > high:
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
        return known._replace(narrowed=narrowed)
    fact = Fact(value.factors, atoms, (low - value.constant, high - value.constant))
    return known._replace(narrowed=narrowed, facts=(*known.facts[1 - MAX_FACTS :], fact))


def _quotients(low: int, high: int, factor: int) -> Range:
    """Give the range of `x` with `low <= factor * x <= high`."""
    if factor < 0:
        low, high, factor = -high, -low, -factor
    return -(-low // factor), high // factor


def either(a: Known, b: Known) -> Known:
    """Keep what holds in both cases."""
    if a.dead or a is b:
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
    return Known(narrowed, tuple(facts), apart=a.apart & b.apart)
