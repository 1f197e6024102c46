"""Tiles of sums of 8-bit products for `tensorize("dot4", …)`: four steps of the sum in one instruction.

Lanes run along an axis of one factor alone, which is stored so that the four steps of each lane lie together;
the other factor gives four steps that all lanes share.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import ceil, prod

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Cast, Expr, Read, Reduction
from edgekernelbench.lowering.access import uses
from edgekernelbench.lowering.choices import TileKey
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.tile import PORTS, STEP, UNROLLS, Freedom, Tile, key_of
from edgekernelbench.lowering.writer import Writer
from edgekernelbench.profiles.profile import Profile

INSTRUCTION = "dot4"
STEPS = 4
"""Steps of the sum that one instruction does."""

SPARE = 6
"""Registers left for operands and for the correction of signs."""


@dataclass(frozen=True, slots=True)
class DotForm:
    """How a sum fits the instruction.

    Attributes:
        lanes: The factor that has an element for each lane.
        shared: The factor that all lanes share.
        vector: The data axis of the lanes.
        depth: The reduction axis that is done four steps at a time.
    """

    lanes: Read
    shared: Read
    vector: str
    depth: str

    def dims(self, read: Read) -> dict[str, int]:
        """Give the dimensions of a factor that the two axes index."""
        return {i.name: d for d, i in enumerate(read.indices) if isinstance(i, Axis)}


def dot_forms(view: View, freedom: Freedom, profile: Profile) -> Iterator[DotForm]:
    """List the ways in which a reduction fits the instruction of a device.

    Args:
        view: The reduction.
        freedom: Whose storage may be chosen: the factor of the lanes must be known ahead of time.
        profile: The device.
    """
    value = view.value
    if INSTRUCTION not in profile.instructions or not isinstance(value, Reduction) or value.kind != "sum":
        return
    product = value.element
    if any(over.conditions for over in value.over) or not isinstance(product, Binary) or product.op != "*":
        return
    left, right = _factor(product.left), _factor(product.right)
    if left is None or right is None or view.stage.dtype is not DType.I32:
        return
    width = profile.vector_bytes // STEPS
    for lanes, shared in ((left, right), (right, left)):
        if lanes.tensor not in freedom.ahead:
            continue
        for vector in view.stage.axes:
            if not _is_axis(lanes, vector) or any(uses(i, vector) for i in shared.indices):
                continue
            for depth in view.reduced:
                plain = _is_axis(lanes, depth) and _is_axis(shared, depth)
                if plain and view.sizes[vector] % width == 0 and view.sizes[depth] % STEPS == 0:
                    yield DotForm(lanes, shared, vector, depth)


def _factor(node: Expr) -> Read | None:
    while isinstance(node, Cast) and not node.saturate:
        node = node.operand
    return node if isinstance(node, Read) and node.dtype in (DType.I8, DType.U8) else None


def _is_axis(read: Read, axis: str) -> bool:
    """Say whether an axis is one index of a read, by itself, and hangs in no other."""
    return [i for i in read.indices if uses(i, axis)] == [Axis(axis)]


def dot_tiles(
    view: View, extents: Mapping[str, int], freedom: Freedom, profile: Profile
) -> Iterator[tuple[Tile, DotForm]]:
    """List tiles for the instruction, with their prices in cycles of the model.

    Args:
        view: The reduction.
        extents: Size of each of its data axes; 1 where a loop outside fixes it.
        freedom: Whose storage may be chosen.
        profile: The device.
    """
    lanes = profile.vector_bytes // STEPS
    budget = profile.vector_registers - SPARE
    for form in dot_forms(view, freedom, profile):
        size = extents[form.vector]
        others = [a for a in view.stage.axes if extents[a] > 1 and a != form.vector]
        free = [a for a in others if not any(uses(i, a) for i in form.lanes.indices)]
        steps = prod(view.sizes[a] for a in view.reduced) / STEPS
        flips = form.lanes.dtype is form.shared.dtype
        for vectors in (1, 2, 3, 4):
            width = lanes * vectors
            if size == 1 or size % width:
                continue
            for unroll in (None, *free):
                for count in UNROLLS if unroll else (1,):
                    if unroll and not 1 < count <= extents[unroll]:
                        continue
                    if count * vectors > budget:
                        continue
                    work = count * vectors + (vectors if flips else 0)
                    loads = vectors + count * (2 if flips else 1)
                    cycles = max(work / PORTS, loads / PORTS, 2.5) + STEP
                    turns = prod(
                        ceil(n / (width if a == form.vector else count if a == unroll else 1))
                        for a, n in extents.items()
                    )
                    tile = Tile(form.vector, width, unroll, count, {}, {}, 1, cycles * steps * turns)
                    yield tile, form


def choose_dot(
    tiles: Iterable[tuple[Tile, DotForm]], taken: AbstractSet[str], key: TileKey | None
) -> tuple[Tile, DotForm] | None:
    """Choose the tile of a sum of 8-bit products.

    Args:
        tiles: The tiles that fit the instruction.
        taken: Tensors whose storage is decided, or not to be chosen.
        key: The tile that was chosen, where one was; the cheapest is taken when it is not among them.

    Returns:
        The tile, and how the sum fits; None when nothing does.
    """
    free = [one for one in tiles if one[1].lanes.tensor not in taken and one[1].shared.tensor not in taken]
    chosen = [one for one in free if key_of(one[0]) == key]
    return min(chosen or free, key=lambda one: one[0].cycles, default=None)


def store_dot(tile: Tile, form: DotForm, writer: Writer) -> dict[str, tuple[int, int]]:
    """Store both factors of a sum so that four steps lie together.

    Args:
        tile: The tile.
        form: How the sum fits the instruction.
        writer: Where the layouts go.

    Returns:
        For each tensor, the dimension that was cut, and into pieces of how many.
    """
    dims, rank = form.dims(form.lanes), len(form.lanes.indices)
    stored = {form.lanes.tensor: (dims[form.vector], tile.width)}
    writer.fours(form.lanes.tensor, rank, dims[form.depth], (dims[form.vector], tile.width))
    if form.shared.indices[-1] != Axis(form.depth):
        dim = form.dims(form.shared)[form.depth]
        stored[form.shared.tensor] = (dim, STEPS)
        writer.fours(form.shared.tensor, len(form.shared.indices), dim, None)
    return stored
