"""From a run folder to scores."""

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
