"""One launch of a nest as TIR: blocks, threads, memory of a block, barriers, reductions across threads."""

from dataclasses import dataclass, replace
from typing import Any, assert_never

import tvm
from tvm import tirx

from edgekernelbench.base.errors import CompileError, InternalError
from edgekernelbench.compiler.arrays import elements, is_packed
from edgekernelbench.compiler.gpu.across import find_crossing
from edgekernelbench.compiler.gpu.aliasing import reads_back
from edgekernelbench.compiler.gpu.barriers import Barriers, Pending, enter
from edgekernelbench.compiler.gpu.plain import plain, plain_buffer, plain_leaf
from edgekernelbench.compiler.gpu.plan import Launch
from edgekernelbench.compiler.rewrite import reads_of
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.gpu.ahead import write_ahead
from edgekernelbench.compiler.tvm.gpu.atomics import write_atomic, write_nibble
from edgekernelbench.compiler.tvm.gpu.copies import write_copy, write_fetch
from edgekernelbench.compiler.tvm.gpu.crossing import write_crossing
from edgekernelbench.compiler.tvm.gpu.dot import write_dot
from edgekernelbench.compiler.tvm.gpu.library import Library
from edgekernelbench.compiler.tvm.gpu.place import (
    Bound,
    Place,
    all_of,
    declare,
    device_name,
    fused_extent,
    share_block_memory,
    thread_index,
    tir_bytes,
)
from edgekernelbench.compiler.tvm.gpu.tensor import write_tensor
from edgekernelbench.compiler.tvm.gpu.tiles import Held, find_tiles, is_tiled, write_held
from edgekernelbench.compiler.tvm.scope import Scope
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.stores import write_store, write_update
from edgekernelbench.compiler.tvm.values import STORED, Value, constant, fresh_variable, number
from edgekernelbench.ir.expr import Expr
from edgekernelbench.nest.indices import span_of
from edgekernelbench.nest.marks import BLOCKS, THREADS
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Mark,
    Stmt,
    Store,
    Update,
    walk_stmts,
)

Node = Any


@dataclass(frozen=True, slots=True)
class Kernel:
    """What one launch became.

    Attributes:
        function: The TIR function.
        shared_bytes: Memory of a block.
        notes: What there is to say of it.
    """

    function: Any
    shared_bytes: int
    notes: tuple[str, ...] = ()


def write_launch(launch: Launch, library: Library) -> Kernel:
    """Write the device function of a launch.

    Args:
        launch: The launch.
        library: Writes calls of functions.

    Returns:
        The function; its parameters are the buffers of the launch, then its scalars.

    Raises:
        CompileError: When a barrier would stand where threads have parted ways.
    """
    return Writer(launch, library).kernel()


