"""Runs as large as one likes, made of draws: for what depends on how much there is, not on what it says."""

import math
import random
from collections.abc import Sequence
from pathlib import Path

from edgekernelbench.base.diagnostics import Diagnostic, Layer
from edgekernelbench.base.span import Span
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.attempt import Attempt, Ending, Usage, attempt_id
from edgekernelbench.records.judgement import CostRecord, InputSet, Judgement, Margin
from edgekernelbench.records.manifest import DeviceFacts, Manifest
from edgekernelbench.records.outcome import (
    Correct,
    Crashed,
    Fault,
    Outcome,
    Phase,
    Rejected,
    Ring,
    Series,
    Wrong,
)
from edgekernelbench.records.store import RunFolder, RunWriter
from edgekernelbench.workloads.catalogue import load_catalogue

TEXT = '''def kernel_{name}(x: f32[M, K], w: const[f32[K, N]], b: const[f32[N]]):
    """A linear layer with ReLU, number {name}."""
    M, K, N = {m}, 256, 512

    with compute:
        acc[i, j]: f32[M, N] = sum(x[i, k] * w[k, j] for k in range(K))
        out[i, j]: f32[M, N] = max(acc[i, j] + b[j], 0.0)
        return out

    with schedule("llvm"):
        io, ii = split(out.i, {m})
        jo, ji = split(out.j, 32)
        order(jo, io, ii, ji)
        parallel(jo)
        compute_at(acc, io)
        order(acc.k, acc.i, acc.j)
        vectorize(acc.j, ji)

    with memory("llvm"):
        layout(w, "k j -> j/32 k j%32")
'''
AGENTS = ("direct-alpha", "direct-beta", "repair-gamma")
CODES = ("P01", "C14", "S07", "M03")


def make_large_run(
    folder: Path,
    *,
    workloads: int = 650,
    agents: Sequence[str] = AGENTS,
    attempts: int = 1,
    sets: int = 5,
    seed: int = 0,
    device_class: str = "server",
    track: str = "write",
) -> Path:
    """Make a run over the catalogue whose outcomes and times are drawn."""
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw, no secret
    catalogue = load_catalogue()
    names = [w.id for w in catalogue.workloads[:: max(1, 650 // workloads)][:workloads]]
    planned = [attempt_id(a, w, n) for w in names for a in agents for n in range(attempts)]
    manifest = Manifest(
        run=folder.name,
        settings={
            "suite": "full",
            "track": track,
            "k": attempts,
            "timing": "final",
            "compiler": "tvm",
            "agents": [{"name": agent, "kind": "direct", "model": f"openai:{agent}"} for agent in agents],
        },
        catalogue=catalogue.hash,
        commit="0123456789abcdef0123456789abcdef01234567",
        dirty=False,
        versions={"python": "3.11.7", "edgekernelbench": "0.1.0"},
        device=DeviceFacts(
            profile="llvm", device_class=device_class, threads=2, machine="x86_64", system="Linux 6",
            cpu="A processor", cores=2, memory_bytes=1 << 34,
        ),
        environment={},
        planned=tuple(planned),
        started="2026-11-30T12:00:00Z",
    )  # fmt: skip
    run = RunFolder.create(folder, manifest)
    with run.writing() as writer:
        baseline = {w: writer.add_artifact(TEXT.format(name=at, m=8)) for at, w in enumerate(names)}
        for at, name in enumerate(planned):
            agent, workload, number = name.split("/", 1)[0], name.split("/", 1)[1].rsplit("/", 1)[0], at
            _add(writer, chance, name, (agent, workload, number), sets, baseline[workload])
    return folder


def _add(
    writer: RunWriter,
    chance: random.Random,
    name: str,
    parts: tuple[str, str, int],
    sets: int,
    baseline: str,
) -> None:
    agent, workload, at = parts
    skill = 0.3 + 0.2 * (sum(agent.encode()) % 3)
    text = writer.add_artifact(TEXT.format(name=at, m=chance.choice((2, 4, 8, 16))))
    writer.add_attempt(
        Attempt(
            id=name, agent=agent, workload=workload, number=int(name.rsplit("/", 1)[1]),
            ending=Ending.ANSWERED, text=text,
            usage=Usage(calls=1, input_tokens=chance.randrange(2000, 9000),
                        output_tokens=chance.randrange(100, 2000), wall_ms=chance.randrange(1000, 60000)),
        )
    )  # fmt: skip
    outcome = _outcome(chance, skill, sets)
    timed = isinstance(outcome, Correct)
    writer.add_judgement(
        Judgement(
            attempt=name, workload=workload, device="llvm", device_class="server", compiler="tvm",
            threads=2, text=text, canonical="0123456789abcdef", outcome=outcome,
            margins=tuple(
                Margin(inputs=d, output=0, elementwise=chance.random(), rms_ratio=chance.random())
                for d in ("typical", "heavy", "sparse")
            ) if timed else (),
            inputs=tuple(
                InputSet(name=d, distribution=d, seed=chance.randrange(1 << 48))
                for d in ("typical", "heavy", "sparse")
            ),
            cost=CostRecord(
                code_bytes=chance.randrange(2000, 40000),
                workspace_bytes={"global": 2 ** chance.randrange(6, 24), "local": 1024},
                compile_ns=chance.randrange(10**8, 10**9),
            ) if not isinstance(outcome, Rejected) else None,
            baselines={"default": baseline} if timed else {},
        )
    )  # fmt: skip


def _outcome(chance: random.Random, skill: float, sets: int) -> Outcome:
    lot = chance.random()
    if lot < skill:
        return Correct(_rings(chance, sets))
    if lot < skill + 0.1:
        return Wrong(Fault.VALUES, "output 0", "heavy", 17, 40.0, "at [0, 3]: expected 1.5, found 2.25")
    if lot < skill + 0.15:
        return Crashed(Phase.RUN, 11, timed_out=False, detail="segmentation fault")
    code = chance.choice(CODES)
    complaint = Diagnostic(
        code,
        "expected an axis of 'out', found 'acc.i'",
        Span(12, 9, 12, 20),
        Layer.SCHEDULE,
        "split(out.i, 8)",
    )
    return Rejected((complaint,))


def _rings(chance: random.Random, sets: int) -> tuple[Ring, ...]:
    kernel = math.exp(chance.uniform(8, 16))
    ratio = math.exp(chance.gauss(0.1, 0.5))
    vendor = math.exp(chance.gauss(0.0, 0.7))

    def series(name: str, ns: float) -> Series:
        runs = max(1, round(1e7 / ns))
        drawn = (Nanoseconds(round(ns * runs * chance.gauss(1, 0.02))) for _ in range(10))
        return Series(name, runs, tuple(drawn), 2)

    return tuple(
        Ring(series("kernel", kernel), (series("default", kernel * ratio), series("vendor", kernel * vendor)))
        for _ in range(sets)
    )
