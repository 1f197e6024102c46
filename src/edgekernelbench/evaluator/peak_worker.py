"""A worker that runs kernels of which only the shortest run matters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from edgekernelbench.base.errors import CompileError, DeviceFault, PrerequisiteError
from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.interface import Compiler
from edgekernelbench.evaluator.desk import Desk
from edgekernelbench.evaluator.server import Role
from edgekernelbench.evaluator.timing import Batch, Batches, BatchPlan
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Buffer
from edgekernelbench.profiles.profile import Profile, profile_from_json
from edgekernelbench.records.outcome import Phase
from edgekernelbench.verify.compute import verify_compute

BATCHES = 5
BATCH_NS = 10_000_000


def peaks_role(find_compiler: Callable[[str], Compiler]) -> Role:
    """Make the role that replies with the shortest run of each of some kernels.

    Args:
        find_compiler: Gives the compiler of a name.
    """
    return partial(_work, find_compiler)


def _work(find_compiler: Callable[[str], Compiler], folder: Path) -> None:
    desk = Desk(folder)
    profile = profile_from_json(desk.request["profile"])
    try:
        compiler = find_compiler(desk.request["compiler"])
        with desk.phase(Phase.RUN):
            effort = Effort()
            ns = [
                min(_shortest_run(text, compiler, profile, effort) for text in ways)
                for ways in desk.request["texts"]
            ]
    except CompileError as error:
        desk.reply(refused=str(error))
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
    except DeviceFault as error:
        desk.reply(faulted=str(error))
    else:
        desk.reply(ns=ns, waited=effort.waited_ns / max(1, effort.spent_ns))


@dataclass(slots=True)
class Effort:
    """What all measured batches took, and how long their threads waited for a core meanwhile."""

    spent_ns: int = 0
    waited_ns: int = 0

    def note(self, batch: Batch) -> Batch:
        """Add a batch."""
        self.spent_ns += sum(batch.samples)
        self.waited_ns += batch.waited_ns
        return batch


def _shortest_run(text: str, compiler: Compiler, profile: Profile, effort: Effort) -> float:
    """Compile a kernel and run it until its best time is known, in nanoseconds a run."""
    nest = build_nest(verify_compute(parse(text)), profile.target, profile)
    executable = compiler.compile(nest, profile).executable
    if executable is None:
        raise PrerequisiteError(
            f"{compiler.name} built nothing that runs on this machine", "measure it on its own device"
        )
    params = [_ones(buffer) for buffer in nest.params]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    executable.prepare(params)

    def rounds(count: int, repeats: int) -> Sequence[int]:
        return executable.time_batches([params] * count, [outputs] * count, repeats=repeats)

    batches = Batches(rounds, 1, BatchPlan(BATCH_NS, 0))
    batches.calibrate()
    best = min(min(effort.note(batches.batch()).samples) for _ in range(BATCHES))
    return best / batches.runs


def _ones(buffer: Buffer) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Make contents that no arithmetic makes slow: zeros can be denormal in what follows, ones cannot."""
    return place_array(buffer, np.ones(buffer.shape, np.float32))
