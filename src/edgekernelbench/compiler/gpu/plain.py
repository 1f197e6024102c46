"""Single statements without what GPU code has no word for: 16-bit floats and pairs of place and value.

`f16` is held as its bits and computed in `f32`, through functions of the preamble: devices without
`cl_khr_fp16` can do that too; `bf16` is handled where expressions are written.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from edgekernelbench.base.errors import InternalError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Call, Cast, Compare, Expr, Literal, Logic, Read, Select
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.nest.linear import number
from edgekernelbench.nest.tree import Allocate, Buffer, Guard, Role, Stmt, Store, Update

FROM_F16, TO_F16, TO_F16_DOUBLE = "ekb_from_f16", "ekb_to_f16", "ekb_to_f16_double"


def plain_buffer(buffer: Buffer) -> Buffer:
    """Give a buffer as device code sees it."""
    return replace(buffer, dtype=DType.U16) if buffer.dtype is DType.F16 else buffer


def plain_leaf(leaf: Store | Update, buffers: Mapping[str, Buffer]) -> tuple[Stmt, ...]:
    """Write a store or an update without 16-bit floats and pairs.

    Args:
        leaf: The statement.
        buffers: The buffers by name, in their own types.

    Returns:
        Statements that do the same.
    """
    match leaf:
        case Update() if leaf.best:
            return _pair(leaf, buffers)
        case Update() if buffers[leaf.buffer].dtype is DType.F16:
            read = Read(leaf.buffer, leaf.indices, dtype=DType.F16)
            value = _combined(leaf.kind, read, leaf.value)
            return plain_leaf(Store(leaf.buffer, leaf.indices, value, leaf.stage), buffers)
        case Store() if buffers[leaf.buffer].dtype is DType.F16:
            return (replace(leaf, indices=_all(leaf.indices), value=_to_bits(plain(leaf.value), DType.F32)),)
        case _:
            return (replace(leaf, indices=_all(leaf.indices), value=plain(leaf.value)),)


def plain(node: Expr) -> Expr:
    """Write an expression without 16-bit floats."""
    parts = children(node)
    fresh = with_children(node, tuple(plain(part) for part in parts)) if parts else node
    match fresh:
        case Read(dtype=DType.F16):
            return Call(FROM_F16, (replace(fresh, dtype=DType.U16),), dtype=DType.F32)
        case Literal(dtype=DType.F16, value=value):
            return Literal(float(np.float16(value)), dtype=DType.F32)
        case Cast(to=DType.F16, operand=operand):
            source = operand.dtype
            if source is None:
                raise InternalError("expected a typed operand of a cast, found none")
            return Call(FROM_F16, (_to_bits(operand, source),), dtype=DType.F32)
        case _ if fresh.dtype is DType.F16:
            return replace(fresh, dtype=DType.F32)
        case _:
            return fresh


def _all(nodes: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(plain(node) for node in nodes)


def _to_bits(value: Expr, source: DType) -> Expr:
    if isinstance(value, Call) and value.function == FROM_F16:
        return value.args[0]
    if source is DType.F64 or (source.is_int and source.bits >= 32):
        wide = value if source is DType.F64 else Cast(DType.F64, value, dtype=DType.F64)
        return Call(TO_F16_DOUBLE, (wide,), dtype=DType.U16)
    single = value if source is DType.F32 else Cast(DType.F32, value, dtype=DType.F32)
    return Call(TO_F16, (single,), dtype=DType.U16)


def _combined(kind: str, old: Expr, value: Expr) -> Expr:
    match kind:
        case "sum" | "prod":
            return Binary("+" if kind == "sum" else "*", old, value, dtype=old.dtype)
        case "max" | "min":
            return Call(kind, (old, value), dtype=old.dtype)
        case _:
            raise InternalError(f"expected a reduction of floats, found {kind!r}")


def _pair(update: Update, buffers: Mapping[str, Buffer]) -> tuple[Stmt, ...]:
    """Write the step of an argmax or argmin as stores; the new place waits until the value is chosen."""
    if update.position is None:
        raise InternalError(f"expected a position for {update.kind} of {update.buffer}")
    best = buffers[update.best]
    old = Read(update.buffer, update.indices, dtype=DType.I32)
    held: Expr = Read(update.best, update.indices, dtype=best.dtype)
    kind = update.value.dtype
    op = ">" if update.kind == "argmax" else "<"
    beats = Compare((op,), (update.value, held), dtype=DType.BOOL)
    same = Compare(("==",), (update.value, held), dtype=DType.BOOL)
    earlier = Compare(("<",), (update.position, old), dtype=DType.BOOL)
    tie = Logic("and", (same, earlier), dtype=DType.BOOL)
    empty = Compare(("<",), (old, number(0)), dtype=DType.BOOL)
    better = Logic("or", (empty, beats, tie), dtype=DType.BOOL)
    new = Buffer(f"{update.buffer}.new", DType.I32, (1,), Role.WORK, "local")
    place = Read(new.name, (number(0),), dtype=DType.I32)
    steps = (
        Store(new.name, (number(0),), Select(better, update.position, old, dtype=DType.I32)),
        Store(update.best, update.indices, Select(better, update.value, held, dtype=kind)),
        Store(update.buffer, update.indices, place),
    )
    counts = Compare((">=",), (update.position, number(0)), dtype=DType.BOOL)
    known = {**buffers, new.name: new}
    inside = tuple(s for step in steps for s in plain_leaf(step, known))
    return (Allocate((new,), (Guard(plain(counts), inside),)),)
