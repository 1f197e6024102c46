"""`tensorize("dot4", …)`: cut to the width of the machine's instruction, or turned back into plain loops.

The loops of `dot4` are lanes and, inside, four steps of a sum of products of 8-bit numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from edgekernelbench.compiler.rewrite import axes_of, entered, reads_of, substituted, with_body
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Cast, Expr, Read
from edgekernelbench.nest.indices import simplify
from edgekernelbench.nest.linear import Linear, Ranges, linear, variable
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Kind,
    Let,
    Loop,
    Mark,
    Stmt,
    Store,
    Update,
    walk_stmts,
)

STEPS = 4
_BYTES = (DType.I8, DType.U8)


@dataclass(frozen=True, slots=True)
class Dot:
    """A `dot4` in the form of the instruction.

    Attributes:
        lanes: The loop over lanes.
        steps: The loop over the four steps.
        update: The sum.
        same: The factor that is the same for all lanes; its four bytes are neighbours.
        own: The factor of which each lane has four neighbouring bytes of its own, lane after lane.
    """

    lanes: Loop
    steps: Loop
    update: Update
    same: Read
    own: Read


def lower_dots(body: tuple[Stmt, ...], buffers: tuple[Buffer, ...], lanes: int) -> tuple[Stmt, ...]:
    """Bring `dot4` loops to the machine's width.

    Args:
        body: A program.
        buffers: The buffers outside it.
        lanes: How many lanes the machine's instruction has; 0 when it has none.

    Returns:
        An equal program; what the instruction cannot do is a vector loop round plain steps.
    """
    known = {b.name: b for b in buffers}
    known |= {b.name: b for s in walk_stmts(body) if isinstance(s, Allocate) for b in s.buffers}
    return tuple(_lower(stmt, known, lanes, {}) for stmt in body)


def _lower(stmt: Stmt, known: Mapping[str, Buffer], lanes: int, ranges: Ranges) -> Stmt:
    match stmt:
        case Loop(mark=Mark.TENSOR):
            return _tensor(stmt, known, lanes, ranges)
        case Loop(body=body) | Let(body=body) | Guard(body=body) | Allocate(body=body):
            inside = entered(stmt, ranges)
            return with_body(stmt, tuple(_lower(s, known, lanes, inside) for s in body))
        case Store() | Update():
            return stmt
        case _:
            assert_never(stmt)


def _tensor(loop: Loop, known: Mapping[str, Buffer], lanes: int, ranges: Ranges) -> Stmt:
    inside = entered(loop, ranges)
    if lanes == 0 or loop.extent % lanes or find_dot(loop, known, inside) is None:
        return _plain(loop)
    if loop.extent == lanes:
        return loop
    chunk = f"{loop.var}.chunk"
    count = loop.extent // lanes
    place = Linear(((variable(chunk), lanes), (variable(loop.var), 1)), 0).expr()
    narrow = {**ranges, chunk: (0, count - 1), loop.var: (0, lanes - 1)}
    body = substituted(loop.body, {loop.var: place}, narrow)
    return Loop(chunk, count, (replace(loop, extent=lanes, body=body),), Kind.DATA, Mark.UNROLL)


def _plain(loop: Loop) -> Stmt:
    """Write lanes as a vector inside the steps."""
    (steps,) = loop.body
    if not isinstance(steps, Loop):
        return replace(loop, mark=Mark.VECTOR, instruction="")
    lanes = replace(loop, mark=Mark.VECTOR, instruction="", body=steps.body)
    return replace(steps, mark=Mark.UNROLL, instruction="", body=(lanes,))


def find_dot(loop: Loop, known: Mapping[str, Buffer], ranges: Ranges) -> Dot | None:
    """Recognise the form of the instruction.

    Args:
        loop: The loop over lanes.
        known: Buffers by name.
        ranges: Ranges of variables, the lanes included.

    Returns:
        The parts; None when memory does not lie as the instruction takes it.
    """
    steps = loop.body[0]
    if loop.instruction != "dot4" or not isinstance(steps, Loop) or steps.extent != STEPS:
        return None
    update = steps.body[0]
    if not isinstance(update, Update) or update.kind != "sum" or not isinstance(update.value, Binary):
        return None
    factors = [_factor(update.value.left), _factor(update.value.right)]
    for same, own in (factors, factors[::-1]):
        if same is None or own is None or same.dtype not in _BYTES or own.dtype not in _BYTES:
            continue
        strides = [
            _strides(read, known, entered(steps, ranges), (loop.var, steps.var)) for read in (same, own)
        ]
        if strides == [(0, 1), (STEPS, 1)]:
            return Dot(loop, steps, update, same, own)
    return None


def _factor(node: Expr) -> Read | None:
    while isinstance(node, Cast) and not node.saturate:
        node = node.operand
    return node if isinstance(node, Read) else None


def _strides(
    read: Read, known: Mapping[str, Buffer], ranges: Ranges, names: tuple[str, str]
) -> tuple[int, int] | None:
    """Give how far each loop moves a read in memory; None when that is not the same everywhere."""
    total = Linear((), 0)
    stride = 1
    for index, size in zip(reversed(read.indices), reversed(known[read.tensor].shape), strict=True):
        total = total.plus(linear(simplify(index, ranges)), stride)
        stride *= size
    for term, _ in total.terms:
        if not isinstance(term, Axis) and (axes_of(term) & set(names) or reads_of(term)):
            return None
    first, second = (next((k for t, k in total.terms if t == variable(n)), 0) for n in names)
    return first, second
