"""What a statement costs on a GPU: instructions of a multiprocessor, and the sectors that its warps fetch."""

from math import prod

from edgekernelbench.analysis.machine import GPU_LANES, PORTS, SECTOR, WARP, Machine
from edgekernelbench.analysis.movement import element_bytes, places
from edgekernelbench.analysis.pricing import Price, hoisted, operations
from edgekernelbench.analysis.sites import Access, Site
from edgekernelbench.nest.marks import BLOCKS, THREADS
from edgekernelbench.nest.tree import Loop, Mark

CYCLES = {"global": 8.0, "shared": 4.0, "local": 0.0}
"""Cycles that one number for each lane of a multiprocessor takes: 512 bytes, of which the second cache brings
64 a cycle and shared memory 128 (CUDA C++ Programming Guide 13.0, "Shared Memory")."""


def price_on_gpu(site: Site, machine: Machine) -> Price:
    """Price a statement on a GPU, in cycles of a multiprocessor.

    Args:
        site: The statement.
        machine: The device.
    """
    thread = thread_of(site)
    loads = 0.0
    for access in (*site.reads, site.target):
        times = scatter(site, access, thread) if thread is not None else float(WARP)
        size = element_bytes(access.buffer) / 4
        stays = prod(loop.extent for loop in site.tile if not site.follows(access, loop.var))
        loads += PORTS * CYCLES[access.buffer.scope] * times * size * hoisted(site, access) / stays
    blocks = prod(loop.extent for loop in site.loops if loop.mark in BLOCKS)
    threads = prod(loop.extent for loop in site.loops if loop.mark in THREADS)
    lanes = min(GPU_LANES, max(1, threads))
    return Price(
        steps=site.runs / lanes,
        vectors=1,
        arithmetic=operations(site),
        loads=loads,
        scattered=0.0,
        waiting=0.0,
        spilled=0.0,
        guards=0.0,
        speedup=float(max(1, min(machine.units, blocks))),
    )


def thread_of(site: Site) -> Loop | None:
    """Find the loop of neighbouring threads; None when one thread works."""
    return next((loop for loop in reversed(site.loops) if loop.mark is Mark.THREAD_X), None)


def scatter(site: Site, access: Access, thread: Loop) -> float:
    """Give how many times more memory than needed the threads of a warp fetch for an access; at least 1.

    Args:
        site: The statement.
        access: What it accesses.
        thread: The loop of neighbouring threads.
    """
    if access.buffer.scope != "global" or not site.follows(access, thread.var):
        return 1.0
    size = element_bytes(access.buffer)
    count = min(WARP, thread.extent)
    lanes = {site.vector.var: site.vector.extent} if site.vector is not None else {}
    found = places(site, access, {thread.var: count, **lanes})
    if found is None:
        return float(min(count, SECTOR / size))
    sectors = len({int(place * size) // SECTOR for place in found})
    needed = max(1.0, len(set(found)) * size / SECTOR)
    return max(1.0, sectors / needed)
