"""Keeping a page current."""

from pathlib import Path

from tests.reports.support import AGENTS, OUTCOMES, WORKLOADS, make_run

from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.page.watch import Made, make_page, watch_runs


def test_a_watched_page_is_written_when_records_come_and_the_watch_ends_with_the_run(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", without=1)
    file = tmp_path / "page.html"
    told: list[Made] = []
    pauses = 0

    def pause(seconds: float) -> None:
        nonlocal pauses
        assert seconds == 7
        pauses += 1
        if pauses == 2:
            finish(run)

    watch_runs([run], file, every_s=7, told=told.append, pause=pause)

    assert told == [Made(5, 6, ()), Made(6, 6, ())]
    assert pauses == 2
    assert '"again_s":7' in file.read_text(encoding="utf-8")


def test_a_finished_page_does_not_load_itself_again(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert make_page([make_run(tmp_path / "run")], file) == Made(6, 6, ())
    assert '"again_s":null' in file.read_text(encoding="utf-8")


def finish(folder: Path) -> None:
    name = f"{AGENTS[1]}/{WORKLOADS[2]}/0"
    with RunFolder(folder).writing() as writer:
        writer.add_judgement(
            Judgement(
                attempt=name, workload=WORKLOADS[2], device="llvm", device_class="server", compiler="tvm",
                threads=2, text=None, outcome=OUTCOMES[AGENTS[1]][2],
            )
        )  # fmt: skip
