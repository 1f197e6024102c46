"""What correct kernels cost besides time, and how fast they are beside the vendor's library."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from edgekernelbench.metrics.speed import log_speedup
from edgekernelbench.records.judgement import CostRecord, Judgement
from edgekernelbench.records.outcome import Correct
from edgekernelbench.records.reference import BASELINE_OF

VENDOR = "vendor"
"""Name of the vendor baseline in a ring."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Medians over correct kernels. No scores: what happened to be correct is another set for each agent.

    Attributes:
        kernels: How many they are over.
        workspace_bytes: Peak workspace, all scopes together.
        reference_bytes: The same of what they were timed against; None when no judgement says.
        code_bytes: Size of the machine code; None when no compiler said.
        compile_ns: Time to compile.
    """

    kernels: int
    workspace_bytes: float
    reference_bytes: float | None
    code_bytes: float | None
    compile_ns: float


@dataclass(frozen=True, slots=True)
class VendorSpeed:
    """Correct kernels beside the vendor baseline.

    Attributes:
        mean: How many times as fast as it, in geometric mean.
        faster: How many of them are faster.
        kernels: How many were measured beside it.
        names: Which library it was, with how often; commonest first.
        loops: How often it was a Python loop over data, whose time is no measure of a library.
    """

    mean: float
    faster: int
    kernels: int
    names: dict[str, int]
    loops: int


def costs_of(judgements: Iterable[Judgement]) -> Costs | None:
    """Summarise the costs of correct kernels.

    Args:
        judgements: Of one agent.

    Returns:
        Medians; None when no correct kernel says what it costs.
    """
    right = [j for j in judgements if isinstance(j.outcome, Correct)]
    known = [j.cost for j in right if j.cost is not None]
    if not known:
        return None
    beside = [peak_workspace(cost) for j in right if (cost := reference_cost(j)) is not None]
    code = [cost.code_bytes for cost in known if cost.code_bytes is not None]
    return Costs(
        kernels=len(known),
        workspace_bytes=median(peak_workspace(cost) for cost in known),
        reference_bytes=median(beside) if beside else None,
        code_bytes=median(code) if code else None,
        compile_ns=median(cost.compile_ns for cost in known),
    )


def peak_workspace(cost: CostRecord) -> int:
    """Give the peak workspace of a kernel in bytes, all scopes together."""
    return sum(cost.workspace_bytes.values())


def reference_cost(judgement: Judgement) -> CostRecord | None:
    """Give what the reference costs that a kernel was timed against; None when the judgement does not say."""
    kind = "R0" if judgement.reference is None else judgement.reference.kind
    return judgement.baseline_costs.get(BASELINE_OF[kind])


def vendor_ratio(judgement: Judgement) -> float | None:
    """Give how many times as fast as the vendor a kernel is; None when it was not timed beside it."""
    if not isinstance(judgement.outcome, Correct):
        return None
    value = log_speedup(judgement.outcome.rings, VENDOR)
    return None if value is None else math.exp(value)


def vendor_speed(judgements: Sequence[Judgement]) -> VendorSpeed | None:
    """Summarise correct kernels beside the vendor.

    Args:
        judgements: Of one agent.

    Returns:
        The summary; None when none was timed beside it.
    """
    pairs = [(j, ratio) for j in judgements if (ratio := vendor_ratio(j)) is not None]
    if not pairs:
        return None
    libraries = [j.vendor for j, _ in pairs if j.vendor is not None]
    names = Counter(library.name or "unknown" for library in libraries)
    return VendorSpeed(
        mean=math.exp(fmean(math.log(ratio) for _, ratio in pairs)),
        faster=sum(ratio > 1 for _, ratio in pairs),
        kernels=len(pairs),
        names=dict(names.most_common()),
        loops=sum(library.loop for library in libraries),
    )
