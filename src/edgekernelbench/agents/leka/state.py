"""What LEKA knows at any moment: values, never changed, a new one is made.

```text
State ── candidates ── Candidate ── Part (compute) ┐
  │                        │        Part (schedule) ├─ any three that fit make a kernel
  │                        │        Part (memory)   ┘
  └── tried ── Trial: plan, layer, gain or refusal: what belongs to which layer
```
"""

from dataclasses import dataclass
from enum import StrEnum

from edgekernelbench.analysis.report import Bottleneck
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.ir.kernel import Kernel

LAYERS = (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY)
"""The layers that a plan may change, in the order in which they refer to each other."""


class Author(StrEnum):
    """Who wrote a layer: a report always says whose text it was."""

    GIVEN = "given"
    """The text of the card, which every arm gets: canonical compute and the default lowering."""
    MODEL = "model"
    POLICY = "policy"


@dataclass(frozen=True, slots=True)
class Part:
    """One layer of one candidate.

    Attributes:
        layer: Which.
        text: Its block as printed; empty for a layer without directives.
        digest: Its hash: equal parts are one part.
        author: Who wrote it.
        born: Number of the candidate that had it first.
    """

    layer: Layer
    text: str
    digest: str
    author: Author
    born: int


class Gist(StrEnum):
    """Whether one layer is changed, or several are put together."""

    START = "start"
    REVISE = "revise"
    SWAP = "swap"


@dataclass(frozen=True, slots=True)
class Plan:
    """What one step will change: exactly one layer, for exactly one bottleneck.

    Attributes:
        layer: The layer that is replaced; the others are frozen.
        bottleneck: What it is to mend.
        move: Name of the move, from the menu or of the planner's own: what trials are counted by.
        change: What is changed, one or two sentences.
        expected: How many times as fast the kernel should be then.
        author: Who planned.
        text: The new layer, when the planner wrote it in the same breath; None when `revise` will.
    """

    layer: Layer
    bottleneck: Bottleneck
    move: str
    change: str
    expected: float = 1.0
    author: Author = Author.MODEL
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel that was measured and is correct; knobs resolved.

    Attributes:
        number: From 0, the start.
        kernel: The three layers.
        text: Its canonical text, all layers.
        parts: Compute, schedule, memory.
        time: Median time of one run.
        ratio: Time of the default baseline over `time`, both measured in turn in one ring: what gains
            are computed from, since both sides saw the same machine.
        parent: Number of the candidate that it was made of; None for the start.
        layer: The layer that its step changed; None for the start and for swaps.
        plan: The plan of its step; None likewise.
        setting: Value of each knob of the revised layer.
    """

    number: int
    kernel: Kernel
    text: str
    parts: tuple[Part, Part, Part]
    time: Nanoseconds
    ratio: float
    parent: int | None = None
    layer: Layer | None = None
    plan: Plan | None = None
    setting: tuple[tuple[str, int | float], ...] = ()

    def part(self, layer: Layer) -> Part:
        """Give one of its layers."""
        return self.parts[LAYERS.index(layer)]

    @property
    def authors(self) -> tuple[Author, ...]:
        """Whose text it is: everybody who wrote one of its layers, empty layers left out."""
        return tuple(sorted({part.author for part in self.parts if part.text}))


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one plan: an entry of the ledger of layers.

    Attributes:
        step: Number of the step.
        plan: What was planned.
        gain: Time of the parent over time of the child; None when there was no child.
        accepted: Whether the gain is beyond noise.
        problem: The first complaint of the gate, or that the kernel is one that was measured before; empty
            for a new kernel.
    """

    step: int
    plan: Plan
    gain: float | None
    accepted: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Everything that a step may know.

    Attributes:
        candidates: Every measured correct kernel, by number: the archive.
        tried: Every trial, in order.
        conclusions: What reflection keeps: what held, what to avoid; the newest last.
        resting: For each layer that rests, the first step that may plan it again.
        stagnant: Steps in a row without a gain.
    """

    candidates: tuple[Candidate, ...] = ()
    tried: tuple[Trial, ...] = ()
    conclusions: tuple[str, ...] = ()
    resting: tuple[tuple[Layer, int], ...] = ()
    stagnant: int = 0

    @property
    def best(self) -> Candidate:
        """The fastest candidate, by ratio; the older of two that are equal.

        Raises:
            ValueError: Before the first.
        """
        return max(self.candidates, key=lambda c: (c.ratio, -c.number))

    def beam(self, width: int) -> tuple[Candidate, ...]:
        """Give the fastest candidates, no two with equal layers, the fastest first."""
        return tuple(sorted(self.candidates, key=lambda c: (-c.ratio, c.number))[:width])

    def archive(self, layer: Layer) -> tuple[tuple[Part, float], ...]:
        """Give each version of a layer with the best ratio that it was part of, the best first."""
        best: dict[str, tuple[Part, float]] = {}
        for candidate in self.candidates:
            part = candidate.part(layer)
            old = best.get(part.digest)
            if old is None or candidate.ratio > old[1]:
                best[part.digest] = (part if old is None else old[0], candidate.ratio)
        return tuple(sorted(best.values(), key=lambda found: -found[1]))
