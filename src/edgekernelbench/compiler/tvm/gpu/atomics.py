"""Stores and updates of elements at which threads meet."""

from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.gpu.plain import plain
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.scope import offset
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.expr import Expr
from edgekernelbench.nest.tree import Store, Update

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.place import Place
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any


def write_atomic(writer: "Writer", update: Update, place: "Place") -> Node:
    """Write an update that several threads may make at one element.

    Raises:
        CompileError: When the device has no such update.
    """
    buffer = place.buffers[update.buffer]
    if update.best:
        raise CompileError(
            f"expected no {update.kind} where threads meet; give each thread its part with rfactor"
        )
    scope = writer.space(update.buffer)
    name = writer.library.preamble.atomic(update.kind, str(buffer.dtype), scope)
    tir, index = _address(update.buffer, tuple(map(plain, update.indices)), place)
    value = Expressions(place.scope).value(plain(update.value))
    target = tirx.address_of(tirx.BufferLoad(tir, [index.node]))
    return tirx.Evaluate(tirx.call_extern("int32", name, target, value.node))


def write_nibble(writer: "Writer", store: Store, place: "Place") -> Node:
    """Write a store of half a byte, safe beside a thread that stores the other half."""
    tir, index = _address(store.buffer, store.indices, place)
    value = Expressions(place.scope).value(store.value).cast("int32")
    target = tirx.address_of(tirx.BufferLoad(tir, [number(0)]))
    name = writer.library.preamble.nibble()
    return tirx.Evaluate(tirx.call_extern("int32", name, target, index.node, value.node))


def _address(name: str, indices: tuple[Expr, ...], place: "Place") -> tuple[Node, Value]:
    stored = place.scope.buffers[name]
    position = offset(stored.buffer, indices or (), place.scope.ranges)
    return stored.tir, Expressions(place.scope).value(position.expr())
