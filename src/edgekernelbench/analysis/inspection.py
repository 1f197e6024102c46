"""The public function: what bounds a kernel on a device, before it runs."""

from collections.abc import Iterator
from dataclasses import dataclass

from edgekernelbench.analysis.bytes import nest_findings
from edgekernelbench.analysis.cpu import LEAST_SHARE, Spot, statement_findings
from edgekernelbench.analysis.estimate import Estimate, estimate
from edgekernelbench.analysis.gpu import launch_findings
from edgekernelbench.analysis.machine import Machine
from edgekernelbench.analysis.naming import Names
from edgekernelbench.analysis.report import Bottleneck, Finding, StaticReport
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.nest.counting import Counter
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.peaks import Bound, Peaks, Roof
from edgekernelbench.profiles.profile import Profile

OVERHEAD_CYCLES = 4_000
"""Under this a run is mostly the call itself, and on several cores waking them."""

MOST = 12
"""Findings that a report has at the most: one bottleneck at a time is what helps."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a compiler said of an artifact, where there is one.

    Attributes:
        spill_bytes: Bytes that a thread moves because registers ran out; None when it does not say.
        code_bytes: Size of the machine code; None likewise.
    """

    spill_bytes: int | None = None
    code_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Inspection:
    """A report with the estimate that it rests on."""

    report: StaticReport
    estimate: Estimate


def inspect_nest(
    nest: Nest, kernel: Kernel, profile: Profile, built: Built | None = None, peaks: Peaks | None = None
) -> Inspection:
    """Say what bounds a kernel, one bottleneck after another, the costliest first.

    Args:
        nest: The kernel for one target.
        kernel: Its text, for the directives that findings belong to.
        profile: The device.
        built: What a compiler said of it.
        peaks: What the device was measured to reach.

    Returns:
        The report, and the estimate behind it.
    """
    whole = estimate(nest, Machine(profile))
    names = Names(kernel, nest.target)
    found = sorted(_findings(whole, names, built), key=lambda one: -one.share)
    kept = [one for one in _distinct(found) if one.share >= LEAST_SHARE][:MOST]
    return Inspection(
        StaticReport(
            flops=whole.operations,
            bytes_moved=whole.moved,
            bound_ns=None if peaks is None else bound_by(whole, peaks).ns,
            bound_class=bound_class(whole) if peaks is None else ROOFS[bound_by(whole, peaks).roof],
            findings=tuple(kept),
        ),
        whole,
    )


def bound_by(whole: Estimate, peaks: Peaks) -> Bound:
    """Say how long a run takes at least on a device that was measured.

    What stands behind a condition is left out, since it may never be done; narrow numbers are taken to be
    done so much faster: a bound that is too low ends no search too early.
    """
    sites = [site for root in whole.roots for site in root.sites]
    sure = [site for site in sites if not site.conditions]
    counted = (Counter(site.buffers).block((site.stmt,), in_vector=False).times(site.runs) for site in sure)
    operations = sum(count.flops + count.integer_ops for count in counted)
    widths = [read.buffer.dtype.bits / 8 for site in sure for read in site.reads]
    return peaks.bound(
        operations=operations,
        traffic=whole.moved,
        working_set=whole.moved,
        element_bytes=max(1.0, min(4.0, *widths, 4.0)),
    )


ROOFS = {
    Roof.COMPUTE: Bottleneck.ARITHMETIC,
    Roof.MEMORY: Bottleneck.BANDWIDTH,
    Roof.LAUNCH: Bottleneck.OVERHEAD,
}
"""What a measured bound is made of."""


def bound_class(whole: Estimate) -> Bottleneck:
    """Say what the roofline of a run is made of."""
    if whole.bound < OVERHEAD_CYCLES:
        return Bottleneck.OVERHEAD
    return Bottleneck.ARITHMETIC if whole.compute_bound >= whole.memory_bound else Bottleneck.BANDWIDTH


def _findings(whole: Estimate, names: Names, built: Built | None) -> Iterator[Finding]:
    if whole.machine.is_gpu:
        yield from launch_findings(whole, names)
    else:
        for root in whole.roots:
            for place, price in enumerate(root.prices):
                if price.wall >= LEAST_SHARE * whole.cycles:
                    yield from statement_findings(Spot(whole, root, place, names))
    yield from nest_findings(whole, names)
    if built is not None and built.spill_bytes:
        yield _spilled(whole, names, built.spill_bytes)
    if whole.cycles < OVERHEAD_CYCLES:
        said = f"about {whole.cycles:,.0f} cycles of work: the call itself counts; fewer nests help"
        yield Finding(Layer.SCHEDULE, Bottleneck.OVERHEAD, said, "", LEAST_SHARE)


def _spilled(whole: Estimate, names: Names, size: int) -> Finding:
    heaviest = max(whole.roots, key=lambda root: root.core)
    site = heaviest.sites[heaviest.heaviest]
    said = f"the compiler spilled {size:,} B of registers; let a tile of {site.stage} be smaller"
    return Finding(Layer.SCHEDULE, Bottleneck.REGISTERS, said, names.order(site.stage), 0.1)


def _distinct(found: list[Finding]) -> list[Finding]:
    """Leave out what is said twice, as of the two statements of one stage."""
    seen: set[str] = set()
    kept = []
    for one in found:
        if one.message not in seen:
            seen.add(one.message)
            kept.append(one)
    return kept
