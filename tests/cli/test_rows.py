"""From options to the rows of a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from edgekernelbench.agents.prices import Price
from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.bench.experiment import AgentSetting
from edgekernelbench.cli.rows import (
    LARGE_ANSWER,
    SMALL_ANSWER,
    Asking,
    agent_rows,
    agent_words,
    budget_of,
    choose_workloads,
    row_name,
)
from edgekernelbench.workloads.scaffold import write_pattern


def rows(
    agents: str | None = None, models: Sequence[str] = (), texts: Sequence[str] = (), **asking: Any
) -> tuple[AgentSetting, ...]:
    return agent_rows(agent_words(agents), list(models), list(texts), Asking(**asking))


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
    both: dict[str, Any] = {"models": ["smollm2"], "texts": [str(tmp_path)]}
    assert [r.kind for r in rows("direct", **both)] == ["direct"]
    assert [r.kind for r in rows("scripted", **both)] == ["scripted"]


def test_a_small_model_gets_a_short_answer_unless_told() -> None:
    found = rows(models=["smollm2", "openai:m"])
    assert [r.max_tokens for r in found] == [SMALL_ANSWER, LARGE_ANSWER]
    assert rows(models=["smollm2"], max_tokens=9)[0].max_tokens == 9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "give --model NAME, or --texts FOLDER"),
        ({"agents": "dirct", "models": ["smollm2"]}, "did you mean 'direct'"),
        ({"grammar": "maybe", "models": ["smollm2"]}, "there are off, on, both"),
        ({"agents": "scripted", "models": ["smollm2"]}, "nobody is to write"),
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
    assert len(choose_workloads(None, "quick").workloads) >= 5
    assert all(w.startswith("norm/softmax@") for w in choose_workloads(["softmax"], "quick").workloads)
    held = choose_workloads(["softmax"], "quick", None, 7)
    assert (held.workloads, held.held_out) == (("norm/softmax@r591-n197-held7-f32",), 7)


def test_agents_are_a_list_with_commas_and_each_asks_each_model() -> None:
    found = rows("direct,best-of,repair,leka", ["openai:a", "openai:b"])
    assert [r.name for r in found][:3] == ["direct-openai:a", "direct-openai:b", "best-of-openai:a"]
    assert len(found) == 8


def test_an_ablation_is_a_row_of_its_own() -> None:
    words = "leka-one-call,leka-no-layers,leka-no-freezing,leka-no-static"
    found = rows(words, ["openai:a"])
    assert [(r.kind, r.without, r.one_call) for r in found] == [
        ("leka", None, True),
        ("leka", "layers", False),
        ("leka", "freezing", False),
        ("leka", "static", False),
    ]


def test_agents_that_go_on_get_sixteen_submissions_and_four_calls_for_each() -> None:
    found = budget_of(("direct", "leka"), submissions=None, tokens=None, calls=None)
    assert (found.submissions, found.calls) == (16, 64)
    assert budget_of(None, submissions=None, tokens=None, calls=None).submissions == 0
    assert budget_of(("leka",), submissions=2, tokens=9, calls=None).calls == 8


def test_a_price_is_found_by_the_models_name() -> None:
    prices = {"m": Price(1.0, 0.5, 2.0)}
    first, second = rows("direct", ["openai:m", "openai:other"], prices=prices)
    assert first.price is not None
    assert first.price.output == 2.0
    assert second.price is None


def test_a_catalogue_of_ones_own_is_taken_whole_and_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pattern(tmp_path / "mine", "door/ramp")
    monkeypatch.chdir(tmp_path)
    chosen = choose_workloads(None, None, "mine")
    assert (chosen.suite, chosen.catalogue) == ("full", str(tmp_path / "mine"))
    assert [w.partition("@")[0] for w in chosen.workloads] == ["door/ramp"]
    assert (choose_workloads(None, None).suite, choose_workloads(None, None).catalogue) == ("quick", None)


def test_a_command_line_agent_is_a_row_a_model_and_brings_its_recipe() -> None:
    words = agent_words("repair, cli:mini-swe-agent")
    rows = agent_rows(words, ["openai:m", "anthropic:n"], [], Asking())
    assert [row.name for row in rows if row.kind == "cli"] == [
        "cli:mini-swe-agent-openai:m",
        "cli:mini-swe-agent-anthropic:n",
    ]
    assert all(row.recipe is not None and row.confined for row in rows if row.kind == "cli")
    assert budget_of(words, None, None, None).calls == 64
    alone = budget_of(agent_words("cli:mini-swe-agent"), None, None, None)
    assert (alone.submissions, alone.calls) == (16, None)
    with pytest.raises(CatalogueError, match="speaks anthropic, the model openai:m openai"):
        agent_rows(("cli:claude-code",), ["openai:m"], [], Asking())
    (loose,) = agent_rows(("cli:claude-code",), ["anthropic:m"], [], Asking(), confined=False)
    assert loose.confined is False


def test_a_manifest_of_other_agents_says_nothing_of_recipes() -> None:
    (row,) = agent_rows(("direct",), ["openai:m"], [], Asking())
    assert not {"recipe", "confined"} & row.model_dump(mode="json").keys()
