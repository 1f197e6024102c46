"""From options to the rows of a table."""

from pathlib import Path
from typing import Any

import pytest

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.cli.rows import LARGE_ANSWER, SMALL_ANSWER, agent_rows, row_name, workload_ids

PLAIN: dict[str, Any] = {
    "agent": None,
    "models": [],
    "texts": [],
    "grammar": "off",
    "max_tokens": None,
    "temperature": None,
    "seed": 0,
}


def rows(**changes: Any) -> Any:
    return agent_rows(**{**PLAIN, **changes})


def test_a_model_is_a_row_and_both_ways_of_the_grammar_are_two() -> None:
    names = [r.name for r in rows(models=["smollm2"], grammar="both")]
    assert names == ["direct-smollm2", "direct-smollm2+grammar"]
    assert [r.grammar for r in rows(models=["smollm2"], grammar="on")] == [True]


def test_models_and_texts_may_stand_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "hand").mkdir()
    found = rows(models=["smollm2", "openai:org/m"], texts=[str(tmp_path / "hand")])
    assert [(r.kind, r.name) for r in found] == [
        ("direct", "direct-smollm2"),
        ("direct", "direct-openai:org-m"),
        ("scripted", "scripted-hand"),
    ]


def test_one_kind_may_be_asked_for_alone(tmp_path: Path) -> None:
    both = {"models": ["smollm2"], "texts": [str(tmp_path)]}
    assert [r.kind for r in rows(agent="direct", **both)] == ["direct"]
    assert [r.kind for r in rows(agent="scripted", **both)] == ["scripted"]


def test_a_small_model_gets_a_short_answer_unless_told() -> None:
    found = rows(models=["smollm2", "openai:m"])
    assert [r.max_tokens for r in found] == [SMALL_ANSWER, LARGE_ANSWER]
    assert rows(models=["smollm2"], max_tokens=9)[0].max_tokens == 9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "give --model NAME, or --texts FOLDER"),
        ({"agent": "dirct", "models": ["smollm2"]}, "did you mean 'direct'"),
        ({"grammar": "maybe", "models": ["smollm2"]}, "there are off, on, both"),
        ({"agent": "scripted", "models": ["smollm2"]}, "nobody is to write"),
    ],
)
def test_a_wrong_word_is_answered(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        rows(**changes)


def test_an_unknown_model_is_answered() -> None:
    with pytest.raises(PrerequisiteError, match="did you mean 'smollm2'"):
        rows(models=["smolm2"])


def test_the_name_of_a_row_can_be_a_part_of_an_id() -> None:
    assert row_name("a/b  c\td") == "a-b-c-d"


def test_workloads_are_found_by_suite_and_by_name() -> None:
    assert len(workload_ids(None, "quick")) >= 5
    assert all(w.startswith("norm/softmax@") for w in workload_ids(["softmax"], "quick"))
