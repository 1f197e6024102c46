"""A run on several devices: one set of answers, a run a device."""

from pathlib import Path

import pytest
from tests.tiny import make_catalogue, tiny_experiment, write_texts

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError, RecordError
from edgekernelbench.bench.run import continue_run
from edgekernelbench.bench.several import LIST, folder_name, run_folders, start_runs
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.runs import read_run
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path / "catalogue"))


def start(tmp_path: Path, catalogue: Catalogue, *devices: str) -> tuple[RunFolder, ...]:
    texts = write_texts(tmp_path / "texts", tmp_path / "catalogue")
    experiment = tiny_experiment(texts, tmp_path / "catalogue", compiler="null", k=1)
    return start_runs(tmp_path / "run", experiment, devices, catalogue)


def test_the_answers_of_the_first_are_judged_on_all(tmp_path: Path, catalogue: Catalogue) -> None:
    folders = start(tmp_path, catalogue, "llvm", "raspberry-pi-5")
    for folder in folders:
        continue_run(folder, catalogue=catalogue)
    first, second = folders

    assert [f.root.name for f in folders] == ["llvm", "raspberry-pi-5"]
    assert first.attempts() == second.attempts()
    assert set(first.judgements()) == set(second.judgements()) == set(first.manifest().planned)
    assert {j.device for j in second.judgements().values()} == {"raspberry-pi-5"}
    assert {j.device_class for j in first.judgements().values()} == {"server"}
    assert {j.device_class for j in second.judgements().values()} == {"edge"}


def test_no_agent_is_asked_for_a_device_that_is_not_the_first(tmp_path: Path, catalogue: Catalogue) -> None:
    first, second = start(tmp_path, catalogue, "llvm", "raspberry-pi-5")
    continue_run(second, catalogue=catalogue)
    assert second.attempts() == {}

    continue_run(first, catalogue=catalogue)
    continue_run(second, catalogue=catalogue)
    assert second.attempts() == first.attempts()


def test_the_folder_of_all_is_read_as_its_runs(tmp_path: Path, catalogue: Catalogue) -> None:
    folders = start(tmp_path, catalogue, "llvm", "raspberry-pi-5")
    found = run_folders(tmp_path / "run")

    assert [f.root for f in found] == [f.root for f in folders]
    assert run_folders(found[0].root)[0].root == found[0].root
    assert read_run(found[1].root).setting("profile") == "raspberry-pi-5"


def test_one_device_makes_a_plain_run(tmp_path: Path, catalogue: Catalogue) -> None:
    (folder,) = start(tmp_path, catalogue, "llvm")

    assert folder.root == tmp_path / "run"
    assert not (tmp_path / "run" / LIST).exists()
    assert {"also", "answers_of"}.isdisjoint(folder.manifest().settings)


@pytest.mark.parametrize(
    ("device", "error"), [("rpc:none@127.0.0.1:1", PrerequisiteError), ("lvm", CatalogueError)]
)
def test_nothing_is_written_when_a_device_is_missing(
    tmp_path: Path, catalogue: Catalogue, device: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        start(tmp_path, catalogue, "llvm", device)
    assert not (tmp_path / "run").exists()


def test_runs_are_not_begun_twice(tmp_path: Path, catalogue: Catalogue) -> None:
    start(tmp_path, catalogue, "llvm", "raspberry-pi-5")
    with pytest.raises(RecordError, match="holds runs already"):
        start(tmp_path, catalogue, "llvm", "raspberry-pi-5")


def test_a_list_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / LIST).write_text("[]", encoding="utf-8")
    with pytest.raises(RecordError, match="is no list of runs"):
        run_folders(tmp_path)


def test_a_board_has_a_folder_with_a_plain_name() -> None:
    assert folder_name("rpc:pi-5@lab:9190") == "rpc-pi-5-lab-9190"
