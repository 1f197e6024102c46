"""Run a loop nest serially, with every access checked: the second opinion on a nest at tiny sizes.

Marks are ignored, or, to find races, marked loops run backwards. Elements that were never written hold
`None`, so that reading one is an error and not a number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Value, combiner, storage_type
from edgekernelbench.interp.closures import Closure, Environment, Scope, build_closure, typed
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Mark,
    Nest,
    Role,
    Stmt,
    Store,
    Update,
)

Run = Callable[[Environment], None]
Offset = Callable[[Environment], int]


@dataclass(slots=True)
class _Memory:
    """One buffer while a nest runs: its elements in row-major order, `None` where never written."""

    buffer: Buffer
    items: list[Value] = field(default_factory=list)

    def poison(self) -> None:
        """Forget everything."""
        self.items = [None] * int(np.prod(self.buffer.shape))


def run_nest(
    nest: Nest, params: Sequence[NDArray[Any]], *, backwards: bool = False
) -> tuple[NDArray[Any], ...]:
    """Run a nest, `prepare` first.

    Args:
        nest: The nest.
        params: One array a parameter, row-major; `i4` and `u4` with one element a byte.
        backwards: Whether to run every marked loop from its last iteration to its first, which a right
            mark allows.

    Returns:
        The outputs in the shapes of their buffers, so `(1,)` for a scalar.

    Raises:
        InternalError: When the nest is wrong: an access outside a buffer, a read of what was never
            written, a name out of scope, a type that does not fit.
    """
    known = {b.name: _Memory(b) for b in (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)}
    for buffer, array in zip(nest.params, params, strict=True):
        known[buffer.name].items = _elements(buffer, array)
    for buffer in nest.tables:
        held = np.array(buffer.values).astype(storage_type(buffer.dtype))
        known[buffer.name].items = _elements(buffer, held)
    for buffer in (*nest.outputs, *nest.prepared):
        known[buffer.name].poison()
    with np.errstate(all="ignore"):
        for body, written in ((nest.prepare, Role.PREPARED), (nest.body, Role.OUTPUT)):
            builder = _Builder(written, backwards=backwards)
            run = builder.block(body, _Place(known, {}))
            run([0] * builder.slots)
    return tuple(_array(known[b.name]) for b in nest.outputs)


def _elements(buffer: Buffer, array: NDArray[Any]) -> list[Value]:
    expected = storage_type(buffer.dtype)
    if array.size != np.prod(buffer.shape) or array.dtype != expected:
        found = f"{array.dtype}{list(array.shape)}"
        raise InternalError(f"expected {buffer.name} as {expected}{list(buffer.shape)}, found {found}")
    flat = array.reshape(-1)
    return list(flat) if buffer.dtype.is_float else flat.tolist()


def _array(memory: _Memory) -> NDArray[Any]:
    buffer = memory.buffer
    missing = [i for i, value in enumerate(memory.items) if value is None]
    if missing:
        where = np.unravel_index(missing[0], buffer.shape)
        raise InternalError(
            f"expected every element of output {buffer.name} written, found {len(missing)} that are not, "
            f"the first at {[int(i) for i in where]}"
        )
    return np.array(memory.items, dtype=storage_type(buffer.dtype)).reshape(buffer.shape)


@dataclass(frozen=True, slots=True)
class _Place:
    """What is in scope: buffers by name, and the slot of each loop variable, outermost first."""

    buffers: dict[str, _Memory]
    slots: dict[str, int]

    def memory(self, name: str) -> _Memory:
        if name not in self.buffers:
            raise InternalError(f"expected a buffer in scope, found {name!r}; in scope: {list(self.buffers)}")
        return self.buffers[name]

    def loops(self, env: Environment) -> str:
        return ", ".join(f"{name}={env[slot]}" for name, slot in self.slots.items()) or "no loop"


class _Builder:
    """Turns statements into closures; `slots` is how long the environment must be."""

    def __init__(self, written: Role, *, backwards: bool) -> None:
        self._written = written
        self._backwards = backwards
        self.slots = 0

    def block(self, body: tuple[Stmt, ...], place: _Place) -> Run:
        runs = tuple(self._statement(stmt, place) for stmt in body)
        if len(runs) == 1:
            return runs[0]

        def run(env: Environment) -> None:
            for one in runs:
                one(env)

        return run

    def _statement(self, stmt: Stmt, place: _Place) -> Run:
        match stmt:
            case Loop():
                return self._loop(stmt, place)
            case Let(var=var, value=value, body=body):
                _expect_type(f"let {var}", DType.I32, value)
                start, slot = self._expression(value, place), self._slot(var, place)
                inner = self.block(body, _with_variable(place, var, slot))

                def run_let(env: Environment) -> None:
                    env[slot] = start(env)
                    inner(env)

                return run_let
            case Guard(condition=condition, body=body):
                _expect_type("a guard", DType.BOOL, condition)
                test, guarded = self._expression(condition, place), self.block(body, place)

                def run_guard(env: Environment) -> None:
                    if test(env):
                        guarded(env)

                return run_guard
            case Allocate(buffers=buffers, body=body):
                return self._allocate(buffers, body, place)
            case Store():
                return self._store(stmt, place)
            case Update():
                return self._arg_update(stmt, place) if stmt.best else self._update(stmt, place)
            case _:
                assert_never(stmt)

    def _slot(self, var: str, place: _Place) -> int:
        if var in place.slots:
            raise InternalError(f"expected {var!r} once on a path, found it inside itself")
        slot = len(place.slots)
        self.slots = max(self.slots, slot + 1)
        return slot

    def _loop(self, loop: Loop, place: _Place) -> Run:
        slot = self._slot(loop.var, place)
        inner = self.block(loop.body, _with_variable(place, loop.var, slot))
        steps = range(loop.extent)
        if self._backwards and loop.mark not in (Mark.SERIAL, Mark.UNROLL, Mark.AHEAD):
            steps = steps[::-1]

        def run(env: Environment) -> None:
            for step in steps:
                env[slot] = step
                inner(env)

        return run

    def _allocate(self, buffers: tuple[Buffer, ...], body: tuple[Stmt, ...], place: _Place) -> Run:
        fresh = {b.name: _Memory(b) for b in buffers}
        double = fresh.keys() & place.buffers.keys()
        if double:
            raise InternalError(f"expected a new buffer, found {sorted(double)} in scope already")
        inner = self.block(body, _Place({**place.buffers, **fresh}, place.slots))

        def run(env: Environment) -> None:
            for memory in fresh.values():
                memory.poison()
            inner(env)

        return run

    def _expression(self, node: Expr, place: _Place) -> Closure:
        def read(node: Read, indices: tuple[Closure, ...]) -> Closure:
            memory = place.memory(node.tensor)
            _expect_type(f"a read of {node.tensor}", memory.buffer.dtype, node)
            return _load(memory, _offset(memory.buffer, indices, place), place)

        return build_closure(node, Scope(place.slots, read, "declared"))

    def _target(self, name: str, indices: tuple[Expr, ...], place: _Place) -> tuple[_Memory, Offset]:
        memory = place.memory(name)
        if memory.buffer.role not in (self._written, Role.WORK):
            raise InternalError(f"expected no write to {name}, a {memory.buffer.role} buffer, found one")
        parts = tuple(self._expression(index, place) for index in indices)
        return memory, _offset(memory.buffer, parts, place)

    def _store(self, store: Store, place: _Place) -> Run:
        memory, offset = self._target(store.buffer, store.indices, place)
        _expect_type(f"a store to {store.buffer}", memory.buffer.dtype, store.value)
        value = self._expression(store.value, place)

        def run(env: Environment) -> None:
            memory.items[offset(env)] = value(env)

        return run

    def _update(self, update: Update, place: _Place) -> Run:
        memory, offset = self._target(update.buffer, update.indices, place)
        _expect_type(f"an update of {update.buffer}", memory.buffer.dtype, update.value)
        value = self._expression(update.value, place)
        combine = combiner(update.kind, memory.buffer.dtype)

        def run(env: Environment) -> None:
            where, following = offset(env), value(env)
            before = memory.items[where]
            if before is None:
                raise _unwritten(memory, where, place, env)
            memory.items[where] = combine(before, following)

        return run

    def _arg_update(self, update: Update, place: _Place) -> Run:
        places, offset = self._target(update.buffer, update.indices, place)
        best, best_offset = self._target(update.best, update.indices, place)
        if update.position is None or places.buffer.dtype is not DType.I32:
            raise InternalError(f"expected a position and i32 places for {update.kind} of {update.buffer}")
        _expect_type(f"an update of {update.best}", best.buffer.dtype, update.value)
        value, position = self._expression(update.value, place), self._expression(update.position, place)
        highest = update.kind == "argmax"

        def run(env: Environment) -> None:
            number = position(env)
            if number < 0:
                return
            where, best_where, following = offset(env), best_offset(env), value(env)
            before, held = places.items[where], best.items[best_where]
            if before is None or (held is None and before >= 0):
                raise _unwritten(places if before is None else best, where, place, env)
            beats = before < 0 or (following > held if highest else following < held)
            if beats or (following == held and number < before):
                places.items[where], best.items[best_where] = number, following

        return run


def _with_variable(place: _Place, var: str, slot: int) -> _Place:
    return _Place(place.buffers, {**place.slots, var: slot})


def _expect_type(what: str, dtype: DType, node: Expr) -> None:
    if typed(node) is not dtype:
        raise InternalError(f"expected {dtype} in {what}, found {node.dtype}: {node!r}")


def _offset(buffer: Buffer, indices: tuple[Closure, ...], place: _Place) -> Offset:
    if len(indices) != len(buffer.shape):
        raise InternalError(f"expected {len(buffer.shape)} indices of {buffer.name}, found {len(indices)}")
    parts = tuple(zip(indices, buffer.shape, strict=True))

    def offset(env: Environment) -> int:
        where = 0
        for index, size in parts:
            position = index(env)
            if not 0 <= position < size:
                found = [part(env) for part in indices]
                whole = f"{buffer.name}{list(buffer.shape)}"
                raise InternalError(f"expected an index inside {whole}, found {found} at {place.loops(env)}")
            where = where * size + position
        return where

    return offset


def _load(memory: _Memory, offset: Offset, place: _Place) -> Closure:
    def load(env: Environment) -> Value:
        where = offset(env)
        value = memory.items[where]
        if value is None:
            raise _unwritten(memory, where, place, env)
        return value

    return load


def _unwritten(memory: _Memory, where: int, place: _Place, env: Environment) -> InternalError:
    found = [int(i) for i in np.unravel_index(where, memory.buffer.shape)]
    name = memory.buffer.name
    return InternalError(f"expected {name}{found} to be written before it is read, at {place.loops(env)}")
