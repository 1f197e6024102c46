"""What the default lowering has to schedule: stages after inlining and precomputing.

Rules: a stage of weights alone is precomputed; an elementwise stage is inlined when it is not computed more
often than before, or is so cheap that this does not matter; never a padding into a reduction (its
condition would be tested again and again), never what is returned or belongs to a group.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from edgekernelbench.ir.compute import Param, Placed, Stage, Table, placed_stages
from edgekernelbench.ir.expr import Axis, Expr, Read, Reduction
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.lowering.access import affine, cost, has_condition, inlined, is_heavy, reads
from edgekernelbench.lowering.choices import DEFAULT, Choices
from edgekernelbench.verify.facts import Facts

CHEAP = 3
"""Operations that may be repeated for the sake of not storing."""

REPEATS = 4.0
"""How often a cheap stage may be computed per element."""

SELDOM = 1.02
"""Up to here a stage counts as computed once: a reader that picks a few elements does not matter."""

LARGEST_EXPRESSION = 300
"""Nodes that an expression may grow to by inlining; compile time grows with it."""

LARGEST_PRECOMPUTED = 1 << 24
"""Elements that a precomputed stage may have."""


@dataclass(frozen=True, slots=True)
class View:
    """A stage as it is scheduled.

    Attributes:
        stage: The stage of the text.
        value: Its value with inlined stages put in.
        ordered: The `for` axes round it.
        group: Number of its group; None outside.
        reads: What it reads, with repetitions.
        distinct: The same by tensor, without.
        work: Simple operations of one run, reads counted as one each.
    """

    stage: Stage
    value: Expr | Reduction
    ordered: tuple[str, ...]
    group: int | None
    reads: tuple[Read, ...]
    distinct: Mapping[str, tuple[Read, ...]]
    work: int

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.stage.name

    @property
    def sizes(self) -> Mapping[str, int]:
        """Extents of data and reduction axes, in loop order."""
        found = dict(zip(self.stage.axes, self.stage.shape, strict=True))
        if isinstance(self.value, Reduction):
            found.update({o.axis: o.stop - o.start for o in self.value.over})
        return found

    @property
    def reduced(self) -> tuple[str, ...]:
        """The reduction axes; empty for an elementwise stage."""
        return tuple(o.axis for o in self.value.over) if isinstance(self.value, Reduction) else ()


@dataclass(frozen=True, slots=True)
class Survey:
    """The stages to schedule, in text order, and the decisions that led to them."""

    views: tuple[View, ...]
    inline: tuple[str, ...]
    precompute: tuple[str, ...]
    ahead: frozenset[str]
    """Tensors whose layout is free: `const` parameters and precomputed stages."""
    outputs: frozenset[str]
    params: Mapping[str, Param]
    read_by: Mapping[str, tuple[tuple[View, Read], ...]]

    def view(self, name: str) -> View | None:
        """Find a scheduled stage; None when it was inlined, precomputed or is no stage."""
        return next((v for v in self.views if v.name == name), None)

    def readers(self, name: str) -> tuple[View, ...]:
        """List the scheduled stages that read a tensor."""
        found = {id(v): v for v, _ in self.uses(name)}
        return tuple(found.values())

    def uses(self, name: str) -> tuple[tuple[View, Read], ...]:
        """List the reads of a tensor with the stages where they stand."""
        return self.read_by.get(name, ())


def survey(facts: Facts, choices: Choices = DEFAULT) -> Survey:
    """Decide what is inlined and what is precomputed.

    Args:
        facts: The verified compute layer.
        choices: What is decided otherwise than by the rules.

    Returns:
        What remains to be scheduled.
    """
    placed = tuple(placed_stages(facts.kernel.compute))
    outputs = frozenset(facts.kernel.compute.outputs)
    ahead = _ahead(facts, placed, outputs)
    live = tuple(p for p in placed if p.stage.name not in ahead)
    readers = _readers(live)
    bodies: dict[str, tuple[tuple[str, ...], Expr]] = {}
    views: list[View] = []
    for p in live:
        value = inlined(p.stage.value, bodies)
        name = p.stage.name
        wanted = name in choices.inline and not isinstance(value, Reduction) and name not in outputs
        by_rule = name not in choices.keep and _inlines(p, value, readers.get(name, {}), outputs)
        if by_rule or (wanted and p.group is None and p.stage.dtype.bits >= 8):
            bodies[p.stage.name] = (p.stage.axes, value)  # type: ignore[assignment]
        else:
            views.append(_view(p, value))
    read_by: dict[str, list[tuple[View, Read]]] = {}
    for view in views:
        for read in view.reads:
            read_by.setdefault(read.tensor, []).append((view, read))
    made = [p.stage.name for p in placed if p.stage.name in ahead]
    const = {p.name for p in facts.kernel.params if p.const}
    return Survey(
        tuple(views),
        tuple(bodies),
        tuple(n for n in made if n in read_by),
        frozenset({*const, *made}),
        outputs,
        {p.name: p for p in facts.kernel.params},
        {name: tuple(uses) for name, uses in read_by.items()},
    )


def _view(placed: Placed, value: Expr | Reduction) -> View:
    found = tuple(reads(value))
    over = value.over if isinstance(value, Reduction) else ()
    steps = prod(placed.stage.shape) * prod(o.stop - o.start for o in over)
    distinct: dict[str, list[Read]] = {}
    for read in dict.fromkeys(found):
        distinct.setdefault(read.tensor, []).append(read)
    return View(
        placed.stage,
        value,
        placed.ordered,
        placed.group,
        found,
        {name: tuple(several) for name, several in distinct.items()},
        steps * (cost(value) + len(found)),
    )


def _readers(live: Iterable[Placed]) -> dict[str, dict[int, tuple[Placed, int]]]:
    """List, for each tensor, the stages that read it as the text stands, and how often each does."""
    found: dict[str, dict[int, tuple[Placed, int]]] = {}
    for place, p in enumerate(live):
        for read in reads(p.stage.value):
            several = found.setdefault(read.tensor, {})
            several[place] = (p, several[place][1] + 1 if place in several else 1)
    return found


def _ahead(facts: Facts, placed: tuple[Placed, ...], outputs: frozenset[str]) -> frozenset[str]:
    known = {p.name for p in facts.kernel.params if p.const}
    found: set[str] = set()
    for p in placed:
        stage = p.stage
        sources = {r.tensor for r in reads(stage.value)}
        tables = {s for s in sources if isinstance(facts.tensor(s), Table)}
        small = prod(stage.shape) <= LARGEST_PRECOMPUTED
        if p.group is None and stage.name not in outputs and small and sources <= known | found | tables:
            found.add(stage.name)
    return frozenset(found)


def _inlines(
    placed: Placed,
    value: Expr | Reduction,
    read_by: Mapping[int, tuple[Placed, int]],
    outputs: frozenset[str],
) -> bool:
    stage = placed.stage
    if isinstance(value, Reduction) or stage.name in outputs or stage.dtype.bits < 8:
        return False
    readers = [p for p, _ in read_by.values()]
    if placed.group is not None and not _same_step(placed, readers):
        return False
    if _size(value) * max((count for _, count in read_by.values()), default=1) > LARGEST_EXPRESSION:
        return False
    if is_heavy(value) and any(is_heavy(p.stage.value) for p in readers):
        return False  # functions inside of functions make long chains that neither vectors nor compilers like
    evaluations = sum(_domain(p.stage) * count for p, count in read_by.values())
    repeats = evaluations / max(1, prod(stage.shape))
    reduces = any(isinstance(p.stage.value, Reduction) for p in readers)
    if has_condition(value) and (reduces or repeats > 1):
        return False
    if repeats <= SELDOM:
        return not (reduces and _spreads(stage, readers))
    return cost(value) <= CHEAP and repeats <= REPEATS if not reduces else _free(value, repeats)


def _free(value: Expr | Reduction, repeats: float) -> bool:
    """A cast or a view costs nothing; a subtraction may be repeated a few times; a gather should not be."""
    plain = all(affine(index) is not None for read in reads(value) for index in read.indices)
    return plain and (cost(value) == 0 or (cost(value) <= CHEAP and repeats <= REPEATS))


def _same_step(placed: Placed, readers: list[Placed]) -> bool:
    """A stage of a group is inlined only into its own step, where its history is not read."""
    name = placed.stage.name
    if any(p.group != placed.group for p in readers):
        return False
    if any(r.tensor == name for r in reads(placed.stage.value)):
        return False
    for reader in readers:
        for read in reads(reader.stage.value):
            if read.tensor != name:
                continue
            steps = [i for i, a in zip(read.indices, placed.stage.axes, strict=True) if a in placed.ordered]
            if any(not (isinstance(i, Axis) and i.name in placed.ordered) for i in steps):
                return False
    return True


def _spreads(stage: Stage, readers: list[Placed]) -> bool:
    """Whether some reader has an axis that the stage lacks, so that a vector would repeat it."""
    return any(set(p.stage.axes) - set(stage.axes) for p in readers)


def _domain(stage: Stage) -> int:
    over = stage.value.over if isinstance(stage.value, Reduction) else ()
    return prod(stage.shape) * prod(o.stop - o.start for o in over)


def _size(value: Expr | Reduction) -> int:
    return sum(1 for part in expressions(value) for _ in walk(part))
