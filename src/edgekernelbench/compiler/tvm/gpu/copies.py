"""Vector loops that only copy neighbours to neighbours: one wide load and one wide store."""

from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.compiler.arrays import is_packed
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.scope import offset
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.nest.linear import Linear
from edgekernelbench.nest.tree import Loop, Store, Update

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
    inside = place.with_variable(loop.var, Value(number(0), "int32"), (0, loop.extent - 1))
    call = _copied(writer, store, loop, inside)
    return None if call is None else [writer.instead(store, [call], inside)]


def write_fetch(writer: "Writer", store: Store | Update, place: "Place") -> list[Node] | None:
    """Write the start of a copy of one element; None when it is none, or too narrow to be fetched."""
    call = _copied(writer, store, None, place) if isinstance(store, Store) else None
    return None if call is None else [call]


def _copied(writer: "Writer", store: Store, loop: Loop | None, place: "Place") -> Node | None:
    """Write the copy of what one iteration of a loop, or all of it, stores."""
    if not isinstance(store.value, Read):
        return None
    target, source = place.buffers[store.buffer], place.buffers[store.value.tensor]
    lanes = 1 if loop is None else loop.extent
    size = target.dtype.bits * lanes // 8
    if target.dtype is not source.dtype or is_packed(target.dtype) or size not in WIDE_BYTES:
        return None
    to = first_address(store.buffer, store.indices, loop, place)
    from_ = first_address(store.value.tensor, store.value.indices, loop, place)
    spaces = (writer.space(store.buffer), writer.space(store.value.tensor))
    if to is None or from_ is None or (writer.fetching and spaces != ("shared", "global")):
        return None
    preamble = writer.library.preamble
    name = preamble.fetch(size) if writer.fetching else preamble.copy(target.dtype.bits, lanes, *spaces)
    return tirx.Evaluate(tirx.call_extern("int32", name, to, from_))


def first_address(name: str, indices: tuple[Expr, ...], loop: Loop | None, place: "Place") -> Node | None:
    """Give the address of what the first iteration of a loop reads or stores.

    Args:
        name: The buffer.
        indices: The indices in it.
        loop: The loop; None for a single element.
        place: Where it stands, the loop entered.

    Returns:
        The address; None when the loop does not go from neighbour to neighbour, or may start anywhere.
    """
    stored = place.scope.buffers[name]
    position = offset(stored.buffer, indices, place.scope.ranges)
    if loop is None:
        return _element(stored.tir, position, place)
    steps = [k for t, k in position.terms if isinstance(t, Axis) and t.name == loop.var]
    rest = tuple((t, k) for t, k in position.terms if not (isinstance(t, Axis) and t.name == loop.var))
    aligned = position.constant % loop.extent == 0 and all(k % loop.extent == 0 for _, k in rest)
    if steps != [1] or not aligned:
        return None
    return _element(stored.tir, Linear(rest, position.constant), place)


def _element(tir: Node, position: Linear, place: "Place") -> Node:
    first = Expressions(place.scope).value(position.expr())
    return tirx.address_of(tirx.BufferLoad(tir, [first.node]))
