"""What the names of a compute block stand for."""

import ast
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Declared:
    """A tensor, as it is declared.

    Attributes:
        rank: Number of axes; None when the declaration could not be understood.
        sizes: One expression an axis.
        dtype: The element type as written; empty when the declaration could not be understood.
        const: Whether it is a `const` parameter or a table.
    """

    rank: int | None
    sizes: tuple[ast.expr, ...] = ()
    dtype: str = ""
    const: bool = False


@dataclass(slots=True)
class Scope:
    """What an expression can name.

    Attributes:
        tensors: Parameters, tables and all stages of the block, also those further down.
        axes: Axes in force, each with the text of its size.
        stage: The name of the stage that is read; empty outside.
    """

    tensors: dict[str, Declared] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)
    stage: str = ""
