"""Arms without a language model, in a whole run: one submission a candidate, judged like all others."""

from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.bench.run import continue_run, start_run
from edgekernelbench.bench.traced_arm import is_traced
from edgekernelbench.compiler.traced import read_traced
from edgekernelbench.records.outcome import Correct
from edgekernelbench.workloads.catalogue import load_catalogue

ROWS = "tiny/row_sum@r4-n12-f32"
AGENTS = (AgentSetting(name="random", kind="random"), AgentSetting(name="metaschedule", kind="metaschedule"))


def searching(track: str, catalogue: str = ROWS) -> Experiment:
    return Experiment.model_validate(
        {
            "agents": AGENTS,
            "suite": "full",
            "workloads": (catalogue,),
            "track": track,
            "budget": BudgetSetting(submissions=2),
        }
    )


def test_a_search_is_not_of_the_track_in_which_texts_are_written(tmp_path: Path) -> None:
    known = load_catalogue(make_catalogue(tmp_path / "catalogue"))
    with pytest.raises(CatalogueError, match="take --track optimise"):
        start_run(tmp_path / "run", searching("write"), known)


@pytest.mark.needs_tvm
def test_both_searches_spend_their_submissions_and_hand_in_what_was_fastest(tmp_path: Path) -> None:
    known = load_catalogue(make_catalogue(tmp_path / "catalogue"))
    folder = start_run(tmp_path / "run", searching("optimise"), known)
    continue_run(folder, catalogue=known)

    attempts, judgements = folder.attempts(), folder.judgements()
    for agent in ("random", "metaschedule"):
        attempt = attempts[f"{agent}/{ROWS}/0"]
        assert attempt.usage.submissions == 2
        assert attempt.usage.calls == 0
        outcome = judgements[attempt.id].outcome
        assert isinstance(outcome, Correct)
        assert outcome.rings
        assert attempt.text is not None
        assert is_traced(folder.artifact(attempt.text)) == (agent == "metaschedule")
    handed_in = attempts[f"metaschedule/{ROWS}/0"].text
    assert handed_in is not None
    assert any(part.trace for part in read_traced(folder.artifact(handed_in)).parts)
    assert all(j.reference is not None and j.reference.kind == "R0" for j in judgements.values())
