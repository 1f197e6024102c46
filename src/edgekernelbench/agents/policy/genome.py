"""What the policy decided so far, as a list of moves: a candidate's history says all of it.

A move has a name, such as `tile:acc:k.32.j.8`, that stands in the trajectory; from the names alone the text
is written again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from edgekernelbench.lowering.choices import DEFAULT, Choices, TileKey


@dataclass(frozen=True, slots=True)
class Move:
    """One decision.

    Attributes:
        kind: What is decided: `rewrite`, or a field of `Choices`, or `layout`.
        stage: For which stage; for a rewrite its name, for a layout the tensor.
        value: How; empty where there is nothing to say.
    """

    kind: str
    stage: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.stage}:{self.value}" if self.value else f"{self.kind}:{self.stage}"


def parse_move(name: str) -> Move:
    """Read the name of a move."""
    kind, _, rest = name.partition(":")
    stage, _, value = rest.partition(":")
    return Move(kind, stage, value)


def tile_name(key: TileKey) -> str:
    """Name a tile: `k.32`, or `k.32.j.8` with an unrolled axis."""
    tail = f".{key.unroll}.{key.count}" if key.unroll is not None else ""
    return f"{key.vector}.{key.width}{tail}"


def parse_tile(name: str) -> TileKey:
    """Read the name of a tile."""
    parts = name.split(".")
    unroll, count = (parts[2], int(parts[3])) if len(parts) == 4 else (None, 1)
    return TileKey(parts[0], int(parts[1]), unroll, count)


@dataclass(frozen=True, slots=True)
class Genome:
    """All decisions of a candidate.

    Attributes:
        rewrites: Names of the rewrites of the compute layer, in the order in which they were made.
        choices: Decisions of the lowering.
        layouts: Layout strings of tensors that the lowering stores otherwise; empty for as written.
    """

    rewrites: tuple[str, ...] = ()
    choices: Choices = DEFAULT
    layouts: Mapping[str, str] = field(default_factory=dict)

    def after(self, move: Move) -> "Genome":
        """Decide one thing more, or anew."""
        chosen = self.choices
        match move.kind:
            case "rewrite":
                return replace(self, rewrites=(*self.rewrites, move.stage))
            case "layout":
                return replace(self, layouts={**self.layouts, move.stage: move.value})
            case "tile":
                tiles = {**chosen.tiles, move.stage: parse_tile(move.value)}
                return replace(self, choices=replace(chosen, tiles=tiles))
            case "double":
                return replace(self, choices=replace(chosen, double=True))
            case _:
                return replace(self, choices=_chosen(chosen, move))


def _chosen(chosen: Choices, move: Move) -> Choices:
    """Decide one thing of the lowering."""
    stage = move.stage
    match move.kind:
        case "lanes":
            return replace(chosen, lanes={**chosen.lanes, stage: int(move.value)})
        case "few":
            return replace(chosen, few={**chosen.few, stage: int(move.value)})
        case "steps":
            return replace(chosen, steps={**chosen.steps, stage: int(move.value)})
        case "rules":
            return replace(chosen, rules={**chosen.rules, stage: int(move.value)})
        case "first":
            return replace(chosen, first={**chosen.first, stage: move.value})
        case "apart":
            return replace(chosen, apart=chosen.apart | {stage})
        case "keep":
            return replace(chosen, keep=chosen.keep | {stage}, inline=chosen.inline - {stage})
        case "inline":
            return replace(chosen, inline=chosen.inline | {stage}, keep=chosen.keep - {stage})
        case "alone":
            return replace(chosen, alone=chosen.alone | {stage}, shared=chosen.shared - {stage})
        case "shared":
            return replace(chosen, shared=chosen.shared | {stage}, alone=chosen.alone - {stage})
        case "tasks":
            return replace(chosen, tasks=int(move.value))
        case _:
            return chosen


def genome_of(names: Iterable[str]) -> Genome:
    """Put the moves of a history together."""
    genome = Genome()
    for name in names:
        genome = genome.after(parse_move(name))
    return genome
