"""A run on boards: written, made ready and measured at one time, by several endpoints and several boards."""

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.agents.support import Canned, completion, serving
from tests.evaluator.loopback import PATIENCE_S, address, boards, tracker
from tests.tiny import make_catalogue

from edgekernelbench.agents.models.endpoint import Endpoint, Endpoints
from edgekernelbench.bench.assembly import Rate
from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.run import Surroundings, continue_run, start_run
from edgekernelbench.evaluator.pool import Share
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import load_catalogue

pytestmark = pytest.mark.needs_tvm

GOOD = """def row_sum(x: f32[4, {n}]):
    with compute:
        out[i]: f32[4] = sum(x[i, j] for j in range({n}))
        return out
"""
SIZES = (9, 10, 11, 12)
WORKLOADS = tuple(f"tiny/row_sum@r4-n{n}-f32" for n in SIZES)


class Course:
    """Watches in which order things end."""

    def __init__(self) -> None:
        self.course: list[str] = []
        self.rates: tuple[Rate, ...] = ()
        self.shares: tuple[Share, ...] = ()

    def begin(self, stage: str, total: int, done: int) -> None:
        self.course.append(f"begin {stage}")

    def advance(self, kind: str, stage: str = "") -> None:
        self.course.append(stage)

    def stop(self) -> None:
        raise AssertionError("nobody stopped it")

    def clocked(self, rates: tuple[Rate, ...], shares: tuple[Share, ...]) -> None:
        self.rates, self.shares = rates, shares


@dataclass
class Afterwards(Canned):
    """An answer that comes when something was judged: were nothing judged while others are written, never."""

    course: Course = field(default_factory=Course)

    def __getattribute__(self, name: str) -> Any:
        if name == "delay_s":
            until = time.monotonic() + PATIENCE_S
            while "judging" not in self.course.course and time.monotonic() < until:
                time.sleep(0.02)
        return super().__getattribute__(name)


def test_two_endpoints_and_two_boards_work_at_one_time(tmp_path: Path) -> None:
    catalogue = load_catalogue(make_catalogue(tmp_path / "catalogue"))
    answers = [completion(f"```python\n{GOOD.format(n=n)}```") for n in SIZES]
    course = Course()
    slow = [*answers[:3], Afterwards(answers[3].body, course=course)]
    with tracker() as port, boards(port, "pair", count=2), serving(answers) as one, serving(slow) as two:
        agents = tuple(
            AgentSetting(name=name, kind="direct", model=f"openai:{name}", max_tokens=64) for name in "ab"
        )
        experiment = Experiment(
            agents=agents, suite="full", workloads=WORKLOADS, profile=address(port, "pair"), timing="none"
        )
        folder = start_run(tmp_path / "run", experiment, catalogue)
        named = {"openai:a": (one.url,), "openai:b": (two.url,)}
        endpoints = Endpoints(Endpoint(), named)
        continue_run(folder, Surroundings(endpoints, watcher=course, clocked=course.clocked), catalogue)

    judgements = RunFolder(tmp_path / "run").judgements()
    assert Counter(failure_kind(j.outcome) for j in judgements.values()) == {"correct": 8}
    assert (len(one.asked), len(two.asked)) == (4, 4)
    # Attempts of a workload are judged on the same inputs, and while others are still written.
    for name in WORKLOADS:
        assert len({j.inputs for j in judgements.values() if j.workload == name}) == 1
    assert course.course[:2] == ["begin writing", "begin judging"]
    assert "writing" in course.course[course.course.index("judging") :]
    rates = {rate.name: rate for rate in course.rates}
    assert (rates["writing openai:a"].done, rates["writing openai:b"].done) == (4, 4)
    assert rates["readying"].done == rates["measuring"].done == 8
    assert rates["measuring"].threads == len(course.shares) == 2
    assert all(0 < share.asked_ns <= share.whole_ns for share in course.shares)
    assert any(share.judging_ns > 0 for share in course.shares)
