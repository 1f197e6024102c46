"""The working set of every loop of a nest, and the bytes that have to come from beyond a cache."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgekernelbench.analysis.movement import element_bytes, touched
from edgekernelbench.analysis.sites import TILE, Site


@dataclass(frozen=True, slots=True)
class Level:
    """What one iteration of a loop touches.

    Attributes:
        loop: The loop's variable; empty for the nest as a whole.
        runs: How often an iteration is run.
        bytes: What one touches.
        buffers: The same by buffer, the largest first.
    """

    loop: str
    runs: int
    bytes: int
    buffers: tuple[tuple[str, int], ...]


def levels_of(path: Site, sites: Sequence[Site]) -> tuple[Level, ...]:
    """Give the working set at every loop round a statement, the whole nest first.

    Args:
        path: The statement whose loops are walked, tiles left out.
        sites: All statements of its root nest.
    """
    found = [_level("", 1, sites, 0)]
    runs = 1
    for depth, loop in enumerate(path.loops):
        runs *= loop.extent
        if loop.mark in TILE or loop.extent == 1:
            continue
        inside = [s for s in sites if len(s.loops) > depth and s.loops[depth] is loop]
        found.append(_level(loop.var, runs, inside, depth + 1))
    return tuple(found)


def _level(loop: str, runs: int, sites: Sequence[Site], depth: int) -> Level:
    held = footprint(sites, depth)
    ordered = tuple(sorted(held.items(), key=lambda one: (-one[1], one[0])))
    return Level(loop, runs, sum(held.values()), ordered)


def footprint(sites: Sequence[Site], depth: int) -> Mapping[str, int]:
    """Count the bytes of each buffer that the loops from some depth inwards touch."""
    found: dict[str, int] = {}
    for site in sites:
        counts = {loop.var: loop.extent for loop in site.loops[depth:]}
        for access in (*site.reads, site.target):
            size = int(touched(site, access, counts) * element_bytes(access.buffer))
            name = access.buffer.name
            found[name] = max(found.get(name, 0), size)
    return found


def fitting(levels: Sequence[Level], cache: int) -> int:
    """Find the outermost level whose working set a cache holds; the number of levels when none does."""
    return next((place for place, level in enumerate(levels) if level.bytes <= cache), len(levels))


def traffic(levels: Sequence[Level], cache: int, path: Site) -> int:
    """Count the bytes that a cache has to fetch for a nest.

    What fits stays while its loops run; of what the next loop outside does not move,
    only the first turn counts.
    """
    place = fitting(levels, cache)
    if place == 0:
        return levels[0].bytes
    if place == len(levels):
        place -= 1
    level = levels[place]
    extents = {loop.var: loop.extent for loop in path.loops}
    mover = level.loop
    total = 0
    above = dict(levels[place - 1].buffers)
    for name, size in level.buffers:
        stays = above.get(name, size) <= size
        total += size * level.runs // (extents.get(mover, 1) if stays else 1)
    return total


def whole_bytes(sites: Sequence[Site]) -> int:
    """Count the bytes that a nest touches at all, each once."""
    return sum(footprint(sites, 0).values())
