"""Runs single parts: plainly, to learn what goes into each, and as candidates of a search, timed."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import tvm

from edgekernelbench.compiler.arrays import Array, allocate_buffer, stored_type
from edgekernelbench.compiler.traced import Part
from edgekernelbench.compiler.tvm.executable import as_tensor
from edgekernelbench.compiler.tvm.metaschedule.program import Whole, shared_buffers
from edgekernelbench.compiler.tvm.metaschedule.replay import build_functions, lower_blocks, scheduled
from edgekernelbench.nest.tree import Buffer
from edgekernelbench.profiles.profile import Profile

ENOUGH_NS = 60_000_000
"""A candidate is run until it was timed for so long together."""

SAMPLE_NS = 200_000
"""Least duration of one reading of the clock."""

MOST_SAMPLES = 30

HOPELESS = 4.0
"""A first run so many times slower than the best one is the last."""

_ODD_SHARE = 0.01
"""Whole numbers may differ in so many elements: those that are rounded from floats can."""

_TOLERANCE = {"float64": 1e-9, "float32": 1e-3, "float16": 3e-2, "bfloat16": 1e-1}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a candidate showed.

    Attributes:
        right: Whether it computes what the plain part computes, within a rough tolerance.
        nanoseconds: Median duration of one run; None when it was wrong.
    """

    right: bool
    nanoseconds: float | None


def part_runner(
    whole: Whole, part: Part, profile: Profile
) -> Callable[[Mapping[str, Array]], Callable[[], None]]:
    """Compile one part.

    Args:
        whole: The kernel.
        part: The part, with its trace or without.
        profile: The device.

    Returns:
        Given arrays by name, what runs the part on them.

    Raises:
        CompileError: When TVM refuses it.
    """
    taken = shared_buffers(whole, part.stages)
    body = lower_blocks(scheduled(whole, part))
    run = tvm.runtime.Executable(build_functions(taken, {"run": [body]}, profile))["run"]

    def bind(arrays: Mapping[str, Array]) -> Callable[[], None]:
        tensors = [as_tensor(s.buffer, arrays[s.buffer.name]) for s in taken]
        return lambda: run(*tensors)

    return bind


def run_plainly(
    whole: Whole, parts: Sequence[Part], given: Sequence[Array], profile: Profile, folder: Path
) -> None:
    """Run all parts as TVM writes them, and leave every buffer that parts share in a folder.

    Args:
        whole: The kernel.
        parts: What is evaluated once per weights, and the parts, in order.
        given: One array a parameter.
        profile: The device.
        folder: Where the buffers go.

    Raises:
        CompileError: When TVM refuses a part.
    """
    arrays: dict[str, Array] = {b.name: a for b, a in zip(whole.nest.params, given, strict=True)}
    for buffer in (*whole.nest.outputs, *whole.nest.prepared, *whole.nest.tables):
        arrays[buffer.name] = allocate_buffer(buffer)
    for table in whole.nest.tables:
        held = arrays[table.name]
        held[...] = np.array(table.values).reshape(table.shape).astype(held.dtype)
    for part in parts:
        part_runner(whole, Part(part.stages), profile)(arrays)()
    for name, array in arrays.items():
        array.reshape(-1).view(np.uint8).tofile(folder / file_of(name))


def file_of(name: str) -> str:
    """Name the file that holds a buffer."""
    return f"{name}.bin"


def measure_part(
    whole: Whole, part: Part, profile: Profile, folder: Path, best_ns: float | None
) -> Callable[[], Reading]:
    """Compile a candidate; what is returned runs it.

    Args:
        whole: The kernel.
        part: The part with the trace that is tried.
        profile: The device.
        folder: Where `run_plainly` left the buffers.
        best_ns: What the fastest so far takes.

    Raises:
        CompileError: When TVM refuses it.
    """
    bind = part_runner(whole, part, profile)
    written = set(part.stages)
    arrays: dict[str, Array] = {}
    expected: dict[str, Array] = {}
    for stored in shared_buffers(whole, part.stages):
        buffer = stored.buffer
        found = _load(buffer, folder)
        if buffer.name in written:
            expected[buffer.name], found = found, allocate_buffer(buffer)
        arrays[buffer.name] = found

    def measure() -> Reading:
        run = bind(arrays)
        run()
        if not all(agrees(arrays[name], want) for name, want in expected.items()):
            return Reading(right=False, nanoseconds=None)
        return Reading(right=True, nanoseconds=_time(run, best_ns))

    return measure


def _load(buffer: Buffer, folder: Path) -> Array:
    held = allocate_buffer(buffer)
    raw = np.fromfile(folder / file_of(buffer.name), np.uint8)
    held[...] = raw.view(stored_type(buffer.dtype)).reshape(held.shape)
    return held


def _time(run: Callable[[], None], best_ns: float | None) -> float:
    clock = time.perf_counter_ns
    start = clock()
    run()
    first = max(1, clock() - start)
    if best_ns is not None and first > HOPELESS * max(best_ns, SAMPLE_NS / HOPELESS):
        return float(first)
    count = max(1, -(-SAMPLE_NS // first))
    samples: list[float] = []
    spent = 0
    while (spent < ENOUGH_NS and len(samples) < MOST_SAMPLES) or len(samples) < 2:
        start = clock()
        for _ in range(count):
            run()
        used = clock() - start
        spent += used
        samples.append(used / count)
    return float(median(samples))


def agrees(actual: Array, expected: Array) -> bool:
    """Say whether two results are the same but for the order of their sums, within a rough tolerance."""
    tolerance = _TOLERANCE.get(str(expected.dtype))
    if tolerance is None:
        return float(np.mean(actual != expected)) <= _ODD_SHARE
    found, wanted = actual.astype(np.float64), expected.astype(np.float64)
    finite: Any = np.isfinite(wanted)
    if not np.array_equal(np.isfinite(found), finite):
        return False
    scale = float(np.max(np.abs(wanted[finite]), initial=0.0))
    return bool(np.all(np.abs(found[finite] - wanted[finite]) <= tolerance * max(scale, 1e-30)))
