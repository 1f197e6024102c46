"""A run folder as a run would leave it."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.judgement import Judgement
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
from edgekernelbench.records.store import RunFolder

AGENTS = ("direct smollm2", "direct openai:org/m")
WORKLOADS = ("conv/conv2d@a-f32", "norm/softmax@b-f32", "norm/softmax@c-f16")


def correct(kernel: int, default: int) -> Correct:
    ring = Ring(
        Series("kernel", 1, (Nanoseconds(kernel),), 2), (Series("default", 1, (Nanoseconds(default),), 2),)
    )
    return Correct((ring,))


def rejected(code: str) -> Rejected:
    return Rejected((Diagnostic(code, "no"),))


WRONG = Wrong(Fault.VALUES, "output 0", "normal", 3, 9.0, "at [0]: expected 1, found 2")
CRASHED = Crashed(Phase.RUN, None, timed_out=True, detail="")
OUTCOMES: dict[str, tuple[Outcome, ...]] = {
    AGENTS[0]: (rejected("P01"), rejected("C14"), WRONG),
    AGENTS[1]: (correct(50, 100), correct(100, 101), CRASHED),
}


def manifest() -> Manifest:
    return Manifest(
        run="demo",
        settings={"suite": "quick", "track": "write", "k": 1},
        catalogue="0123456789abcdef",
        commit=None,
        dirty=False,
        versions={"python": "3.11.7"},
        device=DeviceFacts(
            profile="llvm",
            device_class="server",
            threads=2,
            machine="x86_64",
            system="Linux 6",
            cpu="A processor",
            cores=2,
            memory_bytes=1 << 34,
        ),
        environment={},
        planned=tuple(f"{agent}/{workload}/0" for agent in AGENTS for workload in WORKLOADS),
        started="2026-11-30T12:00:00Z",
    )


def make_run(folder: Path, *, without: int = 0) -> Path:
    """Make a run, its last `without` judgements missing."""
    run = RunFolder.create(folder, manifest())
    outcomes = [(f"{a}/{w}/0", w, o) for a in AGENTS for w, o in zip(WORKLOADS, OUTCOMES[a], strict=True)]
    with run.writing() as writer:
        for name, workload, outcome in outcomes[: len(outcomes) - without]:
            writer.add_judgement(judgement(name, workload, outcome))
    return folder


def make_rows(
    folder: Path,
    rows: Mapping[str, Mapping[str, Outcome | None]],
    *,
    settings: Mapping[str, JsonValue] | None = None,
    catalogue: str = "0123456789abcdef",
    device: Mapping[str, object] | None = None,
) -> Path:
    """Make a run of rows, given as the outcome of each workload of each agent; None is not judged yet."""
    plan = [(f"{agent}/{w}/0", w, o) for agent, row in rows.items() for w, o in row.items()]
    base = manifest()
    changed = base.model_copy(
        update={
            "run": folder.name,
            "planned": tuple(name for name, _, _ in plan),
            "settings": {**base.settings, "timing": "one-child", "compiler": "tvm", **(settings or {})},
            "catalogue": catalogue,
            "device": base.device.model_copy(update=dict(device or {})),
        }
    )
    run = RunFolder.create(folder, changed)
    with run.writing() as writer:
        for name, workload, outcome in plan:
            if outcome is not None:
                writer.add_judgement(judgement(name, workload, outcome))
    return folder


def judgement(attempt: str, workload: str, outcome: Outcome) -> Judgement:
    """Make the judgement of an attempt, without a text."""
    return Judgement(
        attempt=attempt,
        workload=workload,
        device="llvm",
        device_class="server",
        compiler="tvm",
        threads=2,
        text=None,
        outcome=outcome,
        flags=("one-child",) if isinstance(outcome, Correct) else (),
    )
