"""The memory layer: where things are kept, as a list of directives for a set of targets."""

from dataclasses import dataclass, field

from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.schedule import Directed

SCOPES = ("global", "shared", "local")
"""Where a buffer can live."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One stored axis of a layout: `axis`, `axis/div`, `axis%mod` or `axis/div%mod`.

    Attributes:
        axis: The name of the logical axis, as the left side of the layout names it.
        div: The divisor; 1 when there is none.
        mod: The modulus; None when there is none.
    """

    axis: str
    div: int = 1
    mod: int | None = None


@dataclass(frozen=True, slots=True)
class LayoutSpec:
    """A parsed layout string `"a b -> b/4 a b%4"`, stored axes outermost first."""

    axes: tuple[str, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Layout(Directed):
    """`layout(t, "…")`: how a tensor is stored."""

    tensor: str
    spec: LayoutSpec


@dataclass(frozen=True, slots=True)
class Place(Directed):
    """`place(s, scope, align=, pad=, buffers=)`; None where the text says nothing."""

    tensor: str
    scope: str
    align: int | None = None
    pad: int = 0
    buffers: int = 1


@dataclass(frozen=True, slots=True)
class Cache(Directed):
    """`cache(t, scope, at=l, …)`: a copy of the box that reads inside `at` need."""

    tensor: str
    scope: str
    at: str
    vector: int = 1
    buffers: int = 1
    pad: int = 0
    layout: LayoutSpec | None = None


@dataclass(frozen=True, slots=True)
class Accumulate(Directed):
    """`accumulate(s, scope)`: partial results of a reduction are held there."""

    stage: str
    scope: str


@dataclass(frozen=True, slots=True)
class Fold(Directed):
    """`fold(s.t, n)`: only the last `n` steps along the ordered axis are stored."""

    loop: str
    steps: int


@dataclass(frozen=True, slots=True)
class Reuse(Directed):
    """`reuse(b, a)`: `b` is stored where `a` was."""

    tensor: str
    old: str


MemoryDirective = Layout | Place | Cache | Accumulate | Fold | Reuse


@dataclass(frozen=True, slots=True)
class Memory:
    """One `with memory(…):` block; an empty one is written `pass`."""

    targets: tuple[str, ...]
    directives: tuple[MemoryDirective, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)
