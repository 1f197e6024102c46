"""What a nest costs, read off its loops without running it."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import prod
from typing import assert_never

from edgekernelbench.compiler.arena import Arena, plan_arena
from edgekernelbench.compiler.arrays import stored_bytes
from edgekernelbench.compiler.interface import Cost
from edgekernelbench.compiler.rewrite import touched
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Power,
    Read,
    Select,
    Unary,
)
from edgekernelbench.ir.walk import children
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Mark,
    Nest,
    Stmt,
    Store,
    Update,
    walk_stmts,
    workspace,
)
from edgekernelbench.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class Count:
    """What statements do in one run; guards are taken to hold.

    Attributes:
        flops: Operations on floats, each function of the language one; a fused multiply and add is two.
        integer_ops: Operations on integers and truth values, index arithmetic left out.
        vector_ops: Those of both kinds that stand in vector loops.
        loaded_bytes: Bytes that reads ask for, of whatever memory.
        stored_bytes: Bytes that stores and updates write.
    """

    flops: int = 0
    integer_ops: int = 0
    vector_ops: int = 0
    loaded_bytes: int = 0
    stored_bytes: int = 0

    def plus(self, other: "Count") -> "Count":
        """Add."""
        return Count(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Count)))

    def times(self, number: int) -> "Count":
        """Repeat."""
        return Count(*(getattr(self, f.name) * number for f in fields(Count)))


@dataclass(frozen=True, slots=True)
class Report:
    """The static cost of a nest on a device.

    Attributes:
        count: What one run does.
        input_bytes: Size of the parameters and prepared buffers that the run reads, each once.
        output_bytes: Size of the outputs.
        workspace: Peak workspace by scope, bytes that share memory counted once.
        prepared_bytes: Size of what is made ahead of time.
        vector_lanes: The widest vector loop, in iterations; 1 when there is none.
        parallel_extent: The most iterations that one parallel loop shares out; 1 when there is none.
    """

    count: Count
    input_bytes: int
    output_bytes: int
    workspace: dict[str, int]
    prepared_bytes: int
    vector_lanes: int
    parallel_extent: int

    @property
    def intensity(self) -> float:
        """Operations for each byte that has to come from or go to memory."""
        moved = self.input_bytes + self.output_bytes
        return (self.count.flops + self.count.integer_ops) / max(1, moved)

    @property
    def vector_share(self) -> float:
        """Which part of the operations stands in vector loops, from 0 to 1."""
        return self.count.vector_ops / max(1, self.count.flops + self.count.integer_ops)


def report_nest(nest: Nest, profile: Profile) -> Report:
    """Read the cost of a nest off its loops.

    Args:
        nest: The nest.
        profile: The device: its threads and stack limit decide the workspace.

    Returns:
        The report.
    """
    known = {b.name: b for b in (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)}
    known |= {b.name: b for b in workspace(nest)}
    names = {name for stmt in walk_stmts(nest.body) for name in touched(stmt)}
    inputs = [b for b in (*nest.params, *nest.prepared) if b.name in names]
    loops = [s for s in walk_stmts(nest.body) if isinstance(s, Loop)]
    threads = profile.threads if nest.target == "llvm" else 1
    return Report(
        count=_Counter(known).block(nest.body, in_vector=False),
        input_bytes=_total(inputs),
        output_bytes=_total(nest.outputs),
        workspace=_workspace(plan_arena(nest.body, profile.stack_bytes), threads),
        prepared_bytes=_total(nest.prepared),
        vector_lanes=max((s.extent for s in loops if s.mark is Mark.VECTOR), default=1),
        parallel_extent=max((_shared_out(s) for s in loops if s.mark is Mark.PARALLEL), default=1),
    )


def stored_cost(
    nest: Nest, arena: Arena, threads: int, *, code_bytes: int | None, notes: tuple[str, ...] = ()
) -> Cost:
    """Say what an artifact for a CPU stores.

    Args:
        nest: What was compiled.
        arena: The plan of its workspace.
        threads: How many threads have an area of their own.
        code_bytes: Size of the machine code.
        notes: What else there is to say.

    Returns:
        The cost; `local` is what one thread has on its stack, `prepared` what is made ahead of time.
    """
    prepared = _total(nest.prepared)
    scopes = _workspace(arena, threads) | ({"prepared": prepared} if prepared else {})
    return Cost(code_bytes, scopes, notes)


def _workspace(arena: Arena, threads: int) -> dict[str, int]:
    return {"global": arena.total(threads), "local": arena.stack_bytes}


def _total(buffers: Iterable[Buffer]) -> int:
    return sum(stored_bytes(b) for b in buffers)


def _shared_out(loop: Loop) -> int:
    """Count the iterations of the loops of one `parallel` from this one inwards."""
    extents = [loop.extent]
    inner = loop
    while len(inner.body) == 1 and isinstance(inner.body[0], Loop) and inner.body[0].fused == loop.fused:
        inner = inner.body[0]
        if inner.mark is not Mark.PARALLEL or loop.fused is None:
            break
        extents.append(inner.extent)
    return prod(extents)


@dataclass(frozen=True, slots=True)
class _Counter:
    buffers: dict[str, Buffer]

    def block(self, body: tuple[Stmt, ...], *, in_vector: bool) -> Count:
        total = Count()
        for stmt in body:
            total = total.plus(self._statement(stmt, in_vector=in_vector))
        return total

    def _statement(self, stmt: Stmt, *, in_vector: bool) -> Count:
        match stmt:
            case Loop(extent=extent, body=body, mark=mark):
                return self.block(body, in_vector=in_vector or mark is Mark.VECTOR).times(extent)
            case Let(body=body) | Allocate(body=body):
                return self.block(body, in_vector=in_vector)
            case Guard(condition=condition, body=body):
                test = self._expression(condition, in_vector=in_vector)
                return test.plus(self.block(body, in_vector=in_vector))
            case Store(buffer=buffer, value=value):
                return self._expression(value, in_vector=in_vector).plus(self._written(buffer))
            case Update(buffer=buffer, value=value):
                is_float = self.buffers[buffer].dtype.is_float
                step = _one(is_float=is_float, in_vector=in_vector)
                held = Count(loaded_bytes=self._bytes(buffer)).plus(self._written(buffer))
                return self._expression(value, in_vector=in_vector).plus(step).plus(held)
            case _:
                assert_never(stmt)

    def _written(self, buffer: str) -> Count:
        return Count(stored_bytes=self._bytes(buffer))

    def _bytes(self, buffer: str) -> int:
        return max(1, self.buffers[buffer].dtype.bits // 8)

    def _expression(self, node: Expr, *, in_vector: bool) -> Count:
        match node:
            case Literal() | Axis():
                return Count()
            case Read(tensor=tensor):
                return Count(loaded_bytes=self._bytes(tensor))
            case Binary() | Unary() | Compare() | Logic() | Call() | Select() | Power() | Cast():
                total = Count()
                for part in children(node):
                    total = total.plus(self._expression(part, in_vector=in_vector))
                if _is_free(node):
                    return total
                kinds = {node.dtype, *(part.dtype for part in children(node))}
                is_float = any(kind is not None and kind.is_float for kind in kinds)
                return total.plus(_one(is_float=is_float, in_vector=in_vector).times(_steps(node)))
            case _:
                assert_never(node)


def _is_free(node: Expr) -> bool:
    """Whether a node is no operation on values: a widening, or arithmetic on positions alone."""
    if isinstance(node, Cast) and node.implicit:
        return True
    return all(_is_position(part) for part in children(node))


def _is_position(node: Expr) -> bool:
    match node:
        case Literal() | Axis():
            return True
        case Binary() | Unary() | Compare() | Logic():
            return all(_is_position(part) for part in children(node))
        case _:
            return False


def _steps(node: Expr) -> int:
    match node:
        case Power(exponent=exponent):
            return exponent - 1
        case Compare(ops=ops):
            return len(ops)
        case Logic(operands=operands):
            return len(operands) - 1
        case Call(function="min" | "max", args=args):
            return len(args) - 1
        case _:
            return 1


def _one(*, is_float: bool, in_vector: bool) -> Count:
    return Count(flops=int(is_float), integer_ops=int(not is_float), vector_ops=int(in_vector))
