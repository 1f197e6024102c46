"""Stores and updates as TIR: contiguous, masked, in a fixed pattern, or lane by lane."""

from typing import Any

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import elements, is_packed
from edgekernelbench.compiler.tvm.arithmetic import binary, round_stored
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.lanes import SHORTEST_RUN, runs, shuffled
from edgekernelbench.compiler.tvm.scope import Scope, Stored, offset
from edgekernelbench.compiler.tvm.values import STORED, Value, conjunction, constant, number, select
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr
from edgekernelbench.nest.linear import Linear, variable
from edgekernelbench.nest.linear import number as position_of
from edgekernelbench.nest.tree import Buffer, Role, Store, Update

Node = Any


def declare(buffer: Buffer) -> Stored:
    """Make the TIR buffer of a buffer: one dimension, elements as they are stored.

    The scope is always `global`: only there does TVM keep small buffers on the stack; in `local` each is a
    call of its allocator.
    """
    tir = tirx.decl_buffer((elements(buffer),), STORED[buffer.dtype], buffer.name.replace(".", "_"))
    return Stored(buffer, tir)


def write_store(store: Store, scope: Scope, mask: Value | None) -> list[Node]:
    """Write a store.

    Args:
        store: The store.
        scope: What names mean; its vector loop is the one that the store stands in.
        mask: Which lanes store; None for all.

    Returns:
        Statements, run one after another.
    """
    expressions, stored = Expressions(scope), scope.buffers[store.buffer]
    place = offset(stored.buffer, _or_zero(store.indices), scope.ranges)
    value = expressions.value(store.value, mask)
    scattered = _shuffled_store(expressions, stored, place, value) if mask is None else None
    return scattered or [write_value(expressions, stored, place, value, mask)]


def _shuffled_store(
    expressions: Expressions, stored: Stored, place: Linear, value: Value
) -> list[Node] | None:
    """Write lanes in a fixed pattern as a few shorter vectors; None when one, or none, will do."""
    pattern = None if expressions.is_contiguous(place) else expressions.pattern(place)
    if pattern is None or is_packed(stored.buffer.dtype):
        return None
    found = runs(pattern.offsets)
    if len(pattern.offsets) < SHORTEST_RUN * len(found):
        return None
    count = expressions.lanes.count
    whole = _to_stored(stored.buffer.dtype, value).spread(count)
    # Not a variable: one that is a vector of integers fails TVM's analyser.
    waiting = tirx.decl_buffer((count,), whole.kind, "lanes")
    ramp = tirx.Ramp(number(0), number(1), number(count))
    nodes = [tirx.AllocBuffer(waiting), tirx.BufferStore(waiting, whole.node, [ramp])]
    held = tirx.BufferLoad(waiting, [ramp])
    for start, members in found:
        part = shuffled([held], members, whole.kind)
        first = expressions.value(pattern.moved(start).expr()).node
        ramp = tirx.Ramp(first, number(1), number(len(members)))
        nodes.append(tirx.BufferStore(stored.tir, part.node, [ramp]))
    return nodes


def write_value(
    expressions: Expressions, stored: Stored, place: Linear, value: Value, mask: Value | None
) -> Node:
    """Write a computed value to a position of a buffer, masked only where lanes are neighbours in memory."""
    dtype = stored.buffer.dtype
    if is_packed(dtype):
        return _write_nibble(expressions, stored, place, value)
    value = _to_stored(dtype, value)
    if expressions.is_contiguous(place):
        count = expressions.lanes.count
        value = value.spread(count)
        if mask is not None:
            target = expressions.address(stored, place).node
            args = (value.node, target, mask.spread(count).node)
            return tirx.Evaluate(tirx.call_llvm_intrin("void", "llvm.masked.store", *args))
        return tirx.BufferStore(stored.tir, value.node, [expressions.ramp(place)])
    index = expressions.held(stored.size, place, None)
    return tirx.BufferStore(stored.tir, value.spread(index.lanes).node, [index.node])


