"""Statements of a nest as TIR."""

from dataclasses import dataclass, replace
from typing import Any, assert_never

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arena import find_lifetimes
from edgekernelbench.compiler.arrays import is_packed, stored_bytes
from edgekernelbench.compiler.instructions import find_dot
from edgekernelbench.compiler.rewrite import axes_of
from edgekernelbench.compiler.tvm.dot import dot_step
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.rooms import Allocator, Rooms, Slot, Task
from edgekernelbench.compiler.tvm.scope import Scope, Stored, offset
from edgekernelbench.compiler.tvm.stores import declare, write_store, write_update, write_value
from edgekernelbench.compiler.tvm.values import (
    STORED,
    Value,
    conjunction,
    constant,
    fresh_variable,
    number,
)
from edgekernelbench.ir.expr import Expr, Logic
from edgekernelbench.nest.indices import conjunction as joined
from edgekernelbench.nest.indices import span_of
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
)

Node = Any

STACK_BYTES = 1024
"""TVM keeps smaller allocations on the stack, where they can become registers."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands.

    Attributes:
        scope: What names mean.
        declared: Workspace that was allocated further out.
        task: The thread that runs it; None outside parallel loops.
    """

    scope: Scope
    declared: frozenset[str] = frozenset()
    task: Task | None = None


