"""Agents at work, with the judge behind their doors."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

import pytest
from tests.tiny import make_catalogue, tiny_experiment

from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.agents.prices import Price
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task
from edgekernelbench.agents.repeated import BestOf
from edgekernelbench.agents.scripted import Scripted
from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.contestants import Contestant, model_agent
from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.bench.generation import Doorkeeper, Generation
from edgekernelbench.bench.replaying import replay_file
from edgekernelbench.bench.run import start_run
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.store import RunFolder
from edgekernelbench.records.trajectories import read_trajectory, trajectory_path
from edgekernelbench.workloads.catalogue import load_catalogue

WORKLOAD = "tiny/scale@n12-f32"
GOOD = """def scale(x: f32[12], w: const[f32[12]]):
    with compute:
        out[i]: f32[12] = x[i] * w[i]
        return out
"""
BAD = GOOD.replace("x[i] * w[i]", "x[i] + w[i]")


class Bench:
    """One run over one workload, with a real judge behind it."""

    def __init__(self, root: Path, judge: Judge, catalogue: Path) -> None:
        self.folder: RunFolder
        self._root, self._judge, self._catalogue = root, judge, catalogue

    def attempt(self, contestant: Contestant, **settings: object) -> Attempt:
        known = load_catalogue(self._catalogue)
        experiment: Experiment = tiny_experiment(self._root, self._catalogue, compiler="c", k=1)
        experiment = experiment.model_copy(update={"workloads": (WORKLOAD,), **settings})
        self.folder = start_run(self._root / "run", experiment, known)
        with self.folder.writing() as writer:
            keeper = Doorkeeper(self._judge, b"secret", Lock())
            workloads = {WORKLOAD: known.workload(WORKLOAD)}
            profile = load_profile("llvm")
            generation = Generation(experiment, profile, workloads, keeper, writer, Lock())
            generation.attempt(contestant, WORKLOAD, 0)
        return next(iter(self.folder.attempts().values()))


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(load_profile("llvm"), compiler="c") as judge:
        yield judge


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_catalogue(tmp_path_factory.mktemp("c"))


@pytest.fixture
def bench(tmp_path: Path, judge: Judge, catalogue: Path) -> Bench:
    return Bench(tmp_path, judge, catalogue)


class Curious:
    """Checks a wrong text and a right one, and hands in the right one."""

    name = "curious"

    def __init__(self) -> None:
        self.heard: list[Feedback] = []

    def solve(self, task: Task, doors: Doors) -> Answer:
        self.heard = [doors.check(text) for text in (BAD, GOOD)]
        return Answer(GOOD)


def test_check_is_free_and_shows_wrong_elements(bench: Bench) -> None:
    agent = Curious()

    attempt = bench.attempt(Contestant(agent))

    wrong, right = agent.heard
    assert wrong.correct is False
    assert "element 0: expected" in wrong.text
    assert right.correct
    assert right.time is None
    assert attempt.usage.submissions == 0
    assert bench.folder.artifact(attempt.text or "") == GOOD


def test_measure_counts_and_tells_time(bench: Bench) -> None:
    agent = Scripted({WORKLOAD: (GOOD, BAD)})

    attempt = bench.attempt(Contestant(agent), budget=BudgetSetting(submissions=1))

    assert attempt.usage.submissions == 1
    assert agent.heard[0].correct
    assert agent.heard[0].time is not None
    assert bench.folder.artifact(attempt.text or "") == GOOD, "the best that was measured counts"


def test_every_call_of_a_model_is_stored(bench: Bench) -> None:
    model = ScriptedModel([f"Here it is:\n```python\n{GOOD}```"])

    attempt = bench.attempt(Contestant(Direct(), model))

    (step,) = attempt.steps
    call = json.loads(bench.folder.artifact(step))
    assert "def scale(" in call["request"]["messages"][1]["content"]
    assert call["reply"]["text"].startswith("Here it is")
    assert attempt.usage.calls == 1
    assert attempt.usage.output_tokens > 0
    assert bench.folder.artifact(attempt.text or "").strip() == GOOD.strip()


def test_an_answer_without_a_kernel_is_an_attempt(bench: Bench) -> None:
    attempt = bench.attempt(Contestant(Direct(), ScriptedModel(["I cannot do that."])))

    assert attempt.ending is Ending.NO_TEXT
    assert attempt.text is None


def test_a_model_that_fails_loses_the_attempt(bench: Bench) -> None:
    attempt = bench.attempt(Contestant(Direct(), ScriptedModel([])))

    assert attempt.ending is Ending.LOST
    assert bench.folder.generated() == frozenset()


def test_a_budget_without_tokens_ends_the_attempt(bench: Bench) -> None:
    attempt = bench.attempt(Contestant(Direct(), ScriptedModel([GOOD])), budget=BudgetSetting(tokens=0))

    assert attempt.ending is Ending.BUDGET


SCHEDULE = '```python\nwith schedule("llvm"):\n    vectorize(out.i)\n```'
PLAN = "layer: schedule\nbottleneck: vector\nmove: lanes\nchange: vectorise\nexpected: 1.2\n"


@pytest.mark.parametrize("kind", ["leka", "repair", "best-of", "direct"])
def test_every_attempt_can_be_done_again_from_its_file(bench: Bench, kind: str) -> None:
    setting = AgentSetting.model_validate({"name": kind, "kind": kind, "model": "openai:m"})
    answers = {"leka": [GOOD, "bandwidth", PLAN, SCHEDULE], "repair": [BAD, GOOD], "best-of": [BAD, GOOD]}
    model = ScriptedModel(answers.get(kind, [GOOD]))
    agent = model_agent(setting, load_profile("llvm"))
    contestant = Contestant(agent, model, settings=setting.model_dump(mode="json"))
    calls = len(answers.get(kind, [GOOD]))

    attempt = bench.attempt(contestant, budget=BudgetSetting(submissions=3, calls=calls))

    path = trajectory_path(bench.folder.root, attempt.id)
    trajectory = read_trajectory(path)
    assert replay_file(trajectory) == []
    assert trajectory.head.extra.ekb.workload == WORKLOAD
    assert trajectory.end is not None
    assert trajectory.end.final_metrics.extra.ekb.submissions == attempt.usage.submissions
    if kind == "leka":
        assert any(step.extra.ekb.report is not None for step in trajectory.steps)


def test_the_price_of_a_model_makes_a_budget_of_money(bench: Bench) -> None:
    model = ScriptedModel(["no kernel"] * 9)
    contestant = Contestant(BestOf(), model, price=Price(input=0.0, cached=0.0, output=1e6))

    attempt = bench.attempt(contestant, budget=BudgetSetting(submissions=3, money=5.0))

    assert attempt.usage.calls == 2, "each answer of three tokens costs 3"


def test_a_search_that_draws_as_it_goes_is_not_replayed(bench: Bench) -> None:
    setting = AgentSetting(name="random", kind="random")
    contestant = Contestant(Scripted({WORKLOAD: (GOOD,)}, "random"), settings=setting.model_dump(mode="json"))

    attempt = bench.attempt(contestant)

    trajectory = read_trajectory(trajectory_path(bench.folder.root, attempt.id))
    with pytest.raises(RecordError, match="the agent random draws as it goes"):
        replay_file(trajectory)