def write_update(update: Update, scope: Scope, mask: Value | None) -> list[Node]:
    """Write one step of a reduction; the arguments are those of `write_store`."""
    expressions, stored = Expressions(scope), scope.buffers[update.buffer]
    place = offset(stored.buffer, _or_zero(update.indices), scope.ranges)
    if update.best:
        return _arg_update(update, expressions, place, mask)
    dtype = stored.buffer.dtype
    inside = mask if mask is None or not expressions.is_inside(place, stored.size) else None
    old = expressions.load(stored, place, inside)
    value = expressions.value(update.value, mask)
    fresh = _combined(update.kind, dtype, old, value)
    if mask is not None and inside is None:
        fresh = select(mask, fresh, old)
    return [write_value(expressions, stored, place, fresh, inside)]


def _arg_update(update: Update, expressions: Expressions, place: Linear, mask: Value | None) -> list[Node]:
    if update.position is None:
        raise InternalError(f"expected a position for {update.kind} of {update.buffer}")
    scope = expressions.scope
    stored, best = scope.buffers[update.buffer], scope.buffers[update.best]
    inside = mask if mask is None or not expressions.is_inside(place, stored.size) else None
    old, held = expressions.load(stored, place, inside), expressions.load(best, place, inside)
    value = expressions.value(update.value, mask)
    position = expressions.value(update.position, mask)
    zero = constant(0, "int32")
    beats = value.compare(tirx.GT if update.kind == "argmax" else tirx.LT, held)
    first = conjunction(value.compare(tirx.EQ, held), position.compare(tirx.LT, old))
    better = old.compare(tirx.LT, zero).binary(tirx.Or, beats).binary(tirx.Or, first)
    better = conjunction(better, position.compare(tirx.GE, zero))
    if mask is not None and inside is None:
        better = conjunction(better, mask)
    # The new place waits in a buffer: a variable that is a vector fails TVM's analyser, and
    # writing it at once would
    # change what the new value is chosen by.
    count = 1 if scope.lanes is None else scope.lanes.count
    new = Buffer(f"{update.buffer}.new", DType.I32, (count,), Role.WORK, "local")
    waiting = declare(new)
    lane = (position_of(0),) if scope.lanes is None else (variable(scope.lanes.var),)
    spot = offset(new, lane, scope.ranges)
    chosen = write_value(expressions, waiting, spot, select(better, position, old), None)
    best_node = write_value(expressions, best, place, select(better, value, held), inside)
    place_node = write_value(expressions, stored, place, expressions.load(waiting, spot, None), inside)
    return [tirx.AllocBuffer(waiting.tir), chosen, best_node, place_node]


def _to_stored(dtype: DType, value: Value) -> Value:
    if dtype in (DType.F16, DType.BF16):
        value = round_stored(DType.F32, dtype, value)
    return value.cast(STORED[dtype])


def _combined(kind: str, dtype: DType, old: Value, value: Value) -> Value:
    match kind:
        case "sum" | "prod":
            return binary("+" if kind == "sum" else "*", dtype, old, value, None)
        case "max" | "min":
            return old.binary(tirx.Max if kind == "max" else tirx.Min, value)
        case "any" | "all":
            return old.binary(tirx.Or if kind == "any" else tirx.And, value)
        case _:
            raise InternalError(f"expected a kind of reduction, found {kind!r}")


def _write_nibble(expressions: Expressions, stored: Stored, place: Linear, value: Value) -> Node:
    index = expressions.held(stored.size * 2, place, None)
    byte = index.binary(tirx.shift_right, constant(1, "int32"))
    pair = Value(tirx.BufferLoad(stored.tir, [byte.node]), "uint8")
    half = index.binary(tirx.bitwise_and, constant(1, "int32"))
    low = value.cast("uint8").binary(tirx.bitwise_and, constant(15, "uint8"))
    high = low.binary(tirx.shift_left, constant(4, "uint8"))
    with_low = pair.binary(tirx.bitwise_and, constant(0xF0, "uint8")).binary(tirx.bitwise_or, low)
    with_high = pair.binary(tirx.bitwise_and, constant(0x0F, "uint8")).binary(tirx.bitwise_or, high)
    fresh = select(half.compare(tirx.EQ, constant(0, "int32")), with_low, with_high)
    return tirx.BufferStore(stored.tir, fresh.node, [byte.node])


def _or_zero(indices: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return indices or (position_of(0),)
