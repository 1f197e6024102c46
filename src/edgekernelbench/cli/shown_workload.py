"""What `ekb catalogue show` says of a workload."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.protocol import Track
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.experiment import BudgetSetting
from edgekernelbench.evaluator.bounds import needs_of
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.workloads.schema import Workload
from edgekernelbench.workloads.vendor_forms import forms_of

REFERENCE_PROFILE = "llvm"
"""Cards and counts are shown for the CPU; counts are those of the canonical text, whatever the device."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What one run of the canonical text does.

    Attributes:
        operations: Additions, multiplications and the like, of floats and of integers.
        moved_bytes: Bytes of outputs, and of parameters that are read whole.
    """

    operations: int
    moved_bytes: int

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.operations / max(1, self.moved_bytes)


def counts_of(workload: Workload, profile: Profile | None = None) -> Counts:
    """Derive what a workload does from its text: nobody types it.

    Args:
        workload: The workload.
        profile: The device whose nest is counted; None for the CPU.
    """
    needs = needs_of(workload, profile or load_profile(REFERENCE_PROFILE))
    return Counts(needs.operations, needs.moved_bytes)


def baselines_of(workload: Workload) -> list[str]:
    """List what a kernel for a workload can be timed beside."""
    forms = forms_of(workload)
    torch = "not timed: its function is a loop over data" if forms.loops else "plain or frozen"
    if forms.torch_path.stem.endswith("_vendor"):
        torch = f"the form that is shipped, {forms.torch_path.name}"
    onnx = f"the graph of {forms.onnx_path.name}" if forms.onnx_path else "exported from the PyTorch function"
    if forms.loops and forms.onnx_path is None:
        onnx = "none: a loop over data would be exported unrolled"
    return [
        "default: the default lowering of the canonical text",
        f"vendor, PyTorch: {torch}",
        f"vendor, ONNX Runtime: {onnx}",
    ]


def card_of(workload: Workload) -> str:
    """Write the card that an agent of the *write* track is given for the CPU."""
    profile = load_profile(REFERENCE_PROFILE)
    facts = card_facts(workload, Track.WRITE, profile)
    return make_task(facts, profile, BudgetSetting().budget()).prompt


def workload_lines(workload: Workload) -> Iterator[str]:
    """Write everything that is known of a workload, for people."""
    counts = counts_of(workload)
    yield workload.id
    yield f"{workload.domain}, {workload.level}; sums in {workload.accumulate}; {', '.join(workload.suites)}"
    yield f"sizes: {', '.join(f'{name} = {value}' for name, value in workload.sizes.items())}"
    yield f"source of the sizes: {workload.source}"
    yield (
        f"a run: {counts.operations:,} operations, {counts.moved_bytes:,} bytes, "
        f"{counts.intensity:.3g} operations a byte"
    )
    yield from baselines_of(workload)
    yield from (f"input {name} = {_as_toml(draw)}" for name, draw in workload.inputs.items())
    yield from ("", "# Canonical text", "", print_kernel(workload.kernel()))
    yield from ("", "# PyTorch function", "", workload.torch_text)
    yield from ("", "# Card", "", card_of(workload))


def _as_toml(draw: BaseModel) -> str:
    """Write how a parameter is drawn as a row of the catalogue does."""
    fields = draw.model_dump(mode="json", exclude_none=True)
    return f"{{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in fields.items())} }}"


def workload_json(workload: Workload) -> dict[str, object]:
    """Give the same for programs."""
    counts = counts_of(workload)
    return {
        "operations": counts.operations,
        "moved_bytes": counts.moved_bytes,
        "baselines": baselines_of(workload),
        "inputs": {name: draw.model_dump() for name, draw in workload.inputs.items()},
        "canonical": print_kernel(workload.kernel()),
        "pytorch": workload.torch_text,
        "card": card_of(workload),
    }
