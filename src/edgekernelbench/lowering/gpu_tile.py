"""Tiles of contractions on GPUs: a block computes a tile, each thread a few elements of it in registers.

The operands of a tile are fetched together into shared memory, a part of the reduction at a time. Sizes
come from a short list, the largest that leaves enough blocks to keep the device busy.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod

from edgekernelbench.ir.expr import Axis, Read
from edgekernelbench.ir.memory import Accumulate, Cache, LayoutSpec, Piece
from edgekernelbench.ir.schedule import Bind, Unroll
from edgekernelbench.lowering.access import affine, uses
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.writer import Writer

CHUNK = 16
"""Steps of the reduction that are fetched together."""

WIDEST_BYTES = 16
"""What one load of a thread can bring."""

BYTE = 8
BANK_BITS = 32
"""Bits of shared memory that stand beside each other in a bank."""

SIDE = 16
"""A tile has at least so many elements along its two axes, where they are so long."""

WASTE = 2
"""How many times as much a tile may fetch as it reads."""

SHORT = 32
"""An axis up to here is too short to be tiled in registers too; another one is."""

STEPS = 8
LEAST = 4
"""Steps of a reduction, and elements of an axis, below which there is nothing to share."""

WIDE = ((16, 4, 16, 4, 1), (16, 2, 16, 4, 1), (16, 2, 16, 2, 1), (16, 1, 16, 2, 1), (16, 1, 16, 1, 1))
"""Threads and elements a thread along the last axis, along the other, and elements along a third."""

NARROW = (
    (32, 1, 8, 4, 4),
    (32, 1, 8, 4, 2),
    (32, 1, 8, 4, 1),
    (16, 1, 8, 2, 2),
    (16, 1, 8, 2, 1),
    (16, 1, 8, 1, 1),
)


MORE_WIDE = (
    *WIDE,
    (16, 8, 16, 8, 1), (16, 8, 16, 4, 1), (32, 4, 8, 8, 1), (32, 2, 8, 8, 1), (32, 2, 8, 4, 1),
    (8, 4, 16, 4, 1), (8, 4, 8, 4, 1), (32, 1, 8, 4, 1),
)  # fmt: skip
MORE_NARROW = (*NARROW, (32, 1, 4, 4, 4), (32, 1, 16, 2, 2), (32, 1, 4, 8, 2), (16, 2, 8, 4, 2))
"""The same with sizes that only a search tries."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to tile a contraction.

    Attributes:
        root: The stage whose nest it is: the contraction, or its only reader.
        view: The contraction.
        names: For each axis of the contraction, the axis of the root.
        across: The axis whose neighbours are neighbouring threads.
        down: An axis of the other operand.
        third: An axis of the same operand as `across`; None when there is none worth it.
        sizes: An entry of `WIDE` or `NARROW`.
        cached: Tensors that are fetched into shared memory, with how many elements at a time.
    """

    root: View
    view: View
    names: Mapping[str, str]
    across: str
    down: str
    third: str | None
    sizes: tuple[int, int, int, int, int]
    cached: tuple[tuple[str, int], ...]

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        tx, rx, ty, ry, rz = self.sizes
        tiles = {self.across: tx * rx, self.down: ty * ry}
        if self.third is not None:
            tiles[self.third] = rz
        return prod(ceil(self.view.sizes[axis] / tiles.get(axis, 1)) for axis in self.view.stage.axes)


def tile_choices(
    root: View, view: View, busy: int, shape_of: Callable[[str], tuple[int, ...]]
) -> Iterator[Choice]:
    """List ways to tile a reduction, the best first; none when no two operands are shared.

    Args:
        root: The stage whose nest it is.
        view: The reduction.
        busy: Blocks that keep the device busy.
        shape_of: Gives the shape of a tensor.
    """
    names = _names(root, view)
    steps = prod(view.sizes[axis] for axis in view.reduced)
    long = [axis for axis in view.stage.axes if view.sizes[axis] > 1]
    if names is None or steps < STEPS or len(long) < 2:
        return
    across = long[-1]
    same = [r for r in view.reads if any(uses(i, across) for i in r.indices)]
    other = [r for r in view.reads if r not in same]
    own = {axis for axis in long for r in same if any(uses(i, axis) for i in r.indices)}
    theirs = {axis for axis in long for r in other if any(uses(i, axis) for i in r.indices)}
    # Of axes that are equally long the last: neighbours along it lie nearest. Sets have no order.
    order = {a: (-view.sizes[a], -view.stage.axes.index(a)) for a in long}
    downs = sorted((a for a in theirs - own if view.sizes[a] >= LEAST), key=order.__getitem__)
    if not downs or not same or view.sizes[across] < LEAST:
        return
    thirds = sorted((a for a in own - theirs - {across}), key=order.__getitem__)
    short = view.sizes[across] <= SHORT
    third = thirds[0] if short and thirds else None
    fetched = {
        r.tensor: r
        for r in (*same, *other)
        if all(affine(i) is not None for i in r.indices) and (r.dtype is None or r.dtype.bits >= BYTE)
    }
    fetched = {name: r for name, r in fetched.items() if not _wastes(r, view, across, downs[0])}
    down = downs[0]
    if (
        third is None
        and not any(r.tensor in fetched for r in same)
        and any(r.tensor in fetched for r in other)
    ):
        across, down = down, across  # what is not fetched is read by all of a row of threads at once
    plain = tuple((name, 1) for name in fetched)
    table = NARROW if short else WIDE
    fitted = dict.fromkeys(_fitted(sizes, view, across, down, third) for sizes in table)
    ordered = [Choice(root, view, names, across, down, third, sizes, plain) for sizes in fitted]
    enough = [c for c in ordered if c.blocks >= busy]
    first = enough[0] if enough else ordered[-1]
    yield replace(first, cached=tuple((n, _lanes(r, first, shape_of(n))) for n, r in fetched.items()))
    yield first
    yield from [c for c in ordered if c.sizes != first.sizes][-1:]
    yield replace(first, cached=())


def other_sizes(given: Sequence[Choice]) -> Iterator[Choice]:
    """List tiles of the sizes that are not among some choices, fetched as the first of them is."""
    if not given:
        return
    first = given[0]
    short = first.view.sizes[first.across] <= SHORT
    seen = {choice.sizes for choice in given}
    for sizes in MORE_NARROW if short else MORE_WIDE:
        fitted = _fitted(sizes, first.view, first.across, first.down, first.third)
        if fitted not in seen:
            seen.add(fitted)
            yield replace(first, sizes=fitted)


def _wastes(read: Read, view: View, across: str, down: str) -> bool:
    """Say whether the box of a tile is mostly what nobody reads, as where rows are far apart."""
    tile = {across: SIDE, down: SIDE, view.reduced[0]: _part(view)}
    tile |= {axis: view.sizes[axis] for axis in view.reduced[1:]}
    box, moving = 1, set()
    for index in read.indices:
        steps = {a: k for a, k in (affine(index) or {}).items() if tile.get(a, 1) > 1}
        box *= 1 + sum(abs(k) * (min(tile[a], view.sizes[a]) - 1) for a, k in steps.items())
        moving |= set(steps)
    return box > WASTE * prod(min(tile[axis], view.sizes[axis]) for axis in moving)


def _lanes(read: Read, choice: Choice, shape: tuple[int, ...]) -> int:
    """Count the elements of the widest load that every row of what is fetched is a multiple of."""
    if read.dtype is None or read.dtype.bits < 8 or not shape:
        return 1
    tx, rx, ty, ry, _ = choice.sizes
    view = choice.view
    parts = {choice.across: tx * rx, choice.down: ty * ry, view.reduced[0]: _part(view)}
    if any(uses(read.indices[-1], axis) and view.sizes[axis] % part for axis, part in parts.items()):
        return 1  # the last tile would start anywhere
    lanes = WIDEST_BYTES * 8 // read.dtype.bits
    while lanes > 1 and shape[-1] % lanes:
        lanes //= 2
    return lanes


def _names(root: View, view: View) -> Mapping[str, str] | None:
    """Match the axes of a contraction with those of the root."""
    if root is view:
        return {axis: axis for axis in view.stage.axes}
    read = next(r for r in root.reads if r.tensor == view.name)
    if not all(isinstance(i, Axis) for i in read.indices):
        return None
    return {
        axis: i.name for axis, i in zip(view.stage.axes, read.indices, strict=True) if isinstance(i, Axis)
    }


def _fitted(
    sizes: tuple[int, int, int, int, int], view: View, across: str, down: str, third: str | None
) -> tuple[int, int, int, int, int]:
    """Make a tile no larger than the axes are."""
    tx, rx, ty, ry, rz = sizes
    while tx * rx >= 2 * view.sizes[across] and rx > 1:
        rx //= 2
    while tx >= 2 * view.sizes[across]:
        tx //= 2
    while ty * ry >= 2 * view.sizes[down] and ry > 1:
        ry //= 2
    while ty >= 2 * view.sizes[down]:
        ty //= 2
    rz = 1 if third is None else min(rz, view.sizes[third])
    return tx, rx, ty, ry, rz


def write_tile(choice: Choice, writer: Writer) -> None:
    """Write the directives of a tile."""
    root, view = choice.root, choice.view
    tx, rx, ty, ry, rz = choice.sizes
    xb, xt, xr = _cut(f"{root.name}.{choice.names[choice.across]}", tx, rx, writer)
    yb, yt, yr = _cut(f"{root.name}.{choice.names[choice.down]}", ty, ry, writer)
    outer = [
        f"{root.name}.{axis}"
        for axis in root.stage.axes
        if axis not in {choice.names[a] for a in (choice.across, choice.down, choice.third) if a is not None}
    ]
    registers = [one for one in (yr, xr) if one]
    if choice.third is not None:
        loop = f"{root.name}.{choice.names[choice.third]}"
        if rz > 1:
            zb, zr = writer.split(loop, rz)
            outer.append(zb)
            registers.insert(0, zr)
        else:
            outer.append(loop)
    steps, at = _steps(view, xt, writer)
    if root is view:
        writer.order(*outer, yb, xb, yt, xt, *steps, *registers)
        writer.memory.append(Accumulate(view.name, "local"))
    else:
        writer.order(*outer, yb, xb, yt, xt, *registers)
        writer.compute_at(view.name, xt)
        inside = [a for a in (choice.third, choice.down, choice.across) if a is not None]
        writer.order(*steps, *(f"{view.name}.{axis}" for axis in inside))
        _unroll(
            [f"{view.name}.{a}" for a, n in zip(inside, (rz, ry, rx)[-len(inside) :], strict=True) if n > 1],
            writer,
        )
    if outer:
        writer.schedule.append(Bind(tuple(outer), "blockIdx.z"))
    for loop, tag in ((yb, "blockIdx.y"), (xb, "blockIdx.x"), (yt, "threadIdx.y"), (xt, "threadIdx.x")):
        writer.schedule.append(Bind((loop,), tag))
    _unroll(registers, writer)
    for tensor, lanes in choice.cached:
        writer.memory.append(_cache(choice, tensor, lanes, at))


def _cache(choice: Choice, tensor: str, lanes: int, at: str) -> Cache:
    """Fetch a tile so that threads side by side read different banks of shared memory."""
    read = next(r for r in choice.view.reads if r.tensor == tensor)
    dims = [d for d, index in enumerate(read.indices) if uses(index, choice.across)]
    bits = 32 if read.dtype is None else read.dtype.bits
    last = len(read.indices) - 1
    if len(dims) != 1 or dims[0] == last or bits not in (8, 16, 32):
        return Cache(tensor, "shared", at, vector=lanes)
    word = BANK_BITS // bits
    if last == 1 and _part(choice.view) % (2 * word) == 0:
        return Cache(
            tensor, "shared", at, vector=min(lanes, word), pad=word
        )  # rows of an odd number of words
    axes = tuple(f"a{d}" for d in range(last + 1))
    pieces = (*(Piece(axis) for d, axis in enumerate(axes) if d != dims[0]), Piece(axes[dims[0]]))
    return Cache(tensor, "shared", at, pad=word, layout=LayoutSpec(axes, pieces))


def _unroll(loops: list[str], writer: Writer) -> None:
    if loops:
        writer.mark(Unroll, *loops)


def _cut(loop: str, threads: int, elements: int, writer: Writer) -> tuple[str, str, str]:
    """Split a loop into blocks, threads and what a thread computes; the last is empty where that is one."""
    if elements > 1:
        block, thread, register = writer.split(loop, threads, elements)
        return block, thread, register
    block, thread = writer.split(loop, threads)
    return block, thread, ""


def _part(view: View) -> int:
    """Count the iterations of the first reduction axis that are fetched together."""
    return max(1, CHUNK // prod(view.sizes[axis] for axis in view.reduced[1:]))


def _steps(view: View, thread: str, writer: Writer) -> tuple[tuple[str, ...], str]:
    """Cut the first reduction axis into parts that are fetched together; give the loops and the place."""
    first, *rest = (f"{view.name}.{axis}" for axis in view.reduced)
    part = _part(view)
    size = view.sizes[view.reduced[0]]
    if size <= part:
        return (first, *rest), thread
    if part == 1:
        return (first, *rest), first
    outer, inner = writer.split(first, part)
    return (outer, inner, *rest), outer
