"""The proof that an exported model computes what its own framework computes."""

import statistics
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.arrays import Array
from edgekernelbench.compiler.linking import architecture
from edgekernelbench.deploy.building import Tools, build_example
from edgekernelbench.deploy.probes import MOST_APART, Probe, read_probe, worst_distance
from edgekernelbench.deploy.proving import Stand
from edgekernelbench.deploy.record import Form, ModelRecord


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found of an exported folder.

    Attributes:
        flaws: What does not agree, a sentence each; empty when everything does.
        said: What it says of its time.
        against: What its outputs were held against.
    """

    flaws: tuple[str, ...]
    said: str = ""
    against: str = "the interpreter"


def verify_model(folder: Path, record: ModelRecord, tools: Tools) -> Verified:
    """Build an exported model, run it on the inputs that came with it, and compare.

    Args:
        folder: The folder.
        record: What it says of itself.
        tools: What builds and runs programs.

    Raises:
        PrerequisiteError: When a tool is missing, or a library for TVM is of another machine.
        CompileError: When the compiler refuses, or the program fails.
    """
    probe = read_probe(folder, record.against)
    apart, said = how_far(folder, record, probe, tools)
    limit = f"where {MOST_APART:g} is the most"
    flaws = (
        ()
        if apart <= MOST_APART
        else (f"the outputs are {apart:.3g} of their size from {probe.against}, {limit}",)
    )
    return Verified(flaws, said, f"{probe.against}, {apart:.1e} of their size apart")


def how_far(folder: Path, record: ModelRecord, probe: Probe, tools: Tools) -> tuple[float, str]:
    """Run an exported model on a probe; give the distance of its outputs, and what it says of its time."""
    if record.form == Form.RELAX:
        found, said = _by_relax(folder, record, probe)
    else:
        found, said = _by_program(folder, record, probe, tools)
    return worst_distance(found, probe.outputs), said


def _by_program(
    folder: Path, record: ModelRecord, probe: Probe, tools: Tools
) -> tuple[tuple[Array, ...], str]:
    with TemporaryDirectory(prefix="ekb-") as place:
        program = build_example(folder, record, Path(place), tools)
        weights = str(folder / f"{record.name}.weights")
        given, written = program.with_suffix(".in"), program.with_suffix(".out")
        given.write_bytes(b"".join(array.tobytes() for array in probe.inputs))
        tools.run(program, weights, str(given), str(written))
        said = tools.run(program, weights).strip()
        data = written.read_bytes()
    at = 0
    outputs: list[Array] = []
    for like in probe.outputs:
        outputs.append(np.frombuffer(data, like.dtype, like.size, at).reshape(like.shape))
        at += like.nbytes
    return tuple(outputs), said


def _by_relax(folder: Path, record: ModelRecord, probe: Probe) -> tuple[tuple[Array, ...], str]:
    if architecture(record.triple) != architecture(""):
        raise PrerequisiteError(f"a Relax library for {record.profile} does not run here", "verify it there")
    with closing(Stand(record.threads, probe.inputs)) as stand:
        found = stand.add("model", folder / f"{record.name}_relax.so")
        times = stand.times()
    time_us = statistics.median(times.values()) / 1000
    return found, f"{record.name}: {time_us:,.1f} us a run in TVM's virtual machine"
