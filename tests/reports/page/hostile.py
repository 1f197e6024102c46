"""A run whose every text attacks whoever looks at it."""

import json
from pathlib import Path

from tests.reports.support import correct
from tests.reports.test_walk import walked

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.judgement import InputSet, Judgement, Margin, VendorRecord
from edgekernelbench.records.manifest import DeviceFacts, Manifest
from edgekernelbench.records.outcome import (
    Cause,
    Correct,
    Crashed,
    Fault,
    Outcome,
    Phase,
    Rejected,
    Ring,
    Series,
    Unjudged,
    Wrong,
)
from edgekernelbench.records.store import RunFolder
from edgekernelbench.records.trajectories import trajectory_path, write_trajectory
from edgekernelbench.records.trajectory import StepBox

MARKUP = (
    "</script><script>window.hacked=1</script><!--<script>",
    "<img src=x onerror=window.hacked=1>",
    "\"'><svg onload=window.hacked=1>",
    "</style></title></pre><iframe src=javascript:parent.hacked=1>",
    "${window.hacked=1} $policy $$ {{hacked}}",
)
LOOKS = (
    "\x1b[2J\x1b[31mgone",
    "\u202eesrever\u2066",
    "zero\u200bwidth",
    "\x00\x07\x08",
    "\ud83d",
    "\u2028\u2029",
)
ATTACK = " ".join((*MARKUP, *LOOKS))
STORABLE = ATTACK.replace("\ud83d", "?")
"""The same without a half surrogate, which JSON lines cannot carry."""

WALKER = "walker/conv/path@a-f32/0"
OUTSIDE = "../../outside/conv/path@a-f32/0"
"""An attempt whose path would be read from beside the run."""

OUTCOMES: tuple[Outcome | Unjudged, ...] = (
    Rejected((Diagnostic("P01", STORABLE, hint=STORABLE),)),
    Crashed(Phase.RUN, 11, timed_out=False, detail=STORABLE),
    Wrong(Fault.VALUES, STORABLE, STORABLE, 3, None, STORABLE),
    correct(50, 100),
    Correct((Ring(Series("kernel", 1, (5,), 1), (Series(STORABLE, 1, (6,), 1),)),)),  # type: ignore[arg-type]
    Unjudged(Cause.DEVICE, STORABLE),
)


def _add_hostile_path(folder: Path, attempt: str) -> None:
    """Give an attempt a path whose every word attacks."""
    path = walked()
    steps = []
    for step in path.steps:
        ours = step.extra.ekb
        words = {
            "phase": STORABLE,
            "layer": STORABLE,
            "stage": STORABLE,
            "error": STORABLE,
            "diff": f"+{STORABLE}",
        }
        extra = ours.model_copy(
            update={**words, "attributed": STORABLE, "authors": (STORABLE,), "conclusions": (STORABLE,)}
        )
        steps.append(step.model_copy(update={"message": STORABLE, "extra": StepBox(ekb=extra)}))
    assert path.end is not None
    write_trajectory(trajectory_path(folder, attempt), path.head, steps, path.end)


def make_hostile_run(folder: Path) -> Path:
    """Make the run: one attempt for each kind of outcome."""
    agent = STORABLE.replace("/", "|")
    planned = [f"{agent}/conv/{STORABLE.replace('/', '|')}{at}@a-f32/0" for at in range(len(OUTCOMES))]
    planned += [WALKER, OUTSIDE]
    manifest = Manifest(
        run=STORABLE,
        settings={"suite": STORABLE, "track": STORABLE, "agents": [{"name": agent, "model": STORABLE}]},
        catalogue=STORABLE,
        commit="0" * 40,
        dirty=True,
        versions={STORABLE: STORABLE},
        device=DeviceFacts(
            profile=STORABLE, device_class=STORABLE, threads=1, machine=STORABLE, system=STORABLE,
            cpu=STORABLE, cores=1, memory_bytes=1,
        ),
        environment={},
        planned=tuple(planned),
        started=STORABLE,
    )  # fmt: skip
    run = RunFolder.create(folder, manifest)
    with run.writing() as writer:
        _add_hostile_path(folder, WALKER)
        _add_hostile_path(folder, OUTSIDE)
        text = writer.add_artifact(f"def f():\n    with compute:\n        {ATTACK}\n")
        step = writer.add_artifact(json.dumps({"reply": {"text": ATTACK, "model": ATTACK}}))
        for name, outcome in zip(planned[: len(OUTCOMES)], OUTCOMES, strict=True):
            workload = name.split("/", 1)[1].rsplit("/", 1)[0]
            writer.add_attempt(
                Attempt(
                    id=name, agent=agent, workload=workload, number=0, ending=Ending.ANSWERED, text=text,
                    detail=STORABLE, steps=(step,),
                )
            )  # fmt: skip
            writer.add_judgement(
                Judgement(
                    attempt=name, workload=workload, device=STORABLE, device_class=STORABLE,
                    compiler=STORABLE, threads=1, text=text, outcome=outcome, flags=(STORABLE,),
                    margins=(Margin(inputs=STORABLE, output=0, elementwise=0.5, rms_ratio=None),),
                    inputs=(InputSet(name=STORABLE, distribution=STORABLE, seed=1),),
                    vendor=VendorRecord(name=STORABLE, loop=False, fallen={STORABLE: STORABLE}),
                    baselines={"default": text},
                )
            )  # fmt: skip
    return folder
