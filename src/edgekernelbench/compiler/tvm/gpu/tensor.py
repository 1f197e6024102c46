"""Matrix units: one tile of a product by the 32 threads of a warp, and the loops that set such a tile."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tvm import tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.scope import offset
from edgekernelbench.compiler.tvm.values import Value, number
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Cast, Expr, Read
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.linear import Linear
from edgekernelbench.nest.tree import Kind, Loop, Mark, Store, Update

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.gpu.place import Place
    from edgekernelbench.compiler.tvm.gpu.statements import Writer

Node = Any

LANES = 32
TILE = 16
_TYPES = {
    (DType.F16, DType.F32): "f16", (DType.BF16, DType.F32): "bf16", (DType.I8, DType.I32): "i8",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operand:
    """A tile in memory.

    Attributes:
        address: Of its first element.
        rows: The distance between rows.
        columns: The distance between columns; one of the two is 1.
    """

    address: Node
    rows: int
    columns: int

    @property
    def layout(self) -> str:
        """Name the order in which it lies."""
        return "row" if self.columns == 1 else "col"

    @property
    def step(self) -> int:
        """Give the distance that is not 1."""
        return self.rows if self.columns == 1 else self.columns


def write_tensor(writer: "Writer", loop: Loop, place: "Place") -> list[Node]:
    """Write loops that a `tensorize` marked.

    Args:
        writer: Writes statements.
        loop: The outermost of them.
        place: Where it stands.

    Returns:
        A call that all threads of a warp make, or stores that they share.

    Raises:
        CompileError: When the loops are not of the form that the instruction computes.
    """
    loops = [loop]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], Loop):
        loops.append(loops[-1].body[0])
    leaves = loops[-1].body
    if len(leaves) != 1 or not isinstance(leaves[0], Store | Update):
        raise _unfit(loop)
    (leaf,) = leaves
    kinds = [one.kind for one in loops]
    if isinstance(leaf, Store) and len(loops) == 2 and Kind.REDUCTION not in kinds:
        return _shared_out(writer, loops, leaf, place)
    if isinstance(leaf, Update) and kinds == [Kind.DATA, Kind.DATA, Kind.REDUCTION]:
        return _product(writer, loops, leaf, place)
    raise _unfit(loop)


def _shared_out(writer: "Writer", loops: list[Loop], leaf: Store, place: "Place") -> list[Node]:
    """Let each thread of the warp set some elements of a tile."""
    rows, columns = loops
    turn = tirx.Var(writer.name("turn"), "int32")
    item = turn * number(LANES) + writer.thread(Mark.THREAD_X)
    row = Value(tirx.truncdiv(item, number(columns.extent)), "int32")
    column = Value(tirx.truncmod(item, number(columns.extent)), "int32")
    inside = place.with_variable(rows.var, row, (0, rows.extent - 1))
    inside = inside.with_variable(columns.var, column, (0, columns.extent - 1))
    turns = rows.extent * columns.extent // LANES
    body = writer.instead(leaf, writer.written(leaf, inside), inside, together=True)
    return [tirx.For(turn, number(0), number(turns), tirx.ForKind.UNROLLED, body)]


def _product(writer: "Writer", loops: list[Loop], update: Update, place: "Place") -> list[Node]:
    names = [one.var for one in loops]
    for one in loops:
        if one.extent != TILE:
            raise _unfit(one)
        place = place.with_variable(one.var, Value(number(0), "int32"), (0, TILE - 1))
    i, j, k = names
    left, right = _factors(update.value, i, j, loops[0])
    kind = _kind(update, left, right, place)
    if kind is None:
        raise _unfit(loops[0])
    a = operand(left.tensor, left.indices, (i, k), place, loops[0])
    b = operand(right.tensor, right.indices, (k, j), place, loops[0])
    factors = [part for one in (a, b) for part in (one.address, number(one.step))]
    held = writer.tiles.get(update.buffer)
    if held is not None:
        name = writer.library.preamble.product(kind, "held", a.layout, b.layout)
        parts = [held.address(place), *factors]
    else:
        total = operand(update.buffer, update.indices, (i, j), place, loops[0])
        name = writer.library.preamble.product(kind, total.layout, a.layout, b.layout)
        parts = [total.address, number(total.step), *factors]
    call = tirx.Evaluate(tirx.call_extern("int32", name, *parts))
    return [writer.instead(update, [call], place, together=True)]


def name_kind(update: Update, loop: Loop, place: "Place") -> str | None:
    """Name the element type of the factors of a product; None where no matrix unit has it.

    Args:
        update: The product.
        loop: The outermost of its loops.
        place: Where it stands.
    """
    columns = loop.body[0]
    if not isinstance(columns, Loop):
        return None
    left, right = _factors(update.value, loop.var, columns.var, loop)
    return _kind(update, left, right, place)


def _kind(update: Update, left: Read, right: Read, place: "Place") -> str | None:
    types = {place.buffers[read.tensor].dtype for read in (left, right)}
    return _TYPES.get((types.pop(), place.buffers[update.buffer].dtype)) if len(types) == 1 else None


def _factors(value: Expr, i: str, j: str, loop: Loop) -> tuple[Read, Read]:
    """Take the two reads of a product apart: the one with rows, and the one with columns."""
    match value:
        case Binary(op="*", left=Cast(operand=Read() as one), right=Cast(operand=Read() as other)):
            pair = (one, other)
        case Binary(op="*", left=Read() as one, right=Read() as other):
            pair = (one, other)
        case _:
            raise _unfit(loop)
    used = [{a.name for index in read.indices for a in _axes(index)} for read in pair]
    if i in used[0] and j in used[1]:
        return pair
    if i in used[1] and j in used[0]:
        return pair[1], pair[0]
    raise _unfit(loop)


def _axes(node: Expr) -> list[Axis]:
    return [one for one in walk(node) if isinstance(one, Axis)]


def operand(
    name: str, indices: tuple[Expr, ...], axes: tuple[str, str], place: "Place", loop: Loop
) -> Operand:
    """Find a tile in memory.

    Args:
        name: The buffer.
        indices: The indices in it.
        axes: The loops along its rows and along its columns.
        place: Where it stands, both loops entered.
        loop: The outermost loop of the product, for messages.

    Raises:
        CompileError: When neither its rows nor its columns are contiguous.
    """
    stored = place.scope.buffers[name]
    position = offset(stored.buffer, indices, place.scope.ranges)
    steps = {t.name: k for t, k in position.terms if isinstance(t, Axis)}
    rest = Linear(
        tuple((t, k) for t, k in position.terms if not (isinstance(t, Axis) and t.name in axes)),
        position.constant,
    )
    rows, columns = (steps.get(axis, 0) for axis in axes)
    if 1 not in (rows, columns) or min(rows, columns) < 1:
        raise _unfit(loop)
    first = Expressions(place.scope).value(rest.expr())
    address = tirx.address_of(tirx.BufferLoad(stored.tir, [first.node]))
    return Operand(address, rows, columns)


def _unfit(loop: Loop) -> CompileError:
    return CompileError(
        f"expected a {TILE}x{TILE}x{TILE} product of two tiles whose rows or columns are contiguous at "
        f"{loop.var!r} for {loop.instruction}; lay the operands out so, or leave tensorize out"
    )
