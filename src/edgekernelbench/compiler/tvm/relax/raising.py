"""A fused function of TVM as a compute layer: one block of its TIR becomes one stage.

What TVM's legalisation writes is regular: a root block, buffers, and a sequence of loop nests with one block
each, which defines every element of one buffer as an expression or a reduction. What is written otherwise
(loops that carry state, several stores in a block) is not raised, and the reason says what was found.
"""

from dataclasses import dataclass
from typing import Any

import tvm_ffi
from tvm import ir, s_tir, sym, tirx

from edgekernelbench.compiler.tvm.relax.expressions import NotRaisedError, Translator, type_of
from edgekernelbench.ir.compute import Compute, Param, Stage
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Over, Reduction

SUMS = {tirx.Add: "sum", tirx.Mul: "prod", tirx.Max: "max", tirx.Min: "min", tirx.And: "all", tirx.Or: "any"}


@dataclass(frozen=True, slots=True)
class Raised:
    """What a fused function computes; names are still those of TVM, made unique.

    Attributes:
        params: Its inputs, in order.
        compute: Its stages; outputs in order.
    """

    params: tuple[Param, ...]
    compute: Compute


def raise_function(func: Any) -> Raised:
    """Raise a function.

    Args:
        func: A `tirx.PrimFunc` with static shapes, its outputs after its inputs.

    Raises:
        NotRaisedError: With the reason, when the compute layer cannot say it.
    """
    reader = _Reader(func)
    stages = [stage for block in _blocks(func.body) for stage in reader.stages(block)]
    made = {stage.name for stage in stages}
    names = [reader.name(buffer) for buffer in _buffers(func)]
    outputs = tuple(name for name in names if name in made)
    if not outputs:
        raise NotRaisedError("it writes no output")
    params = tuple(
        Param(name, type_of(buffer.dtype), shape_of(buffer))
        for name, buffer in zip(names, _buffers(func), strict=True)
        if name not in made
    )
    return Raised(params, Compute(tuple(stages), outputs))


def shape_of(buffer: Any) -> tuple[int, ...]:
    """Give the shape of a buffer.

    Raises:
        NotRaisedError: When it is not known before running.
    """
    if not all(isinstance(size, tirx.IntImm) for size in buffer.shape):
        raise NotRaisedError(f"the shape {list(map(str, buffer.shape))}, which is not known before running")
    return tuple(int(size) for size in buffer.shape)


def _buffers(func: Any) -> list[Any]:
    return list(func.params)


def _blocks(body: Any) -> list[Any]:
    """List the blocks inside the root, each with its nest of loops checked."""
    root = body
    if not isinstance(root, s_tir.stmt.SBlockRealize):
        raise NotRaisedError(f"a body of kind {type(body).__name__} instead of a block")
    return [_realized(stmt) for stmt in _sequence(root.block.body)]


def _sequence(stmt: Any) -> list[Any]:
    return (
        [part for each in stmt.seq for part in _sequence(each)] if isinstance(stmt, tirx.SeqStmt) else [stmt]
    )


def _realized(stmt: Any) -> Any:
    loops = []
    while isinstance(stmt, tirx.For):
        if int(stmt.kind) != 0:
            raise NotRaisedError("a loop that is not serial")
        loops.append(stmt.loop_var)
        stmt = stmt.body
    if not isinstance(stmt, s_tir.stmt.SBlockRealize):
        raise NotRaisedError(f"a statement of kind {type(stmt).__name__} inside its loops")
    if not _is_true(stmt.predicate):
        raise NotRaisedError("a block that runs under a condition")
    for value in stmt.iter_values:
        if not (isinstance(value, tirx.IntImm) or any(value.same_as(loop) for loop in loops)):
            raise NotRaisedError("a block whose axes are not its loops")
    return stmt.block


def _is_true(node: Any) -> bool:
    return isinstance(node, tirx.IntImm) and bool(node.value)


