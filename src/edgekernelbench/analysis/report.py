"""Static feedback as a value: what bounds a kernel on a device, and which directive is to blame."""

from dataclasses import dataclass
from enum import StrEnum

from edgekernelbench.base.diagnostics import Layer


class Bottleneck(StrEnum):
    """What holds a kernel back: one at a time."""

    ARITHMETIC = "arithmetic"
    """The arithmetic units are at work all the time, or do more than they must."""
    BANDWIDTH = "bandwidth"
    """Bytes to and from the main memory."""
    CACHE = "cache"
    """A tile's working set does not fit the cache that it should stay in."""
    PARALLEL = "parallel"
    """Fewer threads, blocks or cores at work than there are, or unequal shares."""
    VECTOR = "vector"
    """Vector registers are narrow, half empty, or not used."""
    STRIDE = "stride"
    """Loads and stores that are not of unit stride, or not coalesced."""
    REGISTERS = "registers"
    """Accumulators spill, or too few are in flight to hide latency."""
    OCCUPANCY = "occupancy"
    """Shared memory or threads a block leave multiprocessors idle."""
    PACKING = "packing"
    """Copies into layouts and caches cost more than they save."""
    OVERHEAD = "overhead"
    """Loops, guards, launches and barriers beside the work itself."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that costs time, interpreted.

    Attributes:
        layer: Which layer must change to mend it.
        bottleneck: What it holds back.
        message: What was found, with the figures, and what would be better: one sentence.
        directive: The directive that it belongs to, as printed; empty when one is missing.
        share: Estimated share of the kernel's time that it costs, 0 to 1: what findings are ordered by.
    """

    layer: Layer
    bottleneck: Bottleneck
    message: str
    directive: str = ""
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class StaticReport:
    """What can be said of a kernel on a device before it runs.

    Attributes:
        flops: Operations of this variant of the compute layer, counted once each.
        bytes_moved: Bytes that must cross the main memory at least once: parameters and outputs.
        bound_ns: The time below which this device cannot come, by its roofline; None when its peaks
            are not known.
        bound_class: What the bound is made of: `ARITHMETIC`, `BANDWIDTH` or `OVERHEAD`.
        findings: What costs time, the costliest first.
    """

    flops: int
    bytes_moved: int
    bound_ns: float | None
    bound_class: Bottleneck
    findings: tuple[Finding, ...] = ()

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.flops / max(1, self.bytes_moved)

    def of_layer(self, layer: Layer) -> tuple[Finding, ...]:
        """Give the findings that a layer can mend, the costliest first."""
        return tuple(finding for finding in self.findings if finding.layer is layer)
