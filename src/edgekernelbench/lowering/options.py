"""Which decisions of the default lowering could be otherwise for a text: what a search can move."""

from collections.abc import Mapping
from dataclasses import dataclass

from edgekernelbench.ir.schedule import ComputeAt, Parallel
from edgekernelbench.lowering.choices import DEFAULT, Choices, TileKey
from edgekernelbench.lowering.default import emitted
from edgekernelbench.lowering.dots import dot_tiles
from edgekernelbench.lowering.tile import key_of, list_tiles
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.facts import Facts


@dataclass(frozen=True, slots=True)
class Options:
    """What there is to decide on a CPU.

    Attributes:
        work: Operations of each scheduled stage, the most first.
        tiles: For each tiled reduction, tiles with their prices in cycles of the model, the cheapest first.
        along: Reductions along memory, whose partial sums can be more or fewer vectors.
        inlined: Stages that the rules inline.
        inside: Stages that are computed inside the nest of another.
        roots: Stages with a nest of their own, with their axes.
        reduced: For each reduction, its reduction axes with their sizes, outermost first.
        parallel: Root stages that are shared out to the cores.
    """

    work: Mapping[str, int]
    tiles: Mapping[str, tuple[tuple[TileKey, float], ...]]
    along: tuple[str, ...]
    inlined: tuple[str, ...]
    inside: tuple[str, ...]
    roots: Mapping[str, tuple[str, ...]]
    reduced: Mapping[str, tuple[tuple[str, int], ...]]
    parallel: frozenset[str]


def list_options(facts: Facts, profile: Profile, choices: Choices = DEFAULT) -> Options:
    """List what could be decided otherwise.

    Args:
        facts: The verified compute layer.
        profile: The device, a CPU.
        choices: What is decided already.
    """
    emitter = emitted(facts, profile, choices)
    views = {view.name: view for view in emitter.found.views}
    kernel = emitter.writer.blocks(profile.target)[0]
    placed = tuple(d.stage for d in kernel.directives if isinstance(d, ComputeAt) and d.stage in views)
    tiles = {}
    for name, (extents, freedom) in emitter.offered.items():
        if name in emitter.dotted:
            several = [tile for tile, _ in dot_tiles(views[name], extents, freedom, profile)]
        else:
            several = list(list_tiles(views[name], extents, freedom, profile))
        found = sorted(several, key=lambda tile: tile.cycles)
        cheapest: dict[TileKey, float] = {}
        for tile in found:
            cheapest.setdefault(key_of(tile), tile.cycles)
        if cheapest:
            tiles[name] = tuple(cheapest.items())
    marked = {loop for d in kernel.directives if isinstance(d, Parallel) for loop in d.loops}
    roots = {n: v.stage.axes for n, v in views.items() if n not in placed and v.group is None}
    return Options(
        work=dict(sorted(((n, v.work) for n, v in views.items()), key=lambda one: -one[1])),
        tiles=tiles,
        along=tuple(n for n, v in views.items() if v.reduced and n not in tiles and emitter.along(v)),
        inlined=emitter.found.inline,
        inside=placed,
        roots=roots,
        reduced={n: tuple((a, v.sizes[a]) for a in v.reduced) for n, v in views.items() if v.reduced},
        parallel=frozenset(n for n in roots if any(m.startswith((f"{n}.", f"{n}_")) for m in marked)),
    )