class Statements:
    """Writes statements for a number of threads."""

    def __init__(self, threads: int, rooms: Rooms | None = None) -> None:
        self._threads = threads
        self._rooms = rooms or Allocator()

    def root(self, body: tuple[Stmt, ...], scope: Scope) -> Node:
        """Write a whole program; what is allocated outside parallel loops is allocated once."""
        allocations, place = self._hoisted(body, Place(scope))
        return sequence([*allocations, *self._block(body, place)])

    def _hoisted(self, body: tuple[Stmt, ...], place: Place) -> tuple[list[Node], Place]:
        """Allocate here what would be allocated in every iteration; what the stack cannot hold is shared."""
        every = _allocated(body, through_parallel=place.task is not None)
        found = [b for b in every if stored_bytes(b) >= STACK_BYTES]
        slots = share_slots(found, find_lifetimes(body))
        held = {b.name: Stored(b, slots[b.name]) for b in found}
        small = {b.name: declare(b) for b in every if stored_bytes(b) < STACK_BYTES}
        held |= small
        scope = replace(place.scope, buffers={**place.scope.buffers, **held})
        fresh = replace(place, scope=scope, declared=place.declared | held.keys())
        stack = [tirx.AllocBuffer(s.tir) for s in small.values()]
        return [*self._held([(slots[b.name], b) for b in found], place), *stack], fresh

    def _held(self, found: list[tuple[Node, Buffer]], place: Place) -> list[Node]:
        """Give each slot room for the largest of its buffers."""
        sizes: dict[Node, int] = {}
        for slot, buffer in found:
            sizes[slot] = max(sizes.get(slot, 0), stored_bytes(buffer))
        return self._rooms.hold([Slot(slot, size) for slot, size in sizes.items()], place.task)

    def _block(self, body: tuple[Stmt, ...], place: Place) -> list[Node]:
        return [node for stmt in body for node in self._statement(stmt, place)]

    def _statement(self, stmt: Stmt, place: Place) -> list[Node]:
        match stmt:
            case Loop():
                return self._loop(stmt, place)
            case Let():
                return self._let(stmt, place)
            case Guard(condition=condition, body=body):
                test = Expressions(place.scope).value(condition)
                return [tirx.IfThenElse(test.node, sequence(self._block(body, place)), None)]
            case Allocate(buffers=buffers, body=body):
                held = {b.name: declare(b) for b in buffers if b.name not in place.declared}
                scope = replace(place.scope, buffers={**place.scope.buffers, **held})
                allocations = [self._allocate(s, place) for s in held.values()]
                return [*allocations, *self._block(body, replace(place, scope=scope))]
            case Store():
                return write_store(stmt, place.scope, None)
            case Update():
                return write_update(stmt, place.scope, None)
            case _:
                assert_never(stmt)

    def _allocate(self, stored: Stored, place: Place) -> Node:
        if stored_bytes(stored.buffer) < STACK_BYTES:
            return tirx.AllocBuffer(stored.tir)
        (node,) = self._held([(stored.tir, stored.buffer)], place)
        return node

    def _let(self, stmt: Let, place: Place) -> list[Node]:
        value = Expressions(place.scope).value(stmt.value)
        variable = fresh_variable(stmt.var.replace(".", "_"), value)
        low, high = span_of(stmt.value, place.scope.ranges)
        span = None if low is None or high is None else (low, high)
        scope = place.scope.with_variable(stmt.var, variable, span)
        return [tirx.Bind(variable.node, value.node), *self._block(stmt.body, replace(place, scope=scope))]

    def _loop(self, loop: Loop, place: Place) -> list[Node]:
        if loop.mark is Mark.PARALLEL and self._threads > 1 and place.task is None:
            return self._parallel(loop, place)
        if loop.mark is Mark.TENSOR and loop.kind is Kind.DATA:
            return [self._dot(loop, place.scope)]
        if loop.mark is Mark.VECTOR:
            parts = self._vector(loop, place.scope)
            if parts is not None:
                return parts
        if loop.extent == 1:
            scope = place.scope.with_variable(loop.var, constant(0, "int32"), (0, 0))
            return self._block(loop.body, replace(place, scope=scope))
        kind = tirx.ForKind.UNROLLED if loop.mark is Mark.UNROLL else tirx.ForKind.SERIAL
        variable = Value(tirx.Var(loop.var.replace(".", "_"), "int32"), "int32")
        scope = place.scope.with_variable(loop.var, variable, (0, loop.extent - 1))
        body = sequence(self._block(loop.body, replace(place, scope=scope)))
        return [tirx.For(variable.node, number(0), number(loop.extent), kind, body)]

    def _parallel(self, loop: Loop, place: Place) -> list[Node]:
        """Write loops of one `parallel` as one loop over threads, each with a share of the iterations.

        Workspace of an iteration is then allocated once a thread.
        """
        loops = _fused(loop)
        total = 1
        for one in loops:
            total *= one.extent
        threads = min(self._threads, total)
        task = tirx.Var("task", "int32")
        step = tirx.Var("step", "int32")
        first = tirx.floordiv(task * total, threads)
        count = tirx.floordiv((task + 1) * total, threads) - first
        begin = tirx.Var("first", "int32")
        position, scope, lets = begin + step, place.scope, []
        for one in reversed(loops):
            here = tirx.floormod(position, one.extent) if one is not loops[0] else position
            position = tirx.floordiv(position, one.extent)
            if one.extent == 1:
                scope = scope.with_variable(one.var, constant(0, "int32"), (0, 0))
                continue
            variable = tirx.Var(one.var.replace(".", "_"), "int32")
            lets.append(tirx.Bind(variable, here))
            scope = scope.with_variable(one.var, Value(variable, "int32"), (0, one.extent - 1))
        inside = replace(place, scope=scope, task=Task(task, threads))
        allocations, inside = self._hoisted(loops[-1].body, inside)
        body = sequence([*lets, *self._block(loops[-1].body, inside)])
        serial = tirx.For(step, number(0), count, tirx.ForKind.SERIAL, body)
        shared = sequence([*allocations, tirx.Bind(begin, first), serial])
        return [tirx.For(task, number(0), number(threads), tirx.ForKind.PARALLEL, shared)]

    def _vector(self, loop: Loop, scope: Scope) -> list[Node] | None:
        """Write a vector loop round one statement; None when it has to be a serial loop after all."""
        (leaf,) = loop.body
        conditions: list[Expr] = []
        if isinstance(leaf, Guard):
            conditions = list(_conjuncts(leaf.condition))
            (leaf,) = leaf.body
        if not isinstance(leaf, Store | Update):
            raise InternalError(
                f"expected one statement in the vector loop {loop.var!r}, found {type(leaf).__name__}"
            )
        outer = [c for c in conditions if loop.var not in axes_of(c)]
        inner = [c for c in conditions if loop.var in axes_of(c)]
        wide = scope.with_lanes(loop.var, loop.extent)
        expressions = Expressions(wide)
        mask: Value | None = None
        for condition in inner:
            mask = conjunction(mask, expressions.value(condition, mask))
        stored = wide.buffers[leaf.buffer]
        place = offset(stored.buffer, leaf.indices, wide.ranges)
        regular = expressions.is_contiguous(place) and not is_packed(stored.buffer.dtype)
        if not regular and (mask is not None or isinstance(leaf, Update) or is_packed(stored.buffer.dtype)):
            return None
        nodes = write_store(leaf, wide, mask) if isinstance(leaf, Store) else write_update(leaf, wide, mask)
        if outer:
            test = Expressions(scope).value(joined(outer))
            return [tirx.IfThenElse(test.node, sequence(nodes), None)]
        return nodes

    def _dot(self, loop: Loop, scope: Scope) -> Node:
        known = {name: stored.buffer for name, stored in scope.buffers.items()}
        wide = scope.with_lanes(loop.var, loop.extent)
        dot = find_dot(loop, known, wide.ranges)
        if dot is None:
            raise InternalError(f"expected the form of dot4 in {loop.var!r}, found none")
        expressions, stored = Expressions(wide), scope.buffers[dot.update.buffer]
        place = offset(stored.buffer, dot.update.indices, wide.ranges)
        value = dot_step(dot, expressions, expressions.load(stored, place, None))
        return write_value(expressions, stored, place, value, None)