class Writer:
    """Writes one launch; what is public is for reductions across threads and for loops that fetch ahead."""

    def __init__(self, launch: Launch, library: Library) -> None:
        self._launch = launch
        self.library = library
        self.dims = dict(zip((*BLOCKS, *THREADS), (*launch.blocks, *launch.threads), strict=True))
        self._ids = {mark: thread_index(mark) for mark in self.dims}
        self.pending: Pending = frozenset()
        self._scratch: dict[tuple[str, int], Node] = {}
        self.fetching = False
        self.unfetched = False
        self.notes: list[str] = []
        self.tiles: dict[str, Held] = {}
        self.accumulators: set[str] = set()
        self.last: Node = None
        self.member: Node = None
        self.at: Node = None
        self._slots, self._allocated = share_block_memory(launch.body)
        memory = {b.name: b.name for b in launch.buffers} | {
            name: f"slot {number}" for name, (number, _) in self._slots.items()
        }
        self.barriers = Barriers(memory)

    def kernel(self) -> Kernel:
        """Write the device function."""
        place = Place(Scope({}, {}, {}, library=self.library.function), {}, {})
        params: list[Node] = []
        views: list[Node] = []
        for buffer in self._launch.buffers:
            kind = STORED[plain_buffer(buffer).dtype]
            param = tirx.Var(device_name(buffer.name), tvm.ir.PointerType(tvm.ir.PrimType(kind), "global"))
            tir = tirx.decl_buffer((elements(buffer),), kind, device_name(buffer.name))
            params.append(param)
            views.append(tirx.DeclBuffer(tir, data=param))
            place = place.with_buffer(buffer, tir)
        for scalar in self._launch.scalars:
            variable = Value(tirx.Var(device_name(scalar), "int32"), "int32")
            params.append(variable.node)
            place = place.with_variable(scalar, variable, None)
        body = self.block(self._launch.body, place)
        shared = [*self._allocated, *self._scratch.values()]
        node = sequence([*views, *(tirx.AllocBuffer(tir) for tir in shared), *body])
        for tag, size in reversed(list(zip(self._launch.tags(), self._launch.given_dims(), strict=True))):
            node = tirx.AttrStmt(self._ids[Mark(tag)], "thread_extent", number(size), node)
        function = tirx.PrimFunc(params, node).with_attr(
            {
                "global_symbol": self._launch.name,
                "tirx.noalias": not reads_back(self._launch),
                "calling_conv": 2,
                "tirx.is_global_func": True,
                "tirx.kernel_launch_params": list(self._launch.tags()),
            }
        )
        return Kernel(function, sum(tir_bytes(tir) for tir in shared), tuple(self.notes))

    def block(self, body: tuple[Stmt, ...], place: Place) -> list[Node]:
        """Write statements, with the barriers between them."""
        nodes: list[Node] = []
        for stmt in body:
            if self.barriers.needed(stmt, place.mapped, self.pending) and not self._begins_together(stmt):
                nodes.append(self.barrier(place))
            nodes += self._statement(stmt, place)
        return nodes

    def _begins_together(self, stmt: Stmt) -> bool:
        return isinstance(stmt, Loop) and stmt.mark is Mark.AHEAD and self.barriers.begins_together(stmt)

    def barrier(self, place: Place) -> Node:
        """Write a barrier that is needed here.

        Raises:
            CompileError: When threads of a block may have parted ways.
        """
        if place.divergent or place.active:
            raise CompileError(
                f"a barrier in {self._launch.name} would stand behind a condition that not all threads of a "
                "block share; move what depends on it out of the condition"
            )
        self.pending = frozenset()
        return self.sync()

    def called(self, name: str) -> list[Node]:
        """Write a call of a function without arguments."""
        return [tirx.Evaluate(tirx.call_extern("int32", name))]

    def sync(self) -> Node:
        """Write a barrier."""
        return tirx.Evaluate(tirx.call_pure_extern("int32", "ekb_barrier"))

    def _statement(self, stmt: Stmt, place: Place) -> list[Node]:
        match stmt:
            case Loop():
                return self._loop(stmt, place)
            case Let():
                return self._let(stmt, place)
            case Guard():
                return self._guard(stmt, place)
            case Allocate(buffers=buffers, body=body):
                nodes: list[Node] = []
                for buffer in buffers:
                    if buffer.name in self._slots:
                        place = place.with_buffer(buffer, self._slots[buffer.name][1])
                    else:
                        tir = declare(buffer, "local")
                        nodes.append(tirx.AllocBuffer(tir))
                        place = place.with_buffer(buffer, tir)
                return [*nodes, *self.block(body, place)]
            case Store() | Update():
                return self._leaf(stmt, place)
            case _:
                assert_never(stmt)

    def _note(self, stmt: Stmt, place: Place) -> None:
        self.pending = self.barriers.noted(stmt, place.mapped, self.pending)

    def _let(self, stmt: Let, place: Place) -> list[Node]:
        self._note(stmt, place)
        value = Expressions(place.scope).value(plain(stmt.value))
        variable = fresh_variable(device_name(stmt.var), value)
        low, high = span_of(stmt.value, place.scope.ranges)
        span = None if low is None or high is None else (low, high)
        inside = place.with_variable(stmt.var, variable, span)
        return [tirx.Bind(variable.node, value.node), *self.block(stmt.body, inside)]

    def _guard(self, stmt: Guard, place: Place) -> list[Node]:
        self._note(stmt, place)
        test = self.test(stmt.condition, place)
        apart = bool(set(place.bound) & set(THREADS)) or bool(reads_of(stmt.condition))
        inside = replace(place, divergent=place.divergent or apart)
        return [tirx.IfThenElse(test, sequence(self.block(stmt.body, inside)), None)]

    def test(self, condition: Expr, place: Place) -> Node:
        """Write a condition."""
        return Expressions(place.scope).value(plain(condition)).node

    def _loop(self, loop: Loop, place: Place) -> list[Node]:
        if loop.mark in self.dims:
            return self._bound_loop(loop, place)
        if loop.mark is Mark.TENSOR:
            return (write_dot if loop.instruction == "dot4" else write_tensor)(self, loop, place)
        if loop.extent == 1:
            inside = place.with_variable(loop.var, constant(0, "int32"), (0, 0))
            return self.block(loop.body, inside)
        copied = write_copy(self, loop, place) if loop.mark is Mark.VECTOR else None
        if copied is not None:
            return copied
        tiles = find_tiles(loop)
        if tiles is not None and tiles.update.buffer not in self.tiles:
            held = write_held(self, loop, tiles, place)
            if held is not None:
                return held
        return self.serial(loop, place)

    def serial(self, loop: Loop, place: Place) -> list[Node]:
        """Write a loop that every thread runs."""
        if loop.mark is Mark.AHEAD:
            return write_ahead(self, loop, place)
        self.pending = self.barriers.entry(loop, place.mapped, self.pending)
        whole = loop.mark in (Mark.UNROLL, Mark.VECTOR, Mark.VTHREAD) or is_tiled(loop, self.tiles)
        kind = tirx.ForKind.UNROLLED if whole else tirx.ForKind.SERIAL
        variable = Value(tirx.Var(device_name(loop.var), "int32"), "int32")
        inside = place.with_variable(loop.var, variable, (0, loop.extent - 1))
        body = sequence(self.block(loop.body, inside))
        return [tirx.For(variable.node, number(0), number(loop.extent), kind, body)]

    def _bound_loop(self, loop: Loop, place: Place) -> list[Node]:
        crossing = find_crossing(loop)
        if crossing is None or {u.buffer for u in crossing.updates} <= self.accumulators:
            return self.inside(loop, place)
        if place.divergent or place.active:
            self.barrier(place)
        return write_crossing(self, crossing, place)

    def inside(self, loop: Loop, place: Place) -> list[Node]:
        """Write a loop whose iterations are blocks or threads."""
        inside = self.entered(loop, place)
        innermost = not any(isinstance(s, Loop) and s.mark in self.dims for s in walk_stmts(loop.body))
        conditions = self.taking_part(inside) if innermost and loop.mark in THREADS else []
        if conditions and not inside.active:
            body = sequence(self.block(loop.body, replace(inside, active=True)))
            return [tirx.IfThenElse(all_of(conditions), body, None)]
        return self.block(loop.body, inside)

    def entered(self, loop: Loop, place: Place) -> Place:
        """Give what holds inside a loop over blocks or threads."""
        later = fused_extent(loop)
        parent = place.bound.get(loop.mark)
        if parent is not None and loop.fused is not None and parent.fused == loop.fused:
            total, position = parent.total, parent.rest
        else:
            total, position = loop.extent * later, self._ids[loop.mark].var
            if self.dims[loop.mark] == 1:
                position = number(0)
            elif total < self.dims[loop.mark]:
                # Threads that do not take part must not read outside a buffer either.
                position = tirx.Min(position, number(total - 1))
        value = position if later == 1 else tirx.truncdiv(position, number(later))
        rest = number(0) if later == 1 else tirx.truncmod(position, number(later))
        bound = {**place.bound, loop.mark: Bound(total, loop.fused, rest)}
        mapped = enter(loop, place.mapped) if loop.mark in THREADS else place.mapped
        inside = replace(place, bound=bound, mapped=mapped, active=False)
        return inside.with_variable(loop.var, Value(value, "int32"), (0, loop.extent - 1))

    def taking_part(self, place: Place) -> list[Node]:
        """List the conditions under which a thread has work here at all."""
        return [
            tirx.LT(self._ids[mark].var, number(bound.total))
            for mark, bound in place.bound.items()
            if bound.total < self.dims[mark]
        ]

    def _leaf(self, leaf: Store | Update, place: Place) -> list[Node]:
        fetched = write_fetch(self, leaf, place) if self.fetching else None
        self.unfetched |= self.fetching and fetched is None
        return [self.instead(leaf, fetched or self.written(leaf, place), place)]

    def only_one(self, place: Place, dealt: frozenset[Mark] = frozenset()) -> list[Node]:
        """Let one thread write along axes that no loop deals out."""
        return [
            tirx.EQ(self._ids[mark].var, number(0))
            for mark in THREADS
            if mark not in place.bound and mark not in dealt and self.dims[mark] > 1
        ]

    def instead(
        self, leaf: Store | Update, nodes: list[Node], place: Place, *, together: bool = False
    ) -> Node:
        """Let the threads that take part do what a statement does.

        Args:
            leaf: The statement.
            nodes: What does it.
            place: Where it stands.
            together: Whether all threads of a warp do it together.
        """
        self.pending = self.barriers.noted(leaf, place.mapped, self.pending)
        conditions: list[Node] = []
        if self.is_shared(leaf.buffer):  # memory of a thread's own can be written by all
            dealt = frozenset({Mark.THREAD_X} if together else ())
            conditions = [*([] if place.active else self.taking_part(place)), *self.only_one(place, dealt)]
        body = sequence(nodes)
        return tirx.IfThenElse(all_of(conditions), body, None) if conditions else body

    def space(self, name: str) -> str:
        """Name the memory of a buffer."""
        return "shared" if name in self._slots else "global" if self.is_shared(name) else "local"

    def written(self, leaf: Store | Update, place: Place) -> list[Node]:
        """Write a store or an update, whoever it is for."""
        if isinstance(leaf, Update) and leaf.atomic:
            return [write_atomic(self, leaf, place)]
        nodes: list[Node] = []
        for stmt in plain_leaf(leaf, place.buffers):
            nodes += self._plain(stmt, place)
        return nodes

    def _plain(self, stmt: Stmt, place: Place) -> list[Node]:
        match stmt:
            case Store() if is_packed(place.buffers[stmt.buffer].dtype):
                return [write_nibble(self, stmt, place)]
            case Store():
                return write_store(stmt, place.scope, None)
            case Update():
                return write_update(stmt, place.scope, None)
            case Guard(condition=condition, body=body):
                test = Expressions(place.scope).value(condition)
                inside = [node for one in body for node in self._plain(one, place)]
                return [tirx.IfThenElse(test.node, sequence(inside), None)]
            case Allocate(buffers=buffers, body=body):
                nodes = []
                for buffer in buffers:
                    tir = declare(buffer, "local")
                    nodes.append(tirx.AllocBuffer(tir))
                    place = place.with_buffer(buffer, tir)
                return [*nodes, *(node for one in body for node in self._plain(one, place))]
            case Loop() | Let():
                raise InternalError(f"expected a plain statement, found {type(stmt).__name__}")
            case _:
                assert_never(stmt)

    def allocate(self, buffer: Buffer) -> Node:
        """Allocate memory of a thread; `last` is its TIR buffer."""
        self.last = declare(buffer, "local")
        return tirx.AllocBuffer(self.last)

    def scratch(self, buffer: Buffer) -> Node:
        """Find memory of the block where threads meet, used by one reduction after another."""
        key = (buffer.name, elements(buffer))
        if key not in self._scratch:
            self._scratch[key] = declare(buffer, "shared")
        return self._scratch[key]

    def crossed(self, loop: Loop, place: Place) -> None:
        """Note that a reduction across threads is over."""
        self.pending = self.barriers.crossed(loop, place.mapped)

    def thread(self, mark: Mark) -> Node:
        """Give the number of a thread along an axis."""
        return self._ids[mark].var

    def is_shared(self, name: str) -> bool:
        """Whether more than one thread sees a buffer."""
        return name in self.barriers.shared

    def name(self, name: str) -> str:
        """Give a name that no word of a dialect hides."""
        return device_name(name)
