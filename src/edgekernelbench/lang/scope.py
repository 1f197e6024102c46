"""What the names of a compute block stand for."""

import ast
from dataclasses import dataclass, field

SizeText = ast.expr | str
"""A size as it is written; texts of it are needed for hints only."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A tensor, as it is declared.

    Attributes:
        rank: Number of axes; None when the declaration could not be understood.
        sizes: One expression an axis, or its text.
        dtype: The element type as written; empty when the declaration could not be understood.
        const: Whether it is a `const` parameter or a table.
    """

    rank: int | None
    sizes: tuple[SizeText, ...] = ()
    dtype: str = ""
    const: bool = False


MAX_NESTED = 20
"""So many nested reductions of one stage are answered."""

Comprehension = ast.GeneratorExp | ast.ListComp


@dataclass(frozen=True, slots=True)
class NestedReduction:
    """A reduction that is not a whole right side.

    Attributes:
        call: The whole call.
        kind: Its word.
        comprehension: What is reduced.
        axes: The axes in force, each with its size.
    """

    call: ast.Call
    kind: str
    comprehension: Comprehension
    axes: dict[str, SizeText]


@dataclass(slots=True)
class Scope:
    """What an expression can name.

    Attributes:
        tensors: Parameters, tables and all stages of the block, also those further down.
        axes: Axes in force, each with its size.
        stage: The name of the stage that is read; empty outside.
        nested: Reductions met inside expressions.
    """

    tensors: dict[str, Declared] = field(default_factory=dict)
    axes: dict[str, SizeText] = field(default_factory=dict)
    stage: str = ""
    nested: list["NestedReduction"] = field(default_factory=list)

    def inside(self, axes: dict[str, SizeText], stage: str) -> "Scope":
        """Give the scope of a stage's right side."""
        return Scope(self.tensors, axes, stage)

    def within(self, axes: dict[str, SizeText]) -> "Scope":
        """Give the scope of a generator inside the same right side."""
        return Scope(self.tensors, dict(axes), self.stage, self.nested)
