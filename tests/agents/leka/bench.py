"""A tiny device for the controller: legal texts are correct, and their words say how fast they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.mind import Mind
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.agents.protocol import Answer, Feedback, Inspect, Task, Track
from edgekernelbench.agents.recorder import Recorder
from edgekernelbench.agents.recording import Entrant
from edgekernelbench.analysis.report import Bottleneck, Finding, StaticReport
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.trajectories import Trajectory

COMPUTE = """    with compute:
        y[n]: f32[32] = sum(w[n, k] * x[k] for k in range(64))
        out[n]: f32[32] = max(y[n], 0.0)
        return out
"""
START = f'''def gemv(w: const[f32[32, 64]], x: f32[64]):
    """out = relu(W x)."""

{COMPUTE}'''
PARALLEL = 'with schedule("llvm"):\n    parallel(out.n)\n'
VECTOR = 'with schedule("llvm"):\n    no, ni = split(out.n, 8)\n    vectorize(ni)\n    compute_at(y, no)\n'
PACKED = 'with memory("llvm"):\n    layout(w, "n k -> k n")\n'
SPEEDS = {"parallel(": 2.0, "vectorize(": 1.5, "layout(w": 1.25, "max(y[n], 0.0) * 1.0": 0.5}
"""How many times as fast a kernel is with each of these in its text."""
TIME = 1_000_000
PROFILE = load_profile("llvm")


def fenced(text: str) -> str:
    return f"Here it is.\n```python\n{text}```\n"


def plan(layer: str, move: str = "a move", bottleneck: str = "vector", expected: str = "1.5") -> str:
    return (
        f"layer: {layer}\nbottleneck: {bottleneck}\nmove: {move}\nchange: do {move}\nexpected: {expected}\n"
    )


def speed(text: str) -> float:
    """Multiply the speeds of the words of a text."""
    ratio = 1.0
    for word, factor in SPEEDS.items():
        if word in text:
            ratio *= factor
    return ratio


def check(text: str) -> Feedback:
    """Refuse what is not legal; `WRONG` in the docstring makes wrong values."""
    found = survey_text(text, PROFILE)
    if found.nest is None:
        return Feedback(
            "refused:\n" + "\n".join(d.render(text, "kernel") for d in found.diagnostics), accepted=False
        )
    right = "2.0 *" not in text
    return Feedback("correct" if right else "wrong (values): output 0", accepted=True, correct=right)


def measure(text: str) -> Feedback:
    """Time a legal text by its words."""
    checked = check(text)
    if not checked.correct:
        return checked
    ratio = speed(text)
    return Feedback(
        "correct", accepted=True, correct=True, time=Nanoseconds(round(TIME / ratio)), ratio=ratio
    )


def report(kernel: Kernel) -> StaticReport:
    """Say that vectors are missing where they are."""
    finding = Finding(Layer.SCHEDULE, Bottleneck.VECTOR, "no loop is vectorised; 8 lanes idle", "", 0.8)
    findings = () if "vectorize" in print_kernel(kernel) else (finding,)
    return StaticReport(4096, 8448, None, Bottleneck.BANDWIDTH, findings)


def make_task(track: Track = Track.OPTIMISE) -> Task:
    start = print_kernel(parse(START))
    return Task(
        workload="tiny/gemv@32x64-f32",
        target="llvm",
        track=track,
        system="rules and language",
        prompt="the card",
        start=start if track is Track.OPTIMISE else None,
        signature="def gemv(w: const[f32[32, 64]], x: f32[64]):",
        language="the language",
        examples="the examples",
        device="a test device; 2 threads",
    )


@dataclass
class Played:
    """What an attempt came to."""

    answer: Answer
    trajectory: Trajectory
    ledger: Ledger
    model: ScriptedModel
    measured: list[str] = field(default_factory=list)

    def stages(self) -> list[tuple[str, str]]:
        return [(s.extra.ekb.phase, s.extra.ekb.stage) for s in self.trajectory.steps]


def play(
    answers: Sequence[str] = (),
    *,
    agent: Leka | None = None,
    mind: Mind | None = None,
    track: Track = Track.OPTIMISE,
    budget: Budget | None = None,
    door: Callable[[str], Feedback] = measure,
    inspect: Inspect = report,
) -> Played:
    """Let LEKA work with scripted answers."""
    leka = agent or Leka(mind or ModelMind(), PROFILE)
    task = make_task(track)
    model = ScriptedModel(answers)
    ledger = Ledger(budget or Budget(submissions=4, calls=len(answers)), clock=lambda: 0)
    entrant = Entrant(leka.name, "scripted", f"{leka.name}/{task.workload}/0", PROFILE.name)
    recorder = Recorder(entrant, task, ledger, clock=lambda: "2026-01-01T00:00:00Z")
    measured: list[str] = []

    def judge(text: str) -> Feedback:
        measured.append(text)
        return door(text)

    doors = ledger.doors(check=check, judge=judge, model=model, inspect=inspect)
    answer = solve_within(leka, task, recorder.doors(doors), ledger)
    head, steps, end = recorder.finish(answer)
    return Played(answer, Trajectory(head, steps, end, recorder.texts), ledger, model, measured)