class _Reader:
    """Reads the blocks of one function; gives each buffer a name."""

    def __init__(self, func: Any) -> None:
        self._names: dict[Any, str] = {}
        self._taken: set[str] = set()
        for buffer in _buffers(func):
            self.name(buffer)

    def name(self, buffer: Any) -> str:
        """Give the name of a buffer; the first time, one that no other has."""
        if buffer not in self._names:
            base = buffer.name.lower()
            name, number = base, 1
            while name in self._taken:
                number += 1
                name = f"{base}_{number}"
            self._names[buffer] = name
            self._taken.add(name)
        return self._names[buffer]

    def stages(self, block: Any) -> list[Stage]:
        """Read a block; several reductions over the same loops become several stages.

        Raises:
            NotRaisedError: When it does anything else than define a buffer.
        """
        analyzer = sym.Analyzer()
        axes = {}
        for number, iteration in enumerate(block.iter_vars):
            analyzer.bind(iteration.var, iteration.dom)
            axes[iteration.var] = f"{iteration.var.name.removeprefix('v_').lower()}_{number}"
        translator = Translator(self.name, axes, analyzer)
        bound = [part for part in _sequence(block.body) if isinstance(part, tirx.Bind)]
        stores = [part for part in _sequence(block.body) if not isinstance(part, tirx.Bind)]
        if not all(isinstance(store, tirx.BufferStore) for store in stores):
            kinds = ", ".join(sorted({type(store).__name__ for store in stores}))
            raise NotRaisedError(f"a block with {kinds} instead of stores")
        known = {part.var: part.value for part in bound}
        values = [known.get(store.value, store.value) for store in stores]
        pairs = [(store, value) for store, value in zip(stores, values, strict=True)]
        if len(stores) == 2 and all(isinstance(value, tirx.Select) for value in values):
            return self._place_and_value(block, pairs, axes, translator)
        return [self._stage(block, store, value, axes, translator) for store, value in pairs]

    def _place_and_value(
        self, block: Any, pairs: list[tuple[Any, Any]], axes: dict[Any, str], translator: Translator
    ) -> list[Stage]:
        """Read the pair that TVM makes for `argmax` and `argmin`: where the extreme is, and what it is."""
        (place_store, place), (value_store, value) = pairs
        over = [it for it in block.iter_vars if int(it.iter_type) == tirx.IterVar.CommReduce]
        word = {tirx.GT: "max", tirx.LT: "min"}.get(type(value.condition))
        alone = len(over) == 1 and place.false_value.same_as(over[0].var)
        if word is None or not alone or not _is_own(value.true_value, value_store):
            raise NotRaisedError("a reduction of two values at once that is no argmax")
        loops = _loops(over, axes)
        element = translator.value(value.false_value)
        stages = []
        for store, kind in ((place_store, f"arg{word}"), (value_store, word)):
            name, shape = self.name(store.buffer), shape_of(store.buffer)
            names = self._axes_of(block, store, axes)
            dtype = DType.I32 if kind.startswith("arg") else type_of(store.buffer.dtype)
            stages.append(Stage(name, names, dtype, shape, Reduction(kind, element, loops)))
        return stages

    def _axes_of(self, block: Any, store: Any, axes: dict[Any, str]) -> tuple[str, ...]:
        data = [it for it in block.iter_vars if int(it.iter_type) == tirx.IterVar.DataPar]
        places = self._places(store, data)
        for it in data:
            if not any(it is place for place in places):
                axes[it.var] = ""  # it has one step, and no place
        return tuple(axes[it.var] if it is not None else f"u_{d}" for d, it in enumerate(places))

    def _stage(
        self, block: Any, store: Any, stored: Any, axes: dict[Any, str], translator: Translator
    ) -> Stage:
        over = [it for it in block.iter_vars if int(it.iter_type) == tirx.IterVar.CommReduce]
        data = [it for it in block.iter_vars if int(it.iter_type) == tirx.IterVar.DataPar]
        if len(over) + len(data) != len(block.iter_vars):
            raise NotRaisedError("loops that must run in order")
        names = self._axes_of(block, store, axes)
        name = self.name(store.buffer)
        value = (
            translator.value(stored) if not over else self._reduction(store, stored, over, axes, translator)
        )
        shape = shape_of(store.buffer)
        return Stage(name, names, type_of(store.buffer.dtype), shape, value)

    def _places(self, store: Any, data: list[Any]) -> list[Any]:
        """Find the axis of each place of the stored element; None where it is always the first."""
        found: list[Any] = []
        for index, size in zip(store.indices, shape_of(store.buffer), strict=True):
            axis = next((it for it in data if index.same_as(it.var)), None)
            if axis is None and not (isinstance(index, tirx.IntImm) and int(index) == 0 and size == 1):
                raise NotRaisedError(f"a store at {index}, which is no axis")
            if axis is not None and (int(axis.dom.extent) != size or int(axis.dom.min) != 0):
                raise NotRaisedError("a block that stores a part of its buffer")
            found.append(axis)
        if any(int(it.dom.extent) != 1 and not any(it is place for place in found) for it in data):
            raise NotRaisedError("a block that stores an element more than once")
        return found

    def _reduction(
        self, store: Any, stored: Any, over: list[Any], axes: dict[Any, str], translator: Translator
    ) -> Reduction:
        kind = SUMS.get(type(stored))
        if kind is None:
            raise NotRaisedError(f"a reduction of kind {type(stored).__name__}")
        sides = [stored.a, stored.b]
        own = [side for side in sides if _is_own(side, store)]
        if len(own) != 1:
            raise NotRaisedError("a reduction that is no update of its own element")
        element = sides[1] if own[0] is sides[0] else sides[0]
        return Reduction(kind, translator.value(element), _loops(over, axes))


def _loops(over: list[Any], axes: dict[Any, str]) -> tuple[Over, ...]:
    return tuple(Over(axes[it.var], int(it.dom.min), int(it.dom.min) + int(it.dom.extent)) for it in over)


def _is_own(node: Any, store: Any) -> bool:
    return (
        isinstance(node, ir.TensorLoad)
        and node.source.same_as(store.buffer)
        and all(tvm_ffi.structural_equal(a, b) for a, b in zip(node.indices, store.indices, strict=True))
    )
