"""Measuring what a device reaches: kernels that read, copy and multiply, in a worker like any other's.

Each is compiled plainly and with the default lowering, and the shortest run of both counts, so that a peak
is what kernels of this compiler can reach, starting a run included. A kernel that is much faster than that
is worth a question.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from edgekernelbench.base.errors import EkbError
from edgekernelbench.evaluator.device_lock import hold_device
from edgekernelbench.evaluator.environment import (
    WORKER_COMMAND,
    host_room,
    part_of,
    scratch_root,
    server_name,
    worker_cores,
    worker_environment,
)
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.trial import excuse, last_words
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.peaks import NS_PER_SECOND, Peaks
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute

ROWS = 64
F32 = 4

READ = """
def read(x: f32[{rows}, {columns}]):
    with compute:
        out[r]: f32[{rows}] = sum(x[r, c] for c in range({columns}))
        return out
"""
COPY = """
def copy(x: f32[{rows}, {columns}]):
    with compute:
        out[r, c]: f32[{rows}, {columns}] = x[r, c] * 2.0
        return out
"""
MULTIPLY = """
def multiply(a: f32[{size}, {size}], b: f32[{size}, {size}]):
    with compute:
        out[i, j]: f32[{size}, {size}] = sum(a[i, k] * b[k, j] for k in range({size}))
        return out
"""
NOTHING = """
def nothing(x: f32[1]):
    with compute:
        out[i]: f32[1] = x[i]
        return out
"""

WORKING_SETS = tuple((32 << 10) << (2 * step) for step in range(7))
"""From 32 KiB to 128 MiB: from the first cache of small parts to beyond the last one of most large ones."""

PRODUCTS = (128, 256, 512)
GPU_PRODUCTS = (512, 1024, 2048)

DEADLINE_S = 300.0


class PeaksError(EkbError):
    """Peaks could not be measured; the message says why."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A kernel whose shortest run shows a peak.

    Attributes:
        text: The kernel, without capitals.
        working_set: Bytes that it reads and writes; 0 where that is not what it shows.
        operations: What it computes; 0 likewise.
    """

    text: str
    working_set: int = 0
    operations: int = 0


def probes(profile: Profile, working_sets: Sequence[int] = WORKING_SETS) -> list[Probe]:
    """List the kernels that show the peaks of a device.

    Args:
        profile: The device.
        working_sets: Of which sizes, in bytes.
    """
    room = min(profile.workspace_bytes, 1 << 30)
    products = PRODUCTS if part_of(profile) == "cpu" else GPU_PRODUCTS
    moves = [(READ, 1), (COPY, 2)]
    return [
        Probe(NOTHING),
        *(
            Probe(text.format(rows=ROWS, columns=size // (F32 * ROWS * tensors)), working_set=size)
            for size in working_sets
            if size <= room
            for text, tensors in moves
        ),
        *(Probe(MULTIPLY.format(size=size), operations=2 * size**3) for size in products),
    ]


def measure_peaks(
    profile: Profile,
    *,
    compiler: str = "tvm",
    wanted: Sequence[Probe] | None = None,
    command: Sequence[str] = WORKER_COMMAND,
) -> Peaks:
    """Measure what a device reaches; takes some seconds, during which nothing else may be measured on it.

    Args:
        profile: The device.
        compiler: Name of the compiler.
        wanted: Kernels that show it; None for `probes(profile)`.
        command: Starts a fork server, given the name of a compiler.

    Returns:
        The peaks.

    Raises:
        PeaksError: When a kernel could not be run.
        PrerequisiteError: When the compiler is not there.
    """
    chosen = list(probes(profile) if wanted is None else wanted)
    texts = [_texts(probe, profile) for probe in chosen]
    request = {"profile": asdict(profile), "compiler": compiler, "texts": texts}
    limits = Limits(
        deadline_s=DEADLINE_S,
        memory_bytes=profile.workspace_bytes + host_room(profile),
        cpus=worker_cores(profile.threads),
    )
    with Supervisor(
        [*command, server_name(compiler, profile)], worker_environment(profile.threads), scratch_root()
    ) as supervisor:
        folder = supervisor.folder()
        with (
            hold_device(part_of(profile)),
            supervisor.start("peaks", request, folder=folder, limits=limits) as worker,
        ):
            ended = worker.wait()
            reply = worker.reply()
            failure = excuse(reply)
            if failure is not None or reply is None or ended.exit_code != 0:
                detail = failure.detail if failure else last_words(worker.stderr_tail())
                raise PeaksError(f"the peaks of {profile.title} could not be measured: {detail}")
    return replace(_peaks(profile, chosen, [float(ns) for ns in reply["ns"]]), waited=float(reply["waited"]))


def _texts(probe: Probe, profile: Profile) -> list[str]:
    """Give the ways in which a probe is compiled."""
    facts = verify_compute(parse(probe.text))
    lowered = default_lowering(facts, profile.target, profile)
    # A GPU runs a text without a schedule on one thread, which shows no peak and takes long.
    plain = [probe.text] if part_of(profile) == "cpu" and not probe.operations else []
    return [print_kernel(lowered), *plain]


def _peaks(profile: Profile, chosen: Sequence[Probe], ns: Sequence[float]) -> Peaks:
    rates: dict[int, float] = {}
    operations = 0.0
    for probe, each in zip(chosen, ns, strict=True):
        operations = max(operations, probe.operations / each * NS_PER_SECOND)
        if probe.working_set:
            rate = probe.working_set / each * NS_PER_SECOND
            rates[probe.working_set] = max(rates.get(probe.working_set, 0.0), rate)
    return Peaks(
        profile=profile.name,
        threads=profile.threads,
        operations_per_s=operations,
        bytes_per_s=tuple(sorted(rates.items())),
        launch_ns=min(ns),
    )
