"""What a statement costs on a core: instructions, loads and waiting, in cycles of the model."""

from dataclasses import dataclass, replace
from math import ceil, prod

from edgekernelbench.analysis.machine import LATENCY, PORTS, Machine
from edgekernelbench.analysis.movement import stride
from edgekernelbench.analysis.sites import TILE, Access, Site
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Expr
from edgekernelbench.ir.walk import walk
from edgekernelbench.lowering.access import cost
from edgekernelbench.nest.tree import Kind, Loop, Mark, Update

WIDE = 64
GUARD = 1.0
"""Cycles of a condition that is tested at a step."""

LOOP = 0.5
"""Cycles of a step of the loop itself."""

GATHER = 2.0
"""Loads that one lane costs when the lanes lie apart: the load, and putting it in its place."""


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of one site.

    Attributes:
        steps: How often its tile is computed.
        vectors: Registers, or numbers, that one tile computes.
        arithmetic: Cycles of arithmetic of one tile.
        loads: Loads and stores of one tile.
        scattered: Those of them that lie apart.
        waiting: Cycles until a tile can follow the one before, when each adds to the same sums.
        spilled: Loads and stores of accumulators that do not fit the registers.
        guards: Conditions that are tested for each tile.
        speedup: Cores at work, at the pace of the one that works longest.
    """

    steps: float
    vectors: int
    arithmetic: float
    loads: float
    scattered: float
    waiting: float
    spilled: float
    guards: float
    speedup: float

    @property
    def step(self) -> float:
        """Cycles of one tile."""
        memory = (self.loads + self.spilled) / PORTS
        return max(self.arithmetic, memory, self.waiting) + self.guards * GUARD + LOOP

    @property
    def core(self) -> float:
        """Cycles of all tiles on one core."""
        return self.steps * self.step

    @property
    def wall(self) -> float:
        """Cycles until the last core is done."""
        return self.core / self.speedup

    def without(self, **changed: float) -> float:
        """Give the cycles that would remain if some of it were different."""
        return replace(self, **changed).wall  # type: ignore[arg-type]


def work_type(site: Site) -> DType:
    """Give the widest type that a statement computes in, narrow integers and floats in 32 bits."""
    types = [site.target.buffer.dtype, *(read.buffer.dtype for read in site.reads)]
    types += [node.dtype for node in _values(site.stmt.value) if node.dtype is not None]
    return max(types, key=lambda one: max(32, one.bits))


def _values(node: Expr) -> tuple[Expr, ...]:
    """List the nodes of a value that are no indices: those inside reads are."""
    return tuple(part for part in walk(node) if part.dtype is not DType.I32)


def price_site(site: Site, machine: Machine) -> Price:
    """Price a statement on a CPU.

    Args:
        site: The statement.
        machine: The device.
    """
    dtype = work_type(site)
    unrolled = [loop for loop in site.tile if loop is not site.vector]
    lanes = machine.vectors(site.vector.extent, dtype) if site.vector else 1
    vectors = lanes * prod(loop.extent for loop in unrolled if loop.mark is not Mark.TENSOR)
    inside = prod(loop.extent for loop in site.tile)
    if site.vector is not None and not any(loop is site.vector for loop in site.tile):
        inside *= site.vector.extent
    steps = site.runs / inside
    loads = scattered = 0.0
    for access in site.reads:
        one, apart = _loads(site, access, lanes, machine, dtype)
        loads += one
        scattered += apart
    held = summing(site)
    sums = _sums(site, lanes)
    stored, apart = _loads(site, site.target, lanes, machine, dtype)
    scattered += 0.0 if held else apart
    if not held:
        loads += stored * (2 if isinstance(site.stmt, Update) else 1)
    over = max(0, sums - machine.registers) if held else 0
    return Price(
        steps=steps,
        vectors=vectors,
        arithmetic=operations(site) * vectors / PORTS,
        loads=loads,
        scattered=scattered,
        waiting=float(LATENCY) if held and dtype.is_float else 1.0 if held else 0.0,
        spilled=2.0 * over,
        guards=float(len(site.conditions)),
        speedup=speedup(site, machine),
    )


def operations(site: Site) -> float:
    """Count the instructions of one element; a product that is added is one."""
    own = float(cost(site.stmt.value))
    if isinstance(site.stmt, Update):
        fused = site.stmt.kind == "sum" and isinstance(site.stmt.value, Binary) and site.stmt.value.op == "*"
        own += 0.0 if fused else 1.0
    return max(own, 0.5)


def _loads(site: Site, access: Access, lanes: int, machine: Machine, dtype: DType) -> tuple[float, float]:
    """Count the loads of an access for one tile, and those of them that lie apart."""
    times = prod(
        loop.extent
        for loop in site.tile
        if loop is not site.vector and loop.mark is not Mark.TENSOR and site.follows(access, loop.var)
    )
    apart = False
    each = 1.0
    if site.vector is not None and site.follows(access, site.vector.var):
        moved = stride(site, access, site.vector.var)
        dots = any(loop.mark is Mark.TENSOR for loop in site.tile)
        apart = not dots and (moved is None or abs(moved) > 1)
        each = GATHER * min(site.vector.extent, lanes * machine.lanes(dtype)) if apart else float(lanes)
    total = times * each * hoisted(site, access)
    return total, total if apart else 0.0


def hoisted(site: Site, access: Access) -> float:
    """Give the part of the steps in which an access is needed: it stays while no loop moves it."""
    share = 1.0
    for loop in reversed(_serial(site)):
        if site.follows(access, loop.var):
            break
        share /= loop.extent
    return share


def _serial(site: Site) -> tuple[Loop, ...]:
    """List the loops round the tile that run one step after another."""
    return tuple(loop for loop in site.loops if loop.mark not in TILE and loop.mark is not Mark.PARALLEL)


def summing(site: Site) -> bool:
    """Say whether the loop next to the tile adds to the same elements, so that they can stay in registers."""
    if not isinstance(site.stmt, Update):
        return False
    serial = _serial(site)
    return (
        bool(serial) and serial[-1].kind is Kind.REDUCTION and not site.follows(site.target, serial[-1].var)
    )


def _sums(site: Site, lanes: int) -> int:
    """Count the accumulators of one tile."""
    others = (loop for loop in site.tile if loop is not site.vector and site.follows(site.target, loop.var))
    return lanes * prod(loop.extent for loop in others)


def sums_of(site: Site, machine: Machine) -> int:
    """Count the registers that the accumulators of a tile take."""
    lanes = machine.vectors(site.vector.extent, work_type(site)) if site.vector else 1
    return _sums(site, lanes)


def shared_out(site: Site) -> int:
    """Count the iterations that are shared out to the cores round a statement."""
    return prod(loop.extent for loop in site.loops if loop.mark is Mark.PARALLEL)


def speedup(site: Site, machine: Machine) -> float:
    """Give how many cores are at work, at the pace of the one with the most iterations."""
    count = shared_out(site)
    return count / ceil(count / machine.units)
