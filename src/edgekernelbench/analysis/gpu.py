"""What holds a kernel back on a GPU: blocks, threads, shared memory, registers, how threads move."""

from collections.abc import Iterator
from math import ceil, prod

from edgekernelbench.analysis.estimate import Estimate, Root
from edgekernelbench.analysis.gpu_pricing import scatter
from edgekernelbench.analysis.machine import WARP
from edgekernelbench.analysis.movement import stride
from edgekernelbench.analysis.naming import Names
from edgekernelbench.analysis.report import Bottleneck, Finding
from edgekernelbench.analysis.sites import Access, Site
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.nest.footprint import Launch, launches, peak, threads_of
from edgekernelbench.nest.marks import BOUND
from edgekernelbench.nest.tree import Kind, Loop, Mark, Update

RESIDENT = 1024
"""Threads that a multiprocessor should hold to hide latency: half of the 2,048 that NVIDIA's 8.x and 9.0 can,
by the CUDA C++ Best Practices Guide 13.0, "Occupancy"."""

REGISTER_BYTES = 255 * 4
"""Registers of a thread: CUDA C++ Programming Guide 13.0, "Compute Capabilities"."""

SHARED_OF_SM = 2
"""Blocks with the most shared memory that one may declare which a multiprocessor holds: 100 KB to 48 KB."""


def launch_findings(whole: Estimate, names: Names) -> Iterator[Finding]:
    """Look at the launches of a run.

    Args:
        whole: The run.
        names: Finds directives.

    Yields:
        What holds them back, whatever its share.
    """
    for launch in launches(whole.nest.body):
        for root in whole.roots:
            if any(loop is launch.loop for loop in root.sites[0].loops):
                share = root.cycles / whole.cycles
                yield from _grid(launch, root, names, share)
                yield from _memory(launch, root, names, share)
                for place in range(len(root.sites)):
                    yield from _together(root, place, names, whole)


def _grid(launch: Launch, root: Root, names: Names, share: float) -> Iterator[Finding]:
    units, threads, blocks = root.machine.units, threads_of(launch), prod(launch.blocks)
    directive = names.mark(launch.loop.var)
    stage = root.sites[root.heaviest].stage
    if blocks < units:
        said = (
            f"the launch of {stage} has {blocks} blocks for about {units} multiprocessors: make tiles "
            "smaller, or share a reduction out to blocks (rfactor)"
        )
        yield Finding(Layer.SCHEDULE, Bottleneck.PARALLEL, said, directive, share * (1 - blocks / units))
    elif blocks % units and blocks < 4 * units:
        idle = 1 - blocks / (ceil(blocks / units) * units)
        said = f"{blocks} blocks on about {units} multiprocessors: {idle:.0%} of them idle in the last round"
        yield Finding(Layer.SCHEDULE, Bottleneck.PARALLEL, said, directive, share * idle)
    if threads % WARP:
        idle = 1 - threads / (ceil(threads / WARP) * WARP)
        said = f"{threads} threads a block are no whole warps of {WARP}: {idle:.0%} of the lanes are idle"
        yield Finding(Layer.SCHEDULE, Bottleneck.VECTOR, said, directive, share * idle)


def _memory(launch: Launch, root: Root, names: Names, share: float) -> Iterator[Finding]:
    """Look at what a block holds: shared memory and registers say how many blocks live side by side."""
    profile = root.machine.profile
    shared, own = peak((launch.loop,), "shared"), peak((launch.loop,), "local")
    threads = threads_of(launch)
    fit = SHARED_OF_SM * profile.shared_bytes // shared.total if shared.total else RESIDENT
    resident = min(RESIDENT, fit * threads)
    stage = root.sites[root.heaviest].stage
    if shared.total and resident < RESIDENT // 2:
        largest = max(shared.buffers, key=lambda b: prod(b.shape))
        said = (
            f"{shared.total:,} B of shared memory a block leave room for about {max(1, fit)} blocks, "
            f"{max(1, fit) * threads} threads, on a multiprocessor; fetch {largest.name} in smaller parts"
        )
        yield Finding(
            Layer.MEMORY,
            Bottleneck.OCCUPANCY,
            said,
            names.memory(largest.name),
            share * (1 - resident / RESIDENT) / 2,
        )
    if own.total > REGISTER_BYTES:
        said = (
            f"each thread of {stage} holds {own.total:,} B, registers have {REGISTER_BYTES:,} B: the rest "
            "goes through memory; let a thread compute less"
        )
        yield Finding(Layer.SCHEDULE, Bottleneck.REGISTERS, said, names.mark(launch.loop.var), share / 2)


def _together(root: Root, place: int, names: Names, whole: Estimate) -> Iterator[Finding]:
    """Look at how the threads of a warp move through global memory, and what they read again and again."""
    site = root.sites[place]
    thread = next((loop for loop in reversed(site.loops) if loop.mark is Mark.THREAD_X), None)
    if thread is None:
        return
    part = root.prices[place].core / max(1.0, sum(p.core for p in root.prices)) * root.cycles / whole.cycles
    for access in (*site.reads, site.target):
        if access.buffer.scope != "global" or not site.follows(access, thread.var):
            continue
        times = scatter(site, access, thread)
        if times > 2:
            yield _scattered(site, access, thread, names, part * (1 - 1 / times))
    reused = _unshared(site)
    if reused is not None:
        access, times = reused
        said = (
            f"threads of {site.stage} read each element of {access.buffer.name} {times:,} times from global "
            "memory: cache it in shared memory at a reduction loop, and let a thread compute several elements"
        )
        yield Finding(Layer.MEMORY, Bottleneck.BANDWIDTH, said, names.memory(access.buffer.name), part / 2)


def _scattered(site: Site, access: Access, thread: Loop, names: Names, share: float) -> Finding:
    moved = stride(site, access, thread.var)
    word = "write" if access.writes else "read"
    how = "in many places at once" if moved is None else f"{abs(moved):,} elements apart"
    said = f"neighbouring threads ({thread.var}) of {site.stage} {word} {access.buffer.name} {how}: "
    said += "bind the loop of its last axis to threadIdx.x, or store it with the axis of the threads last"
    layer = Layer.SCHEDULE if access.writes else Layer.MEMORY
    return Finding(layer, Bottleneck.STRIDE, said, names.mark(thread.var), share)


def _unshared(site: Site) -> tuple[Access, int] | None:
    """Find what the threads of a block read several times each, of a long sum, with no copy of it near."""
    if not isinstance(site.stmt, Update):
        return None
    steps = prod(loop.extent for loop in site.loops if loop.kind is Kind.REDUCTION)
    threads = [loop for loop in site.loops if loop.mark in BOUND[3:] and loop.extent > 1]
    found = []
    for access in site.reads:
        if access.buffer.scope != "global":
            continue
        times = prod(loop.extent for loop in threads if not site.follows(access, loop.var))
        if times >= 4 and steps >= 16:
            found.append((access, times))
    return max(found, key=lambda one: one[1], default=None)
