"""The schedule layer: in which order, as a list of directives for a set of targets.

A loop is named by text: `"out.i"` for the loop of an axis, a bare name for what a directive made.
"""

from dataclasses import dataclass, field

from edgekernelbench.base.span import NOWHERE, Span

TARGETS = ("llvm", "cuda", "opencl")
"""The targets that a block can name."""

THREAD_TAGS = (
    "blockIdx.x", "blockIdx.y", "blockIdx.z",
    "threadIdx.x", "threadIdx.y", "threadIdx.z",
    "vthread",
)  # fmt: skip
"""What loops can be bound to on a GPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directed:
    """What every directive has.

    Attributes:
        span: The whole directive.
        spans: One span an argument, in the order written.
    """

    span: Span = field(default=NOWHERE, compare=False, repr=False)
    spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Split(Directed):
    """`a, b = split(loop, n)`: the last loops have `sizes` iterations, the first what remains."""

    outs: tuple[str, ...]
    loop: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fuse(Directed):
    """`out = fuse(l1, l2, …)`: one loop over all combinations, `l1` slowest."""

    out: str
    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order(Directed):
    """`order(l1, l2, …)`: these loops take, in this order, the places that they hold together."""

    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inline(Directed):
    """`inline(s, …)`: the expression replaces every read."""

    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Precompute(Directed):
    """`precompute(s, …)`: evaluated once per weights, before timing."""

    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComputeAt(Directed):
    """`compute_at(s, l)`: `s` is computed inside `l`, where its reads need it."""

    stage: str
    loop: str


@dataclass(frozen=True, slots=True)
class Rfactor(Directed):
    """`p = rfactor(l)`: a new stage reduces over the other reduction loops."""

    out: str
    loop: str


@dataclass(frozen=True, slots=True)
class Scatter(Directed):
    """`scatter(s.x)`: the update goes straight to element `e` of `if e == x`."""

    loop: str


@dataclass(frozen=True, slots=True)
class Hoist(Directed):
    """`o = hoist(s.n, b)`: a loop round the whole group, over blocks of `b` along `n`."""

    out: str
    loop: str
    block: int = 1


@dataclass(frozen=True, slots=True)
class Parallel(Directed):
    """`parallel(l, …)`: these loops, as one, over the cores."""

    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vectorize(Directed):
    """`vectorize(l, …)`: each of them."""

    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unroll(Directed):
    """`unroll(l, …)`: each of them."""

    loops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bind(Directed):
    """`bind(l, …, tag)`: these loops, as one, over blocks, threads or virtual threads."""

    loops: tuple[str, ...]
    tag: str


@dataclass(frozen=True, slots=True)
class Tensorize(Directed):
    """`tensorize(name, l, …)`: these loops become an instruction of the profile."""

    name: str
    loops: tuple[str, ...]


ScheduleDirective = (
    Split | Fuse | Order | Inline | Precompute | ComputeAt | Rfactor | Scatter | Hoist
    | Parallel | Vectorize | Unroll | Bind | Tensorize
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Schedule:
    """One `with schedule(…):` block; an empty one is written `pass`."""

    targets: tuple[str, ...]
    directives: tuple[ScheduleDirective, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)
