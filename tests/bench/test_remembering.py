"""A model that answers through files: attempts go on where they waited, and the device is not asked twice."""

from pathlib import Path

import pytest
from tests.bench.test_generation import GOOD, PLAN, SCHEDULE
from tests.tiny import make_catalogue

from edgekernelbench.agents.batch import read_answers, read_batch, store_answers
from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.bench.run import Surroundings, continue_run, start_run
from edgekernelbench.records.attempt import Ending
from edgekernelbench.records.store import RunFolder
from edgekernelbench.records.trajectories import read_trajectory, trajectory_path
from edgekernelbench.records.trajectory import TextCall
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

SIZE = 300_000
"""So large that one core is far from the bound of the device, which would end the search."""
WORKLOAD = f"tiny/scale@n{SIZE}-f32"
ANSWERS = ["```python\n" + GOOD.replace("[12]", f"[{SIZE}]") + "```", "bandwidth", PLAN, SCHEDULE]
MODEL = "reader"


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    root = make_catalogue(tmp_path_factory.mktemp("c"))
    rows = root / "tiny" / "workloads.toml"
    text = rows.read_text(encoding="utf-8").replace("scale@n12-", f"scale@n{SIZE}-")
    rows.write_text(text.replace('{ N = 12, T = "f32" }', f'{{ N = {SIZE}, T = "f32" }}'), encoding="utf-8")
    return load_catalogue(root)


@pytest.fixture
def folder(tmp_path: Path, catalogue: Catalogue) -> RunFolder:
    agent = AgentSetting(name="leka", kind="leka", model=f"batch:{MODEL}")
    experiment = Experiment(
        agents=(agent,),
        suite="full",
        workloads=(WORKLOAD,),
        compiler="c",
        timing="none",
        budget=BudgetSetting(submissions=2, calls=4),
    )
    return start_run(tmp_path / "run", experiment, catalogue)


def measured(folder: RunFolder) -> list[tuple[str, int | None]]:
    (attempt,) = folder.attempts().values()
    steps = read_trajectory(trajectory_path(folder.root, attempt.id)).steps
    calls = [call for step in steps for call in step.extra.ekb.calls if isinstance(call, TextCall)]
    return [(call.source.digest, call.time_ns) for call in calls if call.door == "measure"]


def test_each_round_asks_the_next_question_and_measures_nothing_again(
    folder: RunFolder, tmp_path: Path, catalogue: Catalogue
) -> None:
    store = tmp_path / "answers"
    times: list[list[tuple[str, int | None]]] = []
    for number, answer in enumerate(ANSWERS, 1):
        continue_run(folder, Surroundings(answers=store), catalogue)
        (attempt,) = folder.attempts().values()
        assert attempt.ending is Ending.LOST
        assert f"pending-{number}" in attempt.detail
        times.append(measured(folder))
        batch = store / f"pending-{number}"
        (item,) = read_batch(batch)
        (batch / "answers" / item.file_name).write_text(answer, encoding="utf-8")
        found = read_answers(batch, [item])
        assert store_answers([item], found.answers, model=MODEL, store=store) == 1

    continue_run(folder, Surroundings(answers=store), catalogue)

    (attempt,) = folder.attempts().values()
    assert attempt.ending is Ending.ANSWERED
    assert attempt.usage.calls == len(ANSWERS)
    assert not (store / f"pending-{len(ANSWERS) + 1}").exists()
    assert [len(found) for found in times] == [0, 1, 1, 1]
    assert measured(folder)[0] == times[-1][0], "the first measurement was made once"
