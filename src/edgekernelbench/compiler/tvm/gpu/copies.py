"""Vector loops that only copy neighbours to neighbours: one wide load and one wide store."""

from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.compiler.arrays import is_packed
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.scope import offset
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.nest.linear import Linear
from edgekernelbench.nest.tree import Loop, Store

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.place import Place
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any

WIDE_BYTES = (4, 8, 16)
"""What one load can bring."""


def write_copy(writer: "Writer", loop: Loop, place: "Place") -> list[Node] | None:
    """Write a vector loop as one copy.

    Args:
        writer: Writes statements.
        loop: The loop.
        place: Where it stands.

    Returns:
        The statements; None when the loop does more than copy, or its ends are not aligned.
    """
    if len(loop.body) != 1 or not isinstance(loop.body[0], Store):
        return None
    store = loop.body[0]
    if not isinstance(store.value, Read):
        return None
    target, source = place.buffers[store.buffer], place.buffers[store.value.tensor]
    bits = target.dtype.bits
    if (
        target.dtype is not source.dtype
        or is_packed(target.dtype)
        or bits * loop.extent // 8 not in WIDE_BYTES
    ):
        return None
    inside = place.with_variable(loop.var, Value(number(0), "int32"), (0, loop.extent - 1))
    to = _address(store.buffer, store.indices, loop, inside)
    from_ = _address(store.value.tensor, store.value.indices, loop, inside)
    if to is None or from_ is None:
        return None
    spaces = (writer.space(store.buffer), writer.space(store.value.tensor))
    name = writer.library.preamble.copy(bits, loop.extent, *spaces)
    call = tirx.Evaluate(tirx.call_extern("int32", name, to, from_))
    return [writer.instead(store, [call], inside)]


def _address(name: str, indices: tuple[Expr, ...], loop: Loop, place: "Place") -> Node | None:
    """Give the address of the first lane; None when lanes are no neighbours, or start anywhere."""
    stored = place.scope.buffers[name]
    position = offset(stored.buffer, indices, place.scope.ranges)
    steps = [k for t, k in position.terms if isinstance(t, Axis) and t.name == loop.var]
    rest = tuple((t, k) for t, k in position.terms if not (isinstance(t, Axis) and t.name == loop.var))
    aligned = position.constant % loop.extent == 0 and all(k % loop.extent == 0 for _, k in rest)
    if steps != [1] or not aligned:
        return None
    first = Expressions(place.scope).value(Linear(rest, position.constant).expr())
    return tirx.address_of(tirx.BufferLoad(stored.tir, [first.node]))
