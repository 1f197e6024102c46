"""What holds a kernel back on a CPU: rules about one statement, each with what mending it would save."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from edgekernelbench.analysis.estimate import Estimate, Root
from edgekernelbench.analysis.machine import LATENCY, PORTS, Machine
from edgekernelbench.analysis.movement import stride
from edgekernelbench.analysis.naming import Names
from edgekernelbench.analysis.pricing import GATHER, Price, shared_out, summing, sums_of, work_type
from edgekernelbench.analysis.report import Bottleneck, Finding
from edgekernelbench.analysis.sites import Access, Site
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Cast, Expr, Read, Select
from edgekernelbench.ir.walk import walk
from edgekernelbench.lowering.emit import PARALLEL_WORK
from edgekernelbench.nest.tree import Kind, Loop, Mark, Role, Update

LEAST_SHARE = 0.02
"""What costs a smaller part of the time is not mentioned."""

DOTS = ("dot4", "wmma.16x16x16")
"""Instructions for sums of products of 8-bit numbers, the first that a device has."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement that rules look at.

    Attributes:
        whole: The run.
        root: Its root nest.
        place: Its number there.
        names: Finds directives.
    """

    whole: Estimate
    root: Root
    place: int
    names: Names

    @property
    def site(self) -> Site:
        """The statement."""
        return self.root.sites[self.place]

    @property
    def price(self) -> Price:
        """What it costs."""
        return self.root.prices[self.place]

    @property
    def machine(self) -> Machine:
        """The device."""
        return self.root.machine

    def share(self, wall: float) -> float:
        """Give the part of the run that goes when the statement takes so many cycles."""
        return self.root.saved(self.place, wall) / self.whole.cycles


def statement_findings(spot: Spot) -> Iterator[Finding]:
    """Look at one statement on a CPU.

    Args:
        spot: The statement.

    Yields:
        What holds it back, whatever its share.
    """
    if spot.root.is_copy(spot.place):
        yield _copy(spot)
        return
    yield from _cores(spot)
    dots = tuple(_dots(spot))
    yield from dots
    scalar = tuple(_vectors(spot))
    yield from scalar
    yield from _apart(spot)
    if spot.site.vector is not None or not scalar:  # numbers one at a time are the first thing to mend
        yield from _sums(spot)
    yield from _reuse(spot)
    yield from _guards(spot)


def _copy(spot: Spot) -> Finding:
    name = spot.site.stmt.buffer
    size = spot.root.bytes.get(name, 0)
    said = f"{name} is filled in each run: {size:,} B that are moved before they are used; "
    return Finding(
        Layer.MEMORY,
        Bottleneck.PACKING,
        said + "drop its layout or cache, or let the stage before store it so",
        spot.names.memory(name),
        spot.share(0.0),
    )


def _cores(spot: Spot) -> Iterator[Finding]:
    units, found = spot.machine.units, spot.price.speedup
    work = sum(price.core for price in spot.root.prices)
    if found > 0.8 * units or work < PARALLEL_WORK / 4:
        return
    count = shared_out(spot.site)
    loop = next((one for one in spot.site.loops if one.mark is Mark.PARALLEL), None)
    if loop is None:
        first = next((one for one in spot.site.loops if one.kind is Kind.DATA and one.extent > 1), None)
        hint = (
            f": parallel({first.var}) shares it out"
            if first is not None and first.mark is Mark.SERIAL
            else ""
        )
        said = f"{spot.site.stage} runs on one of {units} cores{hint}"
        directive = ""
    else:
        said = f"{spot.site.stage} shares {count} iterations out to {units} cores, as good as {found:.1f}"
        said += ": let the next loop inside be parallel too, or cut into smaller pieces"
        directive = spot.names.mark(loop.var)
    yield Finding(Layer.SCHEDULE, Bottleneck.PARALLEL, said, directive, spot.share(spot.price.core / units))


def _dots(spot: Spot) -> Iterator[Finding]:
    """Find sums of products of 8-bit numbers that are not left to the instruction for them."""
    site = spot.site
    narrow = [one for one in site.reads if one.buffer.dtype in (DType.I8, DType.U8)]
    instruction = next((name for name in DOTS if name in spot.machine.profile.instructions), None)
    is_sum = isinstance(site.stmt, Update) and site.stmt.kind == "sum"
    if not is_sum or instruction is None or len(narrow) != 2 or len(narrow) != len(site.reads):
        return
    if any(loop.mark is Mark.TENSOR for loop in site.loops):
        return
    match site.stmt.value:
        case Binary(op="*", left=left, right=right) if all(_is_bare(one) for one in (left, right)):
            layer, how = Layer.SCHEDULE, f'tensorize("{instruction}", …) does several in one instruction'
        case Binary(op="*"):
            layer = Layer.COMPUTE
            how = (
                "a sum of (x - zero) * w is the sum of x * w less zero times the sum of w, which can be "
                f'precomputed: then tensorize("{instruction}", …) does several in one instruction'
            )
        case _:
            return
    said = f"{site.stage} multiplies 8-bit numbers in 32 bits: {how}"
    yield Finding(layer, Bottleneck.ARITHMETIC, said, "", spot.share(spot.price.wall / 3))


def _is_bare(node: Expr) -> bool:
    """Say whether a factor is a read, widened at most."""
    while isinstance(node, Cast):
        node = node.operand
    return isinstance(node, Read)


def _vectors(spot: Spot) -> Iterator[Finding]:
    site, price, machine = spot.site, spot.price, spot.machine
    dtype = work_type(site)
    lanes = machine.lanes(dtype)
    if site.vector is None:
        axis = smooth_loop(site, lanes)
        if axis is None:
            return
        kind = "rfactor of a split of it makes lanes" if axis.kind is Kind.REDUCTION else "make it the vector"
        said = f"{site.stage} computes one number at a time; along {axis.var} every access moves to a "
        said += f"neighbour: {kind}"
        yield Finding(
            Layer.SCHEDULE,
            Bottleneck.VECTOR,
            said,
            spot.names.order(site.stage),
            spot.share(price.wall / lanes),
        )
        return
    extent = site.vector.extent
    filled = extent / (machine.vectors(extent, dtype) * lanes)
    if filled < 0.95:
        near = max(lanes, round(extent / lanes) * lanes)
        said = (
            f"the vector {site.vector.var} of {site.stage} has {extent} iterations for registers of {lanes}: "
            f"{1 - filled:.0%} of the lanes are idle; {near} fills them"
        )
        directive = spot.names.split(site.vector.var) or spot.names.mark(site.vector.var)
        yield Finding(Layer.SCHEDULE, Bottleneck.VECTOR, said, directive, spot.share(price.wall * filled))


def smooth_loop(site: Site, lanes: int) -> Loop | None:
    """Find a loop along which every access stays or moves to a neighbour: a vector, if it is long enough."""
    found: list[tuple[bool, Loop]] = []
    for loop in site.loops:
        least = 2 * lanes if loop.kind is Kind.REDUCTION else lanes // 2
        if loop.extent < least or loop.mark is not Mark.SERIAL or loop.kind is Kind.ORDERED:
            continue
        moves = [stride(site, access, loop.var) for access in (*site.reads, site.target)]
        if all(move in (0, 1) for move in moves) and 1 in moves:
            found.append((loop.kind is Kind.DATA, loop))
    return max(found, key=lambda one: (one[0], one[1].extent), default=(False, None))[1]


def _apart(spot: Spot) -> Iterator[Finding]:
    site, price = spot.site, spot.price
    if site.vector is None or price.scattered <= 0:
        return
    lanes = spot.machine.lanes(work_type(site))
    joined = price.loads - price.scattered + price.scattered / GATHER / lanes
    share = spot.share(price.without(loads=joined))
    bad = [(one, stride(site, one, site.vector.var)) for one in (*site.reads, site.target)]
    bad = [
        (one, moved) for one, moved in bad if site.follows(one, site.vector.var) and moved not in (0, 1, -1)
    ]
    for access, moved in bad:
        word = "writes" if access.writes else "reads"
        how = "out of order" if moved is None else f"with stride {abs(moved):,}"
        said = f"vectorize({site.vector.var}) of {site.stage} {word} {access.buffer.name} {how}"
        yield Finding(
            _mender(access, moved),
            Bottleneck.STRIDE,
            said + _layout_hint(spot, access, moved),
            spot.names.memory(access.buffer.name) or spot.names.mark(site.vector.var),
            share / len(bad),
        )


def _mender(access: Access, moved: int | None) -> Layer:
    if moved is None:
        return Layer.COMPUTE if _by_data(access) else Layer.MEMORY
    return Layer.SCHEDULE if access.buffer.role is Role.OUTPUT else Layer.MEMORY


def _layout_hint(spot: Spot, access: Access, moved: int | None) -> str:
    """Give the layout that the check advises for this access, if it knows one."""
    if moved is None and not _by_data(access):
        return ": its layout takes the axis of the vector apart"
    if moved is None:
        return ": take the choice out of the index, or make another loop the vector"
    word = "writes" if access.writes else "reads"
    loop = spot.site.vector.var if spot.site.vector is not None else ""
    start = f"vectorize({loop}) {word} {access.buffer.name} with stride"
    advice = next((one for one in spot.whole.nest.advice if one.startswith(start)), "")
    _, colon, hint = advice.partition(": ")
    return f"{colon}{hint}" if hint else ": store the axis of the vector last"


def _by_data(access: Access) -> bool:
    return any(isinstance(node, Read | Select) for index in access.indices for node in walk(index))


def _sums(spot: Spot) -> Iterator[Finding]:
    site, price, machine = spot.site, spot.price, spot.machine
    if not isinstance(site.stmt, Update) or price.steps <= 1:
        return
    sums = sums_of(site, machine)
    reduces = any(loop.kind is Kind.REDUCTION and loop.extent > 1 for loop in site.loops)
    if not summing(site):
        if reduces and site.stmt.kind in ("sum", "max", "min", "prod"):
            said = (
                f"{site.stage} loads and stores its sums at every step: no reduction loop stands next to the "
                "tile; order one there, so that they stay in registers"
            )
            wall = price.without(loads=max(0.0, price.loads - 2 * sums))
            yield Finding(
                Layer.SCHEDULE, Bottleneck.REGISTERS, said, spot.names.order(site.stage), spot.share(wall)
            )
        return
    busy = max(price.arithmetic, price.loads / PORTS)
    if price.waiting > busy:
        said = (
            f"{site.stage} has {sums} sum{'s' if sums > 1 else ''} in flight; a core needs {LATENCY * PORTS} "
            "to be busy: unroll another data loop inside the reduction, or rfactor a longer one"
        )
        yield Finding(
            Layer.SCHEDULE,
            Bottleneck.REGISTERS,
            said,
            spot.names.order(site.stage),
            spot.share(price.without(waiting=busy)),
        )
    if price.spilled > 0:
        said = (
            f"the tile of {site.stage} has {sums} accumulators for {machine.profile.vector_registers} "
            "registers: what is too many goes through memory at every step; make it smaller"
        )
        tiled = site.tile[0].var if site.tile else ""
        yield Finding(
            Layer.SCHEDULE,
            Bottleneck.REGISTERS,
            said,
            spot.names.split(tiled) or spot.names.mark(tiled),
            spot.share(price.without(spilled=0.0)),
        )


def _reuse(spot: Spot) -> Iterator[Finding]:
    """Find a tile that loads more than it computes, though an operand could be used again."""
    site, price = spot.site, spot.price
    if site.vector is None or not summing(site) or price.scattered > 0:
        return
    waiting = price.loads / PORTS
    if waiting <= 1.1 * max(price.arithmetic, price.waiting):
        return
    free = [
        loop
        for loop in site.loops
        if loop.kind is Kind.DATA
        and loop.extent > 1
        and loop.mark in (Mark.SERIAL, Mark.UNROLL)
        and any(not site.follows(read, loop.var) for read in site.reads)
    ]
    if not free:
        return
    said = (
        f"{site.stage} does {price.loads:.1f} loads for {price.arithmetic * PORTS:.0f} vector operations: "
        f"unroll more along {free[-1].var}, where an operand stays"
    )
    yield Finding(
        Layer.SCHEDULE,
        Bottleneck.REGISTERS,
        said,
        spot.names.split(free[-1].var) or spot.names.order(site.stage),
        spot.share(price.without(loads=price.arithmetic * PORTS)),
    )


def _guards(spot: Spot) -> Iterator[Finding]:
    site, price = spot.site, spot.price
    inner = {loop.var for loop in site.tile}
    tested = [one for one in site.conditions if any(site.moves(one, var) for var in inner)]
    if not tested:
        return
    count = prod(loop.extent for loop in site.tile)
    said = (
        f"{site.stage} tests a condition inside its tile of {count}: let the split divide, "
        "or take the edge out in a padded stage"
    )
    yield Finding(
        Layer.SCHEDULE,
        Bottleneck.OVERHEAD,
        said,
        spot.names.split(site.tile[-1].var) if site.tile else "",
        spot.share(price.without(guards=price.guards - len(tested))),
    )
