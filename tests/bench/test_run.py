"""Runs that are killed and go on."""

import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.tiny import make_catalogue, tiny_experiment, write_texts

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError, RecordError
from edgekernelbench.bench.experiment import AgentSetting
from edgekernelbench.bench.run import Surroundings, continue_run, start_run
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.attempt import Ending
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import load_catalogue

SCRIPT = Path(__file__).parents[1] / "tiny.py"
KILLS = 10


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_catalogue(tmp_path_factory.mktemp("catalogue"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory, catalogue: Path) -> Path:
    return write_texts(tmp_path_factory.mktemp("texts"), catalogue)


def begin(root: Path, texts: Path, catalogue: Path, **settings: object) -> RunFolder:
    experiment = tiny_experiment(texts, catalogue).model_copy(update=settings)
    return start_run(root, experiment, load_catalogue(catalogue))


def summary(folder: RunFolder) -> dict[str, tuple[str | None, str, str]]:
    judgements = folder.judgements()
    return {
        name: (attempt.text, attempt.ending, failure_kind(judgements[name].outcome))
        for name, attempt in folder.attempts().items()
    }


@pytest.mark.slow
def test_ten_kills_at_random_moments_change_nothing(tmp_path: Path, texts: Path, catalogue: Path) -> None:
    whole = begin(tmp_path / "whole", texts, catalogue)
    continue_run(whole, catalogue=load_catalogue(catalogue))
    killed = begin(tmp_path / "killed", texts, catalogue)
    chance = random.Random(5)  # noqa: S311 - moments, no secrets
    command = [sys.executable, str(SCRIPT), str(killed.root), str(catalogue)]

    unfinished = 0
    for _ in range(KILLS):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=chance.uniform(0.5, 2.5))
        except subprocess.TimeoutExpired:
            unfinished += 1
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True)

    assert unfinished > 0
    planned = killed.manifest().planned
    assert len(planned) == 60
    assert Counter(ids(killed, "attempts.jsonl")) == Counter(planned)
    assert Counter(ids(killed, "judgements.jsonl")) == Counter(planned)
    assert summary(killed) == summary(whole)
    seeds = {j.workload: j.inputs for j in killed.judgements().values() if j.inputs}
    assert all(j.inputs in ((), seeds.get(j.workload)) for j in killed.judgements().values())


def ids(folder: RunFolder, name: str) -> list[str]:
    key = "id" if name.startswith("attempts") else "attempt"
    lines = (folder.root / name).read_text(encoding="utf-8").splitlines()
    return [line.split(f'"{key}":"', 1)[1].split('"', 1)[0] for line in lines]


class Impatient:
    """Watches, and interrupts after some pieces, as Ctrl-C does."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces
        self.began: list[tuple[str, int, int]] = []
        self.stopped = False

    def begin(self, stage: str, total: int, done: int) -> None:
        self.began.append((stage, total, done))

    def advance(self, kind: str, stage: str = "") -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def stop(self) -> None:
        self.stopped = True


@pytest.mark.parametrize("pieces", [3, 65], ids=["while writing", "while judging"])
def test_an_interrupted_run_goes_on_where_it_was(
    tmp_path: Path, texts: Path, catalogue: Path, pieces: int
) -> None:
    folder = begin(tmp_path / "run", texts, catalogue)
    impatient = Impatient(pieces)
    with pytest.raises(KeyboardInterrupt):
        continue_run(folder, Surroundings(watcher=impatient), load_catalogue(catalogue))
    assert impatient.stopped
    made = set(folder.attempts())
    watcher = Impatient(-1)

    continue_run(folder, Surroundings(watcher=watcher), load_catalogue(catalogue))

    assert Counter(ids(folder, "attempts.jsonl")) == Counter(folder.manifest().planned)
    assert set(folder.judgements()) == set(folder.manifest().planned)
    assert watcher.began[0] == ("writing", 60, len(made))


def test_what_came_of_each_attempt_is_stored(tmp_path: Path, texts: Path, catalogue: Path) -> None:
    folder = begin(tmp_path / "run", texts, catalogue, k=1)

    continue_run(folder, catalogue=load_catalogue(catalogue))

    kinds = Counter(failure_kind(j.outcome) for j in folder.judgements().values())
    assert kinds == {"wrong values": 10, "rejected C08": 5, "rejected P02": 5}
    endings = Counter(a.ending for a in folder.attempts().values())
    assert endings == {Ending.ANSWERED: 15, Ending.NO_TEXT: 5}


def test_a_run_is_not_resumed_with_another_catalogue(tmp_path: Path, texts: Path, catalogue: Path) -> None:
    folder = begin(tmp_path / "run", texts, catalogue)
    other = make_catalogue(tmp_path / "other")
    (other / "VERSION").write_text("1\n", encoding="utf-8")

    with pytest.raises(RecordError, match="was made with catalogue"):
        continue_run(folder, catalogue=load_catalogue(other))


def test_a_finished_run_has_nothing_left_to_do(tmp_path: Path, texts: Path, catalogue: Path) -> None:
    folder = begin(tmp_path / "run", texts, catalogue, k=1)
    continue_run(folder, catalogue=load_catalogue(catalogue))
    before = {p.name: p.read_bytes() for p in folder.root.glob("*.jsonl")}

    continue_run(folder, catalogue=load_catalogue(catalogue))

    assert {p.name: p.read_bytes() for p in folder.root.glob("*.jsonl")} == before


def test_a_vendor_of_cpus_is_no_baseline_of_a_gpu(tmp_path: Path, texts: Path, catalogue: Path) -> None:
    folder = begin(tmp_path / "run", texts, catalogue, profile="opencl", vendor=True)
    with pytest.raises(
        PrerequisiteError, match="the vendor baseline runs on CPUs and through CUDA, opencl is neither"
    ):
        continue_run(folder, catalogue=load_catalogue(catalogue))


@pytest.mark.parametrize("agent", [{"kind": "policy"}, {"kind": "leka", "policy": True, "model": "openai:m"}])
def test_the_policy_writes_nothing_in_the_write_track(
    tmp_path: Path, texts: Path, catalogue: Path, agent: dict[str, object]
) -> None:
    agents = (AgentSetting.model_validate({"name": "searching", **agent}),)

    with pytest.raises(
        CatalogueError, match="agent searching starts from a given text: take --track optimise"
    ):
        begin(tmp_path / "run", texts, catalogue, agents=agents, track="write")
