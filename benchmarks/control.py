"""What timing from outside adds: `python benchmarks/control.py`; on an idle machine.

The same C, written by our own back end for one thread, is timed in its own process (`CExecutable`) and as
the control is: in a process a sample, by another one, on inputs that it sees once.
"""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.c import CCompiler
from edgekernelbench.compiler.control.build import build_runner
from edgekernelbench.compiler.control.canonical import plain_source
from edgekernelbench.compiler.control.prototype import write_prototype
from edgekernelbench.compiler.interface import Array
from edgekernelbench.evaluator.control.arena import Arena
from edgekernelbench.evaluator.control.process import Stranger
from edgekernelbench.evaluator.control.rounds import Draw, Rounds
from edgekernelbench.evaluator.sheets import plan_layout, stored_form
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.evaluator.timing import set_count
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload

PROFILE = replace(load_profile("llvm"), threads=1)
DRAWS, SAMPLES = 56, 20


def main() -> None:
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores; the fastest of {SAMPLES}")
    for workload in load_catalogue().select((), suite="quick"):
        kernel = default_lowering(verify_compute(workload.kernel()), "llvm", PROFILE)
        nest = build_nest(verify_compute(kernel), "llvm", PROFILE)
        inside, outside = in_its_process(workload, nest), from_outside(workload, nest)
        times = f"{inside:.1f} us inside, {outside:.1f} us from outside"
        print(f"{workload.id}: {times}, {outside / inside:.2f} times")


def sets_of(workload: Workload) -> tuple[int, int]:
    kernel = workload.kernel()
    layout = plan_layout([(p.dtype, p.shape) for p in kernel.params], forms(workload))
    moving = [s for s, p in zip(layout.params, kernel.params, strict=True) if not p.const]
    size = sum(slot.nbytes for slot in (*moving, *layout.first))
    return size, set_count(size, PROFILE.cache_bytes[-1])


def forms(workload: Workload) -> tuple[tuple[object, ...], ...]:
    return tuple((stage.dtype, stage.shape) for stage in outputs_of(workload.kernel()))


def in_its_process(workload: Workload, nest: Nest) -> float:
    executable = CCompiler().compile(nest, PROFILE).executable
    assert executable is not None
    _, count = sets_of(workload)
    inputs = make_inputs(workload, 0)
    given = [[place_array(b, a) for b, a in zip(nest.params, inputs, strict=True)] for _ in range(count)]
    left = [[allocate_buffer(b) for b in nest.outputs] for _ in range(count)]
    executable.prepare(given[0])
    return min(executable.time_batches(given, left, repeats=3 * SAMPLES)) / count / 1e3


def from_outside(workload: Workload, nest: Nest) -> float:
    params = workload.kernel().params
    layout = plan_layout([(p.dtype, p.shape) for p in params], forms(workload))
    const = [p.const for p in params]
    first = stored(workload, 0)
    draws = [
        Draw(tuple(a if c else b for a, b, c in zip(first, stored(workload, n), const, strict=True)), n or 0)
        for n in range(DRAWS)
    ]
    size, _ = sets_of(workload)
    with tempfile.TemporaryDirectory() as place:
        text = plain_source(nest, threads=1, stack_limit=PROFILE.stack_bytes)
        prototype = write_prototype(params, forms(workload))
        built = build_runner(text, prototype, Path(place))
        rounds = Rounds(
            draws,
            lambda calls: Arena(layout.params, layout.first, const, calls),
            lambda arena: Stranger(built.program, arena.handle, arena.size, prototype.pointers, 1),
            set_bytes=size,
            cache_bytes=PROFILE.cache_bytes[-1],
            distance=lambda one, other: 0.0,
        )
        rounds.calibrate()
        return min(rounds.batch().samples[0] for _ in range(SAMPLES)) / rounds.runs / 1e3


def stored(workload: Workload, seed: int) -> Sequence[Array]:
    arrays = make_inputs(workload, seed)
    return [stored_form(p.dtype, a) for p, a in zip(workload.kernel().params, arrays, strict=True)]


if __name__ == "__main__":
    main()
