"""The menu of moves that a planner is reminded of; some are left out in each step, so that answers differ."""

import random
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from edgekernelbench.base.diagnostics import Layer

FILE = files("edgekernelbench.agents") / "data" / "moves.toml"
LEAST = 2
"""Moves of each layer that are shown, whatever the share."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move.

    Attributes:
        layer: The layer that it changes.
        name: A few words.
        text: What it is.
        targets: Where it makes sense; empty means everywhere.
    """

    layer: Layer
    name: str
    text: str
    targets: tuple[str, ...] = ()


@cache
def load_moves() -> tuple[Move, ...]:
    """Read the menu, in its order."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["move"]
    return tuple(
        Move(Layer(row["layer"]), row["name"], row["text"], tuple(row.get("targets", ()))) for row in rows
    )


def menu(layers: Iterable[Layer], target: str, share: float, chance: random.Random) -> tuple[Move, ...]:
    """Draw a menu.

    Args:
        layers: Layers that may be planned; `TEXT` stands for all.
        target: `llvm`, `cuda` or `opencl`.
        share: Share of the moves of each layer that are shown.
        chance: What is left out.

    Returns:
        Moves in the order of the file.
    """
    wanted = set(layers)
    shown: list[Move] = []
    for layer in (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY):
        if not wanted & {layer, Layer.TEXT}:
            continue
        fitting = [m for m in load_moves() if m.layer is layer and target in (*m.targets, *_all(m, target))]
        count = min(len(fitting), max(LEAST, round(share * len(fitting))))
        drawn = {move.name for move in chance.sample(fitting, count)}
        shown += [move for move in fitting if move.name in drawn]
    return tuple(shown)


def _all(move: Move, target: str) -> tuple[str, ...]:
    return () if move.targets else (target,)
