"""Worked examples for task cards, from a fixed pool that shares no kernel with the catalogue."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

POOL = files(__package__) / "data" / "pool"
BLOCK = re.compile(r"    with (schedule|memory)\((?P<targets>[^)]*)\):\n")


@dataclass(frozen=True, slots=True)
class Example:
    """One kernel of the pool.

    Attributes:
        name: Its name, and that of its files.
        title: What it shows, a few words.
        words: What makes it near to a task that holds them.
        kernel: The whole kernel text, all targets.
        pytorch: The same computation as a PyTorch function.
    """

    name: str
    title: str
    words: tuple[str, ...]
    kernel: str
    pytorch: str

    def kernel_for(self, target: str) -> str:
        """Give the kernel with the blocks of one target, which they then name alone.

        Args:
            target: `llvm`, `cuda` or `opencl`.
        """
        head, *blocks = re.split(r"\n(?=    with (?:schedule|memory)\()", self.kernel)
        kept = [block for block in blocks if f'"{target}"' in _targets(block)]
        named = [BLOCK.sub(rf'    with \1("{target}"):' + "\n", block, count=1) for block in kept]
        return "\n".join([head, *named]).rstrip() + "\n"


def _targets(block: str) -> str:
    match = BLOCK.match(block)
    return match["targets"] if match else ""


@cache
def load_pool() -> tuple[Example, ...]:
    """Read the pool, in its order."""
    rows = tomllib.loads((POOL / "pool.toml").read_text(encoding="utf-8"))["example"]
    return tuple(
        Example(
            name=row["name"],
            title=row["title"],
            words=tuple(row["words"]),
            kernel=(POOL / f"{row['name']}.kir").read_text(encoding="utf-8"),
            pytorch=(POOL / f"{row['name']}.py").read_text(encoding="utf-8"),
        )
        for row in rows
    )


def nearest_examples(signature: str, reference: str, count: int = 2) -> tuple[Example, ...]:
    """Choose the examples that have most in common with a task.

    It looks only at what the card shows anyway, so that the choice tells nothing more, and is the same
    for every agent.

    Args:
        signature: The `def` line of the task.
        reference: What the card shows of the computation.
        count: How many.

    Returns:
        The nearest first; of equally near ones, the order of the pool.
    """
    seen = f"{signature}\n{reference}".lower()
    ranked = sorted(load_pool(), key=lambda e: -sum(word.lower() in seen for word in e.words))
    return tuple(ranked[:count])
