"""The least time that a workload can take on a device, and whether a kernel claims to take less.

What is counted is what its canonical text does. Another algorithm may do less, so a kernel below the
roofline is flagged, not refused.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from edgekernelbench.compiler.arrays import elements, stored_bytes
from edgekernelbench.compiler.cost import report_nest
from edgekernelbench.evaluator.timing import set_count
from edgekernelbench.ir.expr import Expr, Logic, Read, Select
from edgekernelbench.ir.walk import children, walk
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Allocate, Buffer, Guard, Let, Loop, Stmt, Store, Update
from edgekernelbench.profiles.peaks import NS_PER_SECOND, Peaks
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import RooflineRecord
from edgekernelbench.records.outcome import Ring
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload

FASTER_THAN_ROOFLINE = "faster-than-roofline"
"""Flag of a judgement: its kernel takes less time than its device seems to need."""

MEMORY_MARGIN = 1.25
"""Peaks are measured with simple kernels; so much faster may another one move bytes."""

COMPUTE_MARGIN = 4.0
"""Algorithms that do less than the canonical text: Winograd's with tiles of 4 x 4 does a quarter. One that
saves more, such as a Fourier transform in place of a sum over all samples, is flagged, and rightly asked
about."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What every run of a workload must do.

    Attributes:
        operations: Of the canonical text.
        moved_bytes: Outputs, and parameters of which every element is read whatever the data say.
        const_bytes: The part of them that is constant, and stays where it is between runs.
        element_bytes: Size of the narrowest element among parameters and outputs.
    """

    operations: int
    moved_bytes: int
    const_bytes: int
    element_bytes: float

    def working_set(self, cache_bytes: int, runs: int) -> int:
        """Say among how many bytes a timed run finds its own, when buffers rotate.

        Args:
            cache_bytes: What the sets must exceed together.
            runs: Kernel runs in a sample: there are at most so many sets.
        """
        rotated = self.moved_bytes - self.const_bytes
        return rotated * min(set_count(rotated, cache_bytes), runs) + self.const_bytes


def needs_of(workload: Workload, profile: Profile) -> Needs:
    """Count what a workload needs on a device."""
    nest = build_nest(verify_compute(workload.kernel()), profile.target, profile)
    count = report_nest(nest, profile).count
    reads = _Reads()
    reads.block(nest.body, times=1, sure=True)
    params = [b for b in nest.params if reads.covers(b)]
    const = {p.name for p in workload.kernel().params if p.const}
    buffers = [*nest.params, *nest.outputs]
    return Needs(
        operations=count.flops + count.integer_ops,
        moved_bytes=_bytes(params) + _bytes(nest.outputs),
        const_bytes=_bytes(b for b in params if b.name in const),
        element_bytes=min(stored_bytes(b) / elements(b) for b in buffers),
    )


def _bytes(buffers: Iterable[Buffer]) -> int:
    return sum(map(stored_bytes, buffers))


@dataclass(slots=True)
class _Reads:
    """How often each buffer is read for sure, and which are read at places that data choose."""

    times: dict[str, int] = field(default_factory=dict)
    chosen: set[str] = field(default_factory=set)

    def covers(self, buffer: Buffer) -> bool:
        """Whether every element is read: as often as there are elements, at places that are fixed."""
        return buffer.name not in self.chosen and self.times.get(buffer.name, 0) >= elements(buffer)

    def block(self, body: tuple[Stmt, ...], *, times: int, sure: bool) -> None:
        for stmt in body:
            match stmt:
                case Loop():
                    self.block(stmt.body, times=times * stmt.extent, sure=sure)
                case Let() | Allocate():
                    self.block(stmt.body, times=times, sure=sure)
                case Guard():
                    self.block(stmt.body, times=times, sure=False)
                case Store() | Update():
                    self._note(stmt, times, sure=sure)
                case _:
                    assert_never(stmt)

    def _note(self, stmt: Store | Update, times: int, *, sure: bool) -> None:
        for read, always in _reads_in(stmt.value, sure=sure):
            if always:
                self.times[read.tensor] = self.times.get(read.tensor, 0) + times
            if any(isinstance(node, Read) for index in read.indices for node in walk(index)):
                self.chosen.add(read.tensor)


def _reads_in(expr: Expr, *, sure: bool) -> Iterator[tuple[Read, bool]]:
    """List the reads of an expression, with whether they happen whatever the data are."""
    if isinstance(expr, Read):
        yield expr, sure
    always = sure and not isinstance(expr, Select | Logic)
    for child in children(expr):
        yield from _reads_in(child, sure=always)


def bound_of(needs: Needs, peaks: Peaks, profile: Profile, ring: Ring) -> RooflineRecord:
    """Say how long a run takes at least, by each roof.

    Args:
        needs: What it must do.
        peaks: What the device reaches.
        profile: The device.
        ring: How it was measured.
    """
    width = max(1.0, 4 / needs.element_bytes)
    cache_bytes = profile.cache_bytes[-1] if profile.cache_bytes else 0
    working_set = needs.working_set(cache_bytes, ring.kernel.runs)
    return RooflineRecord(
        memory_ns=needs.moved_bytes / peaks.bandwidth(working_set) * NS_PER_SECOND,
        compute_ns=needs.operations / (peaks.operations_per_s * width) * NS_PER_SECOND,
        launch_ns=peaks.launch_ns,
        working_set_bytes=working_set,
    )


def is_faster(ring: Ring, bound: RooflineRecord) -> bool:
    """Whether a kernel took less time than its device seems to need."""
    took = ring.kernel.per_run
    return took * MEMORY_MARGIN < bound.memory_ns or took * COMPUTE_MARGIN < bound.compute_ns
