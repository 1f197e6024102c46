"""An estimate of a run: what each root nest costs in arithmetic and in bytes, and what the roofline says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from edgekernelbench.analysis.gpu_pricing import price_on_gpu
from edgekernelbench.analysis.levels import Level, footprint, levels_of, traffic
from edgekernelbench.analysis.machine import Machine
from edgekernelbench.analysis.pricing import Price, price_site
from edgekernelbench.analysis.sites import Site, sites_of
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.counting import Count, Counter
from edgekernelbench.nest.tree import Buffer, Nest, Role

OUTSIDE = (Role.PARAM, Role.OUTPUT)
"""Buffers that come from memory and go there: the judge gives a run new ones each time."""


@dataclass(frozen=True)
class Root:
    """One root nest.

    Attributes:
        machine: The device.
        sites: Its statements, in order.
        prices: What each costs.
        held: Bytes of all buffers of the run that are neither parameters nor outputs.
    """

    machine: Machine
    sites: tuple[Site, ...]
    prices: tuple[Price, ...]
    held: int

    @cached_property
    def heaviest(self) -> int:
        """Which statement costs most."""
        return max(range(len(self.prices)), key=lambda place: self.prices[place].core)

    @cached_property
    def core(self) -> float:
        """Cycles of the cores."""
        return sum(price.wall for price in self.prices)

    @cached_property
    def bytes(self) -> Mapping[str, int]:
        """Bytes that it touches, by buffer, each once."""
        return footprint(self.sites, 0)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The working set at each loop round its heaviest statement."""
        return levels_of(self.sites[self.heaviest], self.sites)

    @cached_property
    def fetched(self) -> int:
        """Bytes that the last cache of a core has to fetch."""
        caches = self.machine.profile.cache_bytes
        if self.machine.is_gpu or not caches:
            return sum(self.bytes.values())
        return traffic(self.levels, caches[-1], self.sites[self.heaviest])

    @cached_property
    def memory(self) -> float:
        """Cycles that bytes take: those of parameters and outputs from memory, others from where they fit."""
        buffers = self.sites[0].buffers
        far = sum(size for name, size in self.bytes.items() if buffers[name].role in OUTSIDE)
        near = sum(self.bytes.values()) - far
        once = far / self.machine.memory + near / self.machine.near(self.held)
        return max(
            once, self.fetched / self.machine.memory if self.fetched > sum(self.bytes.values()) else 0.0
        )

    def is_copy(self, place: int) -> bool:
        """Say whether a statement fills a packed parameter or a cache: it belongs to no stage."""
        return not self.sites[place].stmt.stage

    @property
    def cycles(self) -> float:
        """Cycles of the nest: arithmetic and bytes overlap."""
        return max(self.core, self.memory)

    def saved(self, place: int, wall: float) -> float:
        """Give the cycles that go when one statement takes other time than it does."""
        core = self.core - self.prices[place].wall + wall
        return max(0.0, self.cycles - max(core, self.memory))


@dataclass(frozen=True)
class Estimate:
    """One run.

    Attributes:
        machine: The device.
        nest: What is run.
        roots: Its root nests.
        count: Operations of one run.
        moved: Bytes of parameters and outputs that the run touches.
        dtype: The type that most operations are in.
    """

    machine: Machine
    nest: Nest
    roots: tuple[Root, ...]
    count: Count
    moved: int
    dtype: DType

    @cached_property
    def cycles(self) -> float:
        """Cycles of one run."""
        return max(1.0, sum(root.cycles for root in self.roots))

    @property
    def operations(self) -> int:
        """Operations of one run."""
        return self.count.flops + self.count.integer_ops

    @property
    def compute_bound(self) -> float:
        """Cycles that the operations take at the peak."""
        return self.operations / self.machine.peak(self.dtype)

    @property
    def memory_bound(self) -> float:
        """Cycles that parameters and outputs take to come and go once."""
        return self.moved / self.machine.memory

    @property
    def bound(self) -> float:
        """Cycles below which this variant cannot come."""
        return max(self.compute_bound, self.memory_bound)


def estimate(nest: Nest, machine: Machine) -> Estimate:
    """Estimate a run of a nest.

    Args:
        nest: The nest.
        machine: The device.
    """
    sites = sites_of(nest)
    buffers = sites[0].buffers if sites else {}
    touched = {access.buffer.name for site in sites for access in (*site.reads, site.target)}
    held = sum(_bytes(b) for name, b in buffers.items() if name in touched and b.role not in OUTSIDE)
    price = price_on_gpu if machine.is_gpu else price_site
    roots = []
    for _, group in groupby(sites, key=lambda site: site.root):
        members = tuple(group)
        roots.append(Root(machine, members, tuple(price(site, machine) for site in members), held))
    moved = sum(_bytes(b) for name, b in buffers.items() if name in touched and b.role is not Role.WORK)
    heaviest = max(roots, key=lambda root: root.core, default=None)
    dtype = DType.F32 if heaviest is None else heaviest.sites[heaviest.heaviest].target.buffer.dtype
    count = Counter(buffers).block(nest.body, in_vector=False)
    return Estimate(machine, nest, tuple(roots), count, moved, dtype)


def _bytes(buffer: Buffer) -> int:
    size = 1
    for extent in buffer.shape:
        size *= extent
    return size * max(4, buffer.dtype.bits) // 8
