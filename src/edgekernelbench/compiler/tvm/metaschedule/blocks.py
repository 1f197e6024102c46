"""One stage as a block that TVM can schedule: spatial and reduction axes, an update, a beginning."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import s_tir, tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import stored_shape
from edgekernelbench.compiler.tvm.arithmetic import binary, load_rounded, round_stored
from edgekernelbench.compiler.tvm.metaschedule.expressions import BlockExpressions, opaque_function
from edgekernelbench.compiler.tvm.scope import Scope, Stored
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.values import STORED, Node, Value, conjunction, constant, number, select
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Literal, Select
from edgekernelbench.nest.indices import conjunction as joined
from edgekernelbench.nest.reductions import identity
from edgekernelbench.nest.tree import Buffer, Role
from edgekernelbench.nest.work import BEST, Reducing, WorkStage

_ROUNDED = (DType.F16, DType.BF16)
_DETECT = {"tirx.script_parsing_detect_access": 3}
"""Asks TVM to find out itself what a block reads and writes."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One axis of a block.

    Attributes:
        variable: The variable inside the block.
        loop: The variable of the loop round it.
        extent: Number of positions.
        reduces: Whether it is reduced over.
    """

    variable: Any
    loop: Any
    extent: int
    reduces: bool


def declare(buffer: Buffer) -> Stored:
    """Make the TIR buffer of a buffer, with its dimensions, elements as they are stored."""
    name = buffer.name.replace(".", "_")
    return Stored(buffer, tirx.decl_buffer(stored_shape(buffer), STORED[buffer.dtype], name, layout=None))


def work_buffers(stage: WorkStage) -> tuple[Buffer, ...]:
    """List what a stage stores: its elements, and beside places the values that are found there."""
    shape = stage.shape or (1,)
    own = Buffer(stage.name, stage.dtype, shape, Role.WORK)
    if not stage.is_arg:
        return (own,)
    best = stage.reduction.element.dtype
    if best is None:
        raise InternalError(f"expected a typed element, found none in {stage.name}")
    return own, Buffer(stage.name + BEST, best, shape, Role.WORK)


def write_block(stage: WorkStage, buffers: Mapping[str, Stored]) -> Node:
    """Write a stage as loops round one block.

    Args:
        stage: The stage, outside every group.
        buffers: TIR buffers of all that it reads and writes, by name.

    Returns:
        The statement.
    """
    spatial = [_iteration(name, size, reduces=False) for name, size in stage.size_of.items()]
    spatial = spatial or [_iteration(f"{stage.name}_unit", 1, reduces=False)]
    places = [Value(i.variable, "int32") for i in spatial]
    variables = dict(zip(stage.axes, places, strict=False))
    ranges = {name: (0, size - 1) for name, size in stage.size_of.items()}
    reduced = []
    if stage.reducing is not None:
        for axis in stage.reducing.axes:
            one = _iteration(axis.name, axis.size, reduces=True)
            reduced.append(one)
            shifted = one.variable + axis.start if axis.start else one.variable
            variables[axis.name] = Value(shifted, "int32")
            ranges[axis.name] = (axis.start, axis.start + axis.size - 1)
    expressions = BlockExpressions(Scope(buffers, variables, ranges, library=opaque_function))
    if stage.reducing is None:
        body, init = _store(stage, expressions, places), None
    else:
        body, init = _update(stage, stage.reducing, expressions, places)
    return _loops(stage.name, [*spatial, *reduced], body, init)


def _iteration(name: str, extent: int, *, reduces: bool) -> Iteration:
    return Iteration(tirx.Var(f"v_{name}", "int32"), tirx.Var(name, "int32"), extent, reduces)


def _loops(name: str, axes: list[Iteration], body: Node, init: Node | None) -> Node:
    kinds = {False: tirx.IterVar.DataPar, True: tirx.IterVar.CommReduce}
    iters = [
        tirx.IterVar(tvm.ir.Range(number(0), number(a.extent)), a.variable, kinds[a.reduces]) for a in axes
    ]
    notes = {key: tirx.IntImm("int32", value) for key, value in _DETECT.items()}
    block = s_tir.SBlock(iters, [], [], name.replace(".", "_"), body, init=init, annotations=notes)
    node: Node = s_tir.SBlockRealize([a.loop for a in axes], True, block)  # noqa: FBT003
    for axis in reversed(axes):
        node = tirx.For(axis.loop, number(0), number(axis.extent), tirx.ForKind.SERIAL, node)
    return node


def _store(stage: WorkStage, expressions: BlockExpressions, places: list[Value]) -> Node:
    stored = expressions.scope.buffers[stage.name]
    return _write(stored, _stored_form(stage.dtype, expressions.value(stage.element)), places)


def _update(
    stage: WorkStage, reducing: Reducing, expressions: BlockExpressions, places: list[Value]
) -> tuple[Node, Node]:
    stored = expressions.scope.buffers[stage.name]
    element = _guarded(reducing, expressions)
    if reducing.is_arg:
        return _place_update(stage, reducing, expressions, places)
    nothing = _stored_form(stage.dtype, expressions.value(identity(reducing.kind, stage.dtype)))
    old = Value(tirx.BufferLoad(stored.tir, [p.node for p in places]), STORED[stage.dtype])
    fresh = _combined(reducing.kind, stage.dtype, old, element)
    return _write(stored, fresh, places), _write(stored, nothing, places)


def _guarded(reducing: Reducing, expressions: BlockExpressions) -> Value:
    """Write what is reduced; where a condition does not hold, the value of nothing."""
    element, dtype = reducing.element, reducing.element.dtype
    if dtype is None:
        raise InternalError("expected a typed element, found one without a type")
    if not reducing.conditions:
        return expressions.value(element)
    nothing: Expr = identity(reducing.kind, dtype)
    return expressions.value(Select(joined(reducing.conditions), element, nothing, dtype=dtype))


def _combined(kind: str, dtype: DType, old: Value, element: Value) -> Value:
    """Join an element to a result.

    The operation on floats is plain here, so that TVM knows the reduction; its operands are opaque, and it
    stands alone in its statement, so there is nothing to simplify.
    """
    if dtype in _ROUNDED:
        wide = binary("+" if kind == "sum" else "*", DType.F32, load_rounded(dtype, old), element, None)
        if kind in ("max", "min"):
            wide = load_rounded(dtype, old).binary(tirx.Max if kind == "max" else tirx.Min, element)
        return _stored_form(dtype, wide)
    if dtype is DType.BOOL:
        element = select(element, constant(1, "uint8"), constant(0, "uint8"))
    makes = {
        "sum": tirx.Add, "prod": tirx.Mul, "max": tirx.Max, "min": tirx.Min, "any": tirx.Max, "all": tirx.Min,
    }  # fmt: skip
    if dtype is DType.U32 and kind in ("sum", "prod"):
        return binary("+" if kind == "sum" else "*", dtype, old, element, None)
    return Value(makes[kind](old.node, element.node), old.kind)


def _place_update(
    stage: WorkStage, reducing: Reducing, expressions: BlockExpressions, places: list[Value]
) -> tuple[Node, Node]:
    """Keep a place and the value found there; of equal values the first place."""
    stored = expressions.scope.buffers[stage.name]
    beside = expressions.scope.buffers[stage.name + BEST]
    dtype = beside.buffer.dtype
    if reducing.position is None:
        raise InternalError(f"expected a position for {reducing.kind} of {stage.name}")
    at = [p.node for p in places]
    old = Value(tirx.BufferLoad(stored.tir, at), STORED[stage.dtype])
    held = Value(tirx.BufferLoad(beside.tir, at), STORED[dtype])
    known = load_rounded(dtype, held) if dtype in _ROUNDED else held
    value = expressions.value(reducing.element)
    position = expressions.value(reducing.position)
    beats = value.compare(tirx.GT if reducing.kind == "argmax" else tirx.LT, known)
    first = conjunction(value.compare(tirx.EQ, known), position.compare(tirx.LT, old))
    better = old.compare(tirx.LT, constant(0, old.kind)).binary(tirx.Or, beats).binary(tirx.Or, first)
    if reducing.conditions:
        better = conjunction(expressions.value(joined(reducing.conditions)), better)
    taken = old.compare(tirx.EQ, position)  # read after the place was written: each place comes once
    body = sequence(
        [
            _write(stored, select(better, position, old), places),
            _write(beside, select(taken, _stored_form(dtype, value), held), places),
        ]
    )
    nothing = expressions.value(identity(reducing.kind, dtype))
    none = Literal(-1, dtype=stage.dtype)
    init = [
        _write(stored, expressions.value(none), places),
        _write(beside, _stored_form(dtype, nothing), places),
    ]
    return body, sequence(init)


def _stored_form(dtype: DType, value: Value) -> Value:
    if dtype in _ROUNDED:
        value = round_stored(DType.F32, dtype, value)
    if dtype is DType.BOOL:
        return select(value, constant(1, "uint8"), constant(0, "uint8"))
    return value.cast(STORED[dtype])


def _write(stored: Stored, value: Value, places: list[Value]) -> Node:
    return tirx.BufferStore(stored.tir, value.node, [p.node for p in places])
