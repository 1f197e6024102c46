"""`tensorize("dot4", …)` on GPUs: four products of bytes and their sum in one instruction, for each lane."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.compiler.rewrite import axes_of
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.gpu.copies import first_address
from edgekernelbench.compiler.tvm.gpu.place import all_of, device_name
from edgekernelbench.compiler.tvm.scope import offset
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Cast, Expr, Read
from edgekernelbench.nest.tree import Guard, Loop, Mark, Stmt, Update

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.place import Place
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any

STEPS = 4
_BYTES = (DType.I8, DType.U8)


def write_dot(writer: "Writer", loop: Loop, place: "Place") -> list[Node]:
    """Write loops that a `tensorize("dot4")` marked.

    Args:
        writer: Writes statements.
        loop: The loop over lanes, or one that sets or stores their sums.
        place: Where it stands.

    Returns:
        An instruction a lane where the four bytes of both factors are neighbours; else plain loops.
    """
    written = _instructions(writer, loop, place)
    return writer.block((_plain(loop),), place) if written is None else written


def _plain(stmt: Stmt) -> Stmt:
    if isinstance(stmt, Loop) and stmt.mark is Mark.TENSOR:
        inside = tuple(_plain(one) for one in stmt.body)
        return replace(stmt, mark=Mark.UNROLL, instruction="", body=inside)
    return stmt


def _instructions(writer: "Writer", lanes: Loop, place: "Place") -> list[Node] | None:
    steps = lanes.body[0]
    if len(lanes.body) != 1 or not isinstance(steps, Loop) or steps.extent != STEPS:
        return None
    conditions: list[Expr] = []
    body = steps.body
    while len(body) == 1 and isinstance(body[0], Guard):
        conditions.append(body[0].condition)
        body = body[0].body
    own = {lanes.var, steps.var}
    (update,) = body if len(body) == 1 else (None,)
    if not isinstance(update, Update) or update.kind != "sum" or any(axes_of(c) & own for c in conditions):
        return None
    factors = _factors(update.value)
    if factors is None:
        return None
    lane = Value(tirx.Var(device_name(lanes.var), "int32"), "int32")
    inside = place.with_variable(lanes.var, lane, (0, lanes.extent - 1))
    inside = inside.with_variable(steps.var, Value(number(0), "int32"), (0, STEPS - 1))
    addresses = [first_address(read.tensor, read.indices, steps, inside) for read in factors]
    if any(address is None for address in addresses):
        return None
    types = [str(place.buffers[read.tensor].dtype) for read in factors]
    spaces = [writer.space(read.tensor) for read in factors]
    name = writer.library.preamble.dot(types[0], types[1], spaces[0], spaces[1])
    stored = inside.scope.buffers[update.buffer]
    index = Expressions(inside.scope).value(offset(stored.buffer, update.indices, inside.scope.ranges).expr())
    old = tirx.BufferLoad(stored.tir, [index.node])
    total = tirx.call_pure_extern("int32", name, *addresses, old)
    node = writer.instead(update, [tirx.BufferStore(stored.tir, total, [index.node])], inside)
    if conditions:
        tests = [writer.test(condition, inside) for condition in conditions]
        node = tirx.IfThenElse(all_of(tests), node, None)
    return [tirx.For(lane.node, number(0), number(lanes.extent), tirx.ForKind.UNROLLED, sequence([node]))]


def _factors(value: Expr) -> tuple[Read, Read] | None:
    """Take the reads of a product of bytes apart; None when it is none."""
    if not isinstance(value, Binary) or value.op != "*" or value.dtype is not DType.I32:
        return None
    left, right = _read(value.left), _read(value.right)
    if left is None or right is None or left.dtype not in _BYTES or right.dtype not in _BYTES:
        return None
    return left, right


def _read(node: Expr) -> Read | None:
    while isinstance(node, Cast) and not node.saturate:
        node = node.operand
    return node if isinstance(node, Read) else None
