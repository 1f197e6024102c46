"""What holds a kernel back beyond single statements: caches, memory, work done twice, the roofline."""

from collections.abc import Iterator

from edgekernelbench.analysis.estimate import OUTSIDE, Estimate, Root
from edgekernelbench.analysis.levels import fitting
from edgekernelbench.analysis.naming import Names
from edgekernelbench.analysis.report import Bottleneck, Finding
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.nest.tree import Role

TWICE = 1.05
"""How often an element may be computed before it is mentioned."""

NEAR_BOUND = 0.8
"""Part of the estimate from which on the roofline is what is left to work on."""


def nest_findings(whole: Estimate, names: Names) -> Iterator[Finding]:
    """Look at a run as a whole.

    Args:
        whole: The run.
        names: Finds directives.

    Yields:
        What holds it back, whatever its share.
    """
    for root in whole.roots:
        yield from _cache(root, whole, names)
    yield from _between(whole, names)
    yield from _recompute(whole, names)
    yield from _roofline(whole)


def _cache(root: Root, whole: Estimate, names: Names) -> Iterator[Finding]:
    """Find a nest that fetches the same bytes again and again from beyond the caches."""
    caches = root.machine.profile.cache_bytes
    once = sum(root.bytes.values())
    if root.machine.is_gpu or not caches or root.fetched <= 1.2 * once:
        return
    site = root.sites[root.heaviest]
    place = min(fitting(root.levels, caches[-1]), len(root.levels) - 1)
    outer = root.levels[max(0, place - 1)]
    largest, size = root.levels[place].buffers[0]
    saved = max(0.0, root.memory - max(root.core, once / root.machine.memory))
    said = (
        f"one turn of {outer.loop or 'the nest'} touches {outer.bytes:,} B, the cache has {caches[-1]:,} B: "
        f"{root.fetched:,} B are fetched for {once:,} B of data; cut the loops so that {largest} "
        f"({size:,} B) is used again while it is there"
    )
    yield Finding(Layer.SCHEDULE, Bottleneck.CACHE, said, names.order(site.stage), saved / whole.cycles)


def _between(whole: Estimate, names: Names) -> Iterator[Finding]:
    """Find intermediates that one nest writes and the next one reads."""
    for root in whole.roots:
        buffers = root.sites[0].buffers
        made = {site.target.buffer.name for site in root.sites if site.target.buffer.role is Role.WORK}
        for name in sorted(made):
            readers = [
                other
                for other in whole.roots
                if other is not root and any(a.buffer.name == name for s in other.sites for a in s.reads)
            ]
            size = root.bytes.get(name, 0)
            if not readers or buffers[name].scope != "global":
                continue
            rate = root.machine.near(root.held)
            saved = sum(
                max(0.0, one.cycles - max(one.core, one.memory - size / rate)) for one in (root, *readers)
            )
            stage = next((site.stage for site in root.sites if site.stmt.buffer == name), name)
            reader = readers[0].sites[readers[0].heaviest].stage
            said = (
                f"{stage} ({size:,} B) is written by one nest and read by the next: computed inside "
                f"{reader}, tile by tile, or inlined, it would not leave the core"
            )
            yield Finding(
                Layer.SCHEDULE, Bottleneck.BANDWIDTH, said, names.place(stage), saved / whole.cycles
            )


def _recompute(whole: Estimate, names: Names) -> Iterator[Finding]:
    walls: dict[str, float] = {}
    for root in whole.roots:
        for site, price in zip(root.sites, root.prices, strict=True):
            walls[site.stage] = walls.get(site.stage, 0.0) + price.wall
    for used in whole.nest.usage:
        if used.recompute <= TWICE or used.stage not in walls:
            continue
        said = (
            f"each element of {used.stage} is computed {used.recompute:.2f} times: compute it at a loop "
            "further outside, or store it once"
        )
        part = walls[used.stage] * (1 - 1 / used.recompute) / whole.cycles
        yield Finding(Layer.SCHEDULE, Bottleneck.ARITHMETIC, said, names.place(used.stage), min(1.0, part))


def _roofline(whole: Estimate) -> Iterator[Finding]:
    """Say what is left when nothing is wasted: fewer operations, or fewer bytes."""
    if whole.bound < NEAR_BOUND * whole.cycles:
        return
    share = min(1.0, whole.bound / whole.cycles) * 0.1
    if whole.compute_bound >= whole.memory_bound:
        said = (
            f"{whole.operations:,} operations are the bound, and {whole.compute_bound / whole.cycles:.0%} "
            "of the estimate: only another algorithm needs fewer (Winograd, FFT, separable passes)"
        )
        yield Finding(Layer.COMPUTE, Bottleneck.ARITHMETIC, said, "", share)
        return
    largest = max(
        (
            (n, s)
            for root in whole.roots
            for n, s in root.bytes.items()
            if root.sites[0].buffers[n].role in OUTSIDE
        ),
        key=lambda one: one[1],
        default=("", 0),
    )
    said = (
        f"{whole.moved:,} B that come and go once are the bound, and "
        f"{whole.memory_bound / whole.cycles:.0%} of the estimate; the largest is {largest[0]} "
        f"({largest[1]:,} B): nothing but fewer bytes helps"
    )
    yield Finding(Layer.COMPUTE, Bottleneck.BANDWIDTH, said, "", share)
