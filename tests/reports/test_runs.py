"""From a run folder to scores."""

import json
from pathlib import Path

import pytest
from tests.reports.support import AGENTS, make_run

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.headline import Headline, Withheld
from edgekernelbench.reports.runs import read_run, split_id


def test_each_agent_is_a_row_over_all_planned_attempts(tmp_path: Path) -> None:
    scored = read_run(make_run(tmp_path / "run"))
    assert [row.agent for row in scored.rows] == list(AGENTS)
    assert all(isinstance(row, Headline) and row.attempts == 3 for row in scored.rows)
    assert scored.flags == {"one-child": 2}


def test_a_run_that_is_not_finished_has_no_score(tmp_path: Path) -> None:
    scored = read_run(make_run(tmp_path / "run", without=1))
    assert isinstance(scored.rows[0], Headline)
    assert isinstance(scored.rows[1], Withheld)
    assert scored.rows[1].judged == 2


def test_the_name_of_an_agent_may_have_slashes() -> None:
    assert split_id("direct openai:org/m/conv/conv2d@a-f32/12") == (
        "direct openai:org/m",
        "conv/conv2d@a-f32",
        12,
    )


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="not a run folder"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("planned", "words"), [(["a/b"], "no id"), (["a/b/c/0", "a/b/c/0"], "twice"), (["a/b/c/x"], "no id")]
)
def test_an_edited_plan_is_refused(tmp_path: Path, planned: list[str], words: str) -> None:
    make_run(tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "planned": planned}), encoding="utf-8")
    with pytest.raises(RecordError, match=words):
        read_run(tmp_path / "run")


def test_a_manifest_that_is_no_text_is_refused(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match=r"run/manifest.json: the record: invalid json"):
        read_run(tmp_path / "run")
