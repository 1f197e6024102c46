"""What of the default lowering can be decided otherwise: the moves of a search over its rules.

`DEFAULT` is what the rules decide by themselves. A search names other decisions; whatever they are, what is
written is legal, since a decision that does not fit is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TileKey:
    """A register tile without its price.

    Attributes:
        vector: The axis that is a vector.
        width: Elements along it.
        unroll: The axis that is unrolled; None when there is none.
        count: Iterations along it.
    """

    vector: str
    width: int
    unroll: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Choices:
    """Decisions, each with what the rules do when nothing is said.

    Attributes:
        tiles: For some reductions, the tile; others take the cheapest by the model.
        lanes: For some reductions along memory, how many vectors of partial sums; others 1, or 4 when long.
        few: For some reductions along memory, to how many numbers the partial sums are brought together
            before the last additions, which wait for each other.
        apart: Stages that keep nests of their own, whatever could share one.
        keep: Stages that are not inlined.
        inline: Stages that are inlined where the language allows it.
        first: For some root stages, the axis whose loop goes outermost.
        steps: For some reductions, how many steps of the innermost reduction loop are unrolled.
        tasks: Parallel iterations wanted for each thread; None for as many as the rules want.
        alone: Root stages that stay on one core.
        shared: Root stages that are shared out to the cores, however small.
        rules: On GPUs, for some root stages, the number of the rule and tile to take; others take the first.
        double: Whether what blocks of a GPU fetch is fetched ahead, into a second buffer.
        dots: Whether sums of products of 8-bit numbers use the instruction of the profile.
    """

    tiles: Mapping[str, TileKey] = field(default_factory=dict)
    lanes: Mapping[str, int] = field(default_factory=dict)
    few: Mapping[str, int] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()
    inline: frozenset[str] = frozenset()
    first: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)
    tasks: int | None = None
    alone: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    rules: Mapping[str, int] = field(default_factory=dict)
    double: bool = False
    dots: bool = False


DEFAULT = Choices()
"""What the rules decide by themselves."""

ALL = "*"
"""Stands for every stage in `lanes`, `few` and `steps`."""


def decided(chosen: Mapping[str, int], stage: str) -> int | None:
    """Give what was chosen for a stage, by itself or with all; None when nothing was."""
    return chosen.get(stage, chosen.get(ALL))
