"""What could be tried next: moves from the options of the lowering and from static feedback.

Every move changes one decision. Its expectation is a prior of its kind, times the share of the stage that it
is about, times what the model of `analysis` thinks of the nest that it leads to. The likeliest comes first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from edgekernelbench.agents.policy.genome import Genome, Move, tile_name
from edgekernelbench.agents.policy.writing import REWRITES, Desk
from edgekernelbench.analysis.estimate import Estimate
from edgekernelbench.analysis.inspection import inspect_nest
from edgekernelbench.analysis.report import Bottleneck
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.choices import ALL, TileKey
from edgekernelbench.lowering.default import count_rules
from edgekernelbench.lowering.options import Options, list_options
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.facts import Facts

REWRITE_GAINS = {"dots": 3.0, "windows": 1.6, "widen": 1.5}
"""What rewrites brought where they apply: medians over workloads of the catalogue, benchmarks/policy.md."""

HEAVY = 0.08
"""Share of the estimate from which on a stage is worth a move of its own."""

TILES = 9
"""Tiles of one stage that are proposed, no two alike."""

DEAR = 1.3
"""How much dearer than the cheapest a tile may be by the model."""

PRICED = 20
"""Moves whose nests are built and priced, the likeliest by their priors."""

SMALL, LARGE = 20_000, 2_000_000
"""Operations between which it is not clear whether sharing a nest out to the cores pays."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A move that may help.

    Attributes:
        move: The decision.
        layer: The layer that it is about.
        bottleneck: What it is to mend.
        reason: Why, one sentence.
        expected: How many times as fast the kernel should be then.
        text: The whole text with it; empty until it was written.
    """

    move: Move
    layer: Layer
    bottleneck: Bottleneck
    reason: str
    expected: float
    text: str = ""


def propose(desk: Desk, genome: Genome) -> tuple[Proposal, ...]:
    """List moves from some decisions, the likeliest first.

    Args:
        desk: Writes texts.
        genome: What was decided.

    Returns:
        Moves whose texts are legal and differ from the one they start from.
    """
    start = desk.write(genome)
    made = desk.rewritten(genome.rewrites)
    if start is None or made is None:
        return ()
    nest = _built(made.facts, start, desk.profile)
    if nest is None:
        return ()
    whole = inspect_nest(nest, start, desk.profile).estimate
    moves = [*_rewrites(desk, genome)]
    if desk.profile.target == "llvm":
        options = list_options(made.facts, desk.profile, desk.choices(genome))
        moves += [*_of_stages(options, whole, genome), *_of_nests(options, desk.profile), *_layouts(nest)]
    else:
        moves += [*_of_launches(made.facts, desk, genome), *_layouts(nest)]
    moves.sort(key=lambda one: -one.expected)
    return _priced(moves[:PRICED], desk, genome, (print_kernel(start), whole.cycles))


def _built(facts: Facts, kernel: Kernel, profile: Profile) -> Nest | None:
    try:
        return build_nest(replace(facts, kernel=kernel), profile.target, profile)
    except SourceError:
        return None


def _priced(
    moves: list[Proposal], desk: Desk, genome: Genome, start: tuple[str, float]
) -> tuple[Proposal, ...]:
    """Write the texts, leave out what is refused or met before, and let the model have its say."""
    seen, cycles = {start[0]}, start[1]
    found = []
    for one in moves:
        after = genome.after(one.move)
        kernel = desk.write(after)
        made = desk.rewritten(after.rewrites)
        if kernel is None or made is None:
            continue
        text = print_kernel(kernel)
        nest = None if text in seen else _built(made.facts, kernel, desk.profile)
        if nest is None:
            continue
        seen.add(text)
        ratio = cycles / inspect_nest(nest, kernel, desk.profile).estimate.cycles
        trust = min(1.5, max(0.5, ratio)) ** 0.5
        found.append(replace(one, expected=one.expected * trust, text=text))
    return tuple(sorted(found, key=lambda one: -one.expected))


def _rewrites(desk: Desk, genome: Genome) -> Iterator[Proposal]:
    for name in REWRITES:
        if name not in genome.rewrites and desk.rewritten((*genome.rewrites, name)) is not None:
            gain = REWRITE_GAINS.get(name, 1.2)
            yield Proposal(Move("rewrite", name), Layer.COMPUTE, Bottleneck.ARITHMETIC, WHY[name], gain)


WHY = {
    "dots": "sums of 8-bit products, zero points taken out, are left to the dot instruction",
    "windows": "windows are reduced one axis after the other, long ones in two steps, padded once",
    "widen": "narrow factors that sums convert again and again are stored in 32 bits once",
}
"""Why each rewrite may help."""


def shares(whole: Estimate) -> Mapping[str, float]:
    """Give the part of the estimate that each stage takes."""
    found: dict[str, float] = {}
    for root in whole.roots:
        for site, price in zip(root.sites, root.prices, strict=True):
            name = site.stage.removesuffix("_part").removesuffix("_few")
            found[name] = found.get(name, 0.0) + price.wall / whole.cycles
    return found


def _of_stages(options: Options, whole: Estimate, genome: Genome) -> Iterator[Proposal]:
    share = shares(whole)
    if options.along:
        yield from _along(options, share, genome)
    for stage in options.work:
        part = min(1.0, share.get(stage, 0.0))
        if part < HEAVY:
            continue
        if stage in options.tiles:
            yield from _tiles(stage, options, part)
        steps = options.reduced.get(stage, ())
        if steps and steps[-1][1] > 2:
            for count in (4, 2):
                said = f"{count} steps of the sum of {stage} are unrolled, so that the loop itself costs less"
                move = Move("steps", stage, str(count))
                yield Proposal(move, Layer.SCHEDULE, Bottleneck.OVERHEAD, said, 1 + 0.04 * part)


def _along(options: Options, share: Mapping[str, float], genome: Genome) -> Iterator[Proposal]:
    part = min(1.0, sum(share.get(stage, 0.0) for stage in options.along))
    for few in (8, 4):
        said = f"partial sums are brought together to {few} as a vector, before they wait for each other"
        move = Move("few", ALL, str(few))
        yield Proposal(move, Layer.SCHEDULE, Bottleneck.REGISTERS, said, 1 + (0.4 - few / 100) * part)
    now = genome.choices.lanes.get(ALL)
    for lanes in (2, 1, 4):
        if lanes != now:
            said = f"sums along memory keep {lanes} vectors of partial sums"
            move = Move("lanes", ALL, str(lanes))
            yield Proposal(move, Layer.SCHEDULE, Bottleneck.REGISTERS, said, 1 + 0.2 * part)


def _tiles(stage: str, options: Options, part: float) -> Iterator[Proposal]:
    """Propose tiles that differ from each other, near the cheapest by the model."""
    several = options.tiles[stage]
    cheapest = several[0][1]
    axes = next((list(axes) for root, axes in options.roots.items() if root == stage), [])
    seen: set[tuple[str, str | None, int]] = set()
    count = 0
    for key, cycles in several[1:]:
        alike = (key.vector, key.unroll, key.width)
        if cycles > DEAR * cheapest or count == TILES:
            return
        if alike in seen:
            continue
        seen.add(alike)
        count += 1
        said = f"{stage} keeps a tile of {_words(key)}: near the cheapest by the model, which knows no caches"
        gain = 1 + part * (0.25 * cheapest / cycles - 0.1) + _nearness(key, axes)
        yield Proposal(Move("tile", stage, tile_name(key)), Layer.SCHEDULE, Bottleneck.REGISTERS, said, gain)


def _words(key: TileKey) -> str:
    return f"{key.width} along {key.vector}" + (f" by {key.count} along {key.unroll}" if key.unroll else "")


def _nearness(key: TileKey, axes: list[str]) -> float:
    """Prefer to unroll along an axis that lies near in memory."""
    return 0.05 if key.unroll is not None and axes and key.unroll == axes[-1] else 0.0


def _of_nests(options: Options, profile: Profile) -> Iterator[Proposal]:
    for stage in options.inside:
        said = f"{stage} is computed in a nest of its own, which can have tiles of its own"
        yield Proposal(Move("apart", stage), Layer.SCHEDULE, Bottleneck.CACHE, said, 1.01)
    for stage in options.inlined:
        said = f"{stage} is stored once, where it was computed at every use"
        yield Proposal(Move("keep", stage), Layer.SCHEDULE, Bottleneck.ARITHMETIC, said, 1.015)
    for stage, axes in options.roots.items():
        if stage not in options.reduced and len(options.roots) > 1:
            said = f"{stage} is computed where it is read, and never stored"
            yield Proposal(Move("inline", stage), Layer.SCHEDULE, Bottleneck.BANDWIDTH, said, 1.02)
        for axis in axes[1:]:
            said = f"the loop along {axis} goes outermost, so that what hangs on it stays in the cache"
            yield Proposal(Move("first", stage, axis), Layer.SCHEDULE, Bottleneck.CACHE, said, 1.01)
        if profile.threads > 1 and SMALL < options.work[stage] < LARGE:
            move = Move("alone" if stage in options.parallel else "shared", stage)
            said = f"{stage} has so little work that waking the cores may cost more than it brings, or less"
            yield Proposal(move, Layer.SCHEDULE, Bottleneck.PARALLEL, said, 1.02)
    if profile.threads > 1 and options.parallel:
        for tasks in (2, 8):
            said = f"{tasks} pieces of work for each core"
            yield Proposal(Move("tasks", "", str(tasks)), Layer.SCHEDULE, Bottleneck.PARALLEL, said, 1.015)


def _of_launches(facts: Facts, desk: Desk, genome: Genome) -> Iterator[Proposal]:
    """Propose other tiles and rules for the launches of a GPU, and fetching ahead."""
    chosen = desk.choices(genome)
    for stage, count in count_rules(facts, desk.profile, chosen).items():
        for number in range(count):
            if number != chosen.rules.get(stage, 0):
                said = (
                    f"{stage} takes way {number + 1} of {count}: other tiles or threads, or no shared memory"
                )
                move = Move("rules", stage, str(number))
                yield Proposal(move, Layer.SCHEDULE, Bottleneck.OCCUPANCY, said, 1.1 - 0.01 * number)
    if not chosen.double:
        said = "the next part of what a block fetches comes while it works on the one before"
        yield Proposal(Move("double", ALL), Layer.MEMORY, Bottleneck.BANDWIDTH, said, 1.08)


def _layouts(nest: Nest) -> Iterator[Proposal]:
    """Take the layouts that the check advises."""
    for advice in nest.advice:
        _, found, rest = advice.partition(": layout(")
        tensor, comma, spec = rest.partition(', "')
        if found and comma:
            said = advice.partition(": layout")[0]
            yield Proposal(
                Move("layout", tensor, spec.partition('"')[0]),
                Layer.MEMORY,
                Bottleneck.STRIDE,
                f"{said}: stored otherwise it would be a neighbour",
                1.08,
            )