def share_slots(buffers: list[Buffer], lifetimes: dict[str, tuple[int, int]]) -> dict[str, Node]:
    """Give one TIR buffer to nest buffers of one type that are never alive together, the largest first.

    TVM's own pass for this overlaid buffers that were both alive.
    """
    slots: list[tuple[Node, Buffer, list[tuple[int, int]]]] = []
    given: dict[str, Node] = {}
    for buffer in sorted(buffers, key=lambda b: -stored_bytes(b)):
        first, last = lifetimes[buffer.name]
        for slot, owner, spans in slots:
            apart = all(last < start or stop < first for start, stop in spans)
            if apart and STORED[owner.dtype] == STORED[buffer.dtype]:
                spans.append((first, last))
                given[buffer.name] = slot
                break
        else:
            given[buffer.name] = declare(buffer).tir
            slots.append((given[buffer.name], buffer, [(first, last)]))
    return given


def sequence(nodes: list[Node]) -> Node:
    """Join statements."""
    if not nodes:
        return tirx.Evaluate(number(0))
    return nodes[0] if len(nodes) == 1 else tirx.SeqStmt(nodes)


def _conjuncts(condition: Expr) -> tuple[Expr, ...]:
    if isinstance(condition, Logic) and condition.op == "and":
        return tuple(c for part in condition.operands for c in _conjuncts(part))
    return (condition,)


def _fused(loop: Loop) -> list[Loop]:
    """List the loops of one `parallel`, outermost first."""
    loops = [loop]
    while len(loops[-1].body) == 1:
        (following,) = loops[-1].body
        if not isinstance(following, Loop) or following.mark is not Mark.PARALLEL:
            break
        if loop.fused is None or following.fused != loop.fused:
            break
        loops.append(following)
    return loops


def _allocated(body: tuple[Stmt, ...], *, through_parallel: bool) -> list[Buffer]:
    """List what a program allocates, parallel loops inside left out unless they are run serially."""
    found: list[Buffer] = []
    for stmt in body:
        match stmt:
            case Allocate(buffers=buffers, body=inner):
                found += [*buffers, *_allocated(inner, through_parallel=through_parallel)]
            case Loop(mark=Mark.PARALLEL) if not through_parallel:
                continue  # its threads allocate it
            case Loop(body=inner) | Let(body=inner) | Guard(body=inner):
                found += _allocated(inner, through_parallel=through_parallel)
            case Store() | Update():
                continue
    return found
