"""Where the time and the memory of an imported model go, and where a budget would pay."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

from edgekernelbench.imports.record import CONSTANT, Function, ImportedModel, Needed, Tensor
from edgekernelbench.imports.running import load_weights

WORTH = 0.02
"""Part of a model's time that must be to gain before a budget pays; less is lost between two processes."""

NEAR = 1.25
"""How near to its bound a kernel counts as perfect: peaks are measured with simple kernels, see
`evaluator.bounds.MEMORY_MARGIN`."""

OVERHEAD_TIMES = 5
"""A kernel under so many empty launches is bound by starting it, as scores count it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One function of a model.

    Attributes:
        function: What is known of it.
        total_ns: Its time in one run of the model; None when it was not measured.
        kind: `compute`, `memory`, `overhead`, or what else is to be said.
        gain: Part of the model's time that a perfect kernel would save; None when that is not known.
        weights_bytes: Its weights, those of all calls.
    """

    function: Function
    total_ns: float | None
    kind: str
    gain: float | None
    weights_bytes: int

    @property
    def is_worth(self) -> bool:
        """Whether a budget would pay."""
        return self.gain is not None and self.gain >= WORTH


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """Where time and memory go.

    Attributes:
        model: The model.
        parts: Its functions, the slowest first.
        total_ns: Time of one run, all functions one after another.
        weights_bytes: All weights, each once.
        peak_bytes: The most that values between calls take at one time, inputs and outputs among them.
    """

    model: ImportedModel
    parts: tuple[Part, ...]
    total_ns: float
    weights_bytes: int
    peak_bytes: int

    @property
    def raised_share(self) -> float:
        """Part of the time that is in functions which were raised and judged correct."""
        return sum(p.function.share or 0.0 for p in self.parts if p.function.verdict == "correct")

    @property
    def gain(self) -> float:
        """Part of the time that perfect kernels would save everywhere."""
        return sum(p.gain or 0.0 for p in self.parts)


def profile_model(model: ImportedModel, folder: Path) -> ModelProfile:
    """Make the profile of a model that was measured.

    Args:
        model: The model, with times.
        folder: Its folder.
    """
    sizes = {name: array.nbytes for name, array in load_weights(folder).items()}
    total = sum(f.runs * f.time_ns for f in model.functions if f.time_ns is not None)
    parts = [_part(model, function, total, sizes) for function in model.functions]
    parts.sort(key=lambda part: -(part.total_ns or 0.0))
    return ModelProfile(model, tuple(parts), total, sum(sizes.values()), peak_bytes(model))


def _part(model: ImportedModel, function: Function, total: float, sizes: dict[str, int]) -> Part:
    own = {arg for call in model.calls if call.function in function.functions for arg in call.args}
    weights = sum(sizes[arg] for arg in own if arg.startswith(CONSTANT))
    if function.time_ns is None:
        return Part(function, None, "not measured", None, weights)
    spent = function.runs * function.time_ns
    if function.needs is None:
        kind = "stays with TVM" if function.workload is None else "no roofline"
        return Part(function, spent, kind, None, weights)
    kind = "memory" if function.needs.memory_ns >= function.needs.compute_ns else "compute"
    if _is_overhead(function.needs, function.time_ns):
        kind = "overhead"
    least = perfect_ns(function)
    gain = None if least is None or not total else function.runs * (function.time_ns - least) / total
    return Part(function, spent, kind, gain, weights)


def perfect_ns(function: Function) -> float | None:
    """Give the time of a call that a perfect kernel would take; at most what it takes now.

    Args:
        function: One that was measured.

    Returns:
        Nanoseconds; None where it was not measured or the device's peaks are not known.
    """
    if function.time_ns is None or function.needs is None:
        return None
    if _is_overhead(function.needs, function.time_ns):
        return function.time_ns
    return min(function.time_ns, function.needs.bound_ns * NEAR)


def _is_overhead(needs: Needed, time_ns: float) -> bool:
    return time_ns < OVERHEAD_TIMES * needs.launch_ns


def peak_bytes(model: ImportedModel) -> int:
    """Follow values from the call that makes them to the last that reads them; give the most held at once."""
    last = {name: len(model.calls) for name in model.outputs}
    for place, call in enumerate(model.calls):
        for arg in call.args:
            last[arg] = max(place, last.get(arg, place))
    held: dict[str, int] = {tensor.name: _bytes(tensor) for tensor in model.inputs}
    most = sum(held.values())
    for place, call in enumerate(model.calls):
        held |= {tensor.name: _bytes(tensor) for tensor in call.results}
        most = max(most, sum(held.values()))
        held = {name: size for name, size in held.items() if last.get(name, -1) > place}
    return most


def _bytes(tensor: Tensor) -> int:
    return -(-prod(tensor.shape) * tensor.dtype.bits // 8)


def advice(profile: ModelProfile) -> Iterator[str]:
    """Say what to do next, a sentence a line."""
    worth = [part for part in profile.parts if part.is_worth]
    if worth:
        names = ", ".join(f"{part.function.name} ({part.gain:.0%})" for part in worth[:5])
        yield f"worth a budget, with what a perfect kernel would save of the whole: {names}"
    else:
        yield "no function leaves 2 % of the time to gain"
    left = [part for part in profile.parts if part.function.workload is None]
    if left:
        yield f"{len(left)} functions stay with TVM: " + ", ".join(part.function.name for part in left[:5])
    wrong = [p.function for p in profile.parts if p.function.verdict not in ("", "correct")]
    if wrong:
        yield "not correct: " + ", ".join(f"{f.name} ({f.verdict})" for f in wrong[:5])
