"""Stored answers."""

from pathlib import Path

import pytest
from tests.agents.support import ask

from edgekernelbench.agents.models.protocol import Reply, Stop, Usage
from edgekernelbench.agents.models.replay import ReplayModel, reply_from_json, reply_to_json
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.base.errors import ModelError, RecordError


def test_the_same_request_is_asked_once(tmp_path: Path) -> None:
    behind = ScriptedModel(["one", "two"], name="m")
    model = ReplayModel(tmp_path, behind)
    assert [model.complete(ask()).text for _ in range(3)] == ["one"] * 3
    assert (len(behind.asked), model.hits) == (1, 2)


@pytest.mark.parametrize(
    "change", [{"sample": 1}, {"seed": 1}, {"temperature": 0.1}, {"max_tokens": 5}, {"grammar": "root ::= x"}]
)
def test_whatever_shapes_the_answer_is_part_of_the_key(tmp_path: Path, change: dict[str, object]) -> None:
    model = ReplayModel(tmp_path, ScriptedModel(["one", "two"], name="m"))
    model.complete(ask())
    assert model.complete(ask("hello", **change)).text == "two"


def test_answers_of_another_model_are_not_taken(tmp_path: Path) -> None:
    ReplayModel(tmp_path, ScriptedModel(["one"], name="m")).complete(ask())
    with pytest.raises(ModelError, match="no stored answer"):
        ReplayModel(tmp_path, name="n").complete(ask())


def test_a_reply_is_stored_whole(tmp_path: Path) -> None:
    reply = Reply("text \ud800", Usage(9, 3, 5, 2), Stop.LENGTH, 123, "id-1", "m-2026")
    assert reply_from_json(reply_to_json(reply)) == reply
    ReplayModel(tmp_path, ScriptedModel(["half a \ud800"], name="m")).complete(ask())
    assert ReplayModel(tmp_path, name="m").complete(ask()).text == "half a \ud800"


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    model = ReplayModel(tmp_path, ScriptedModel(["one"], name="m"))
    model.complete(ask())
    model.path(ask()).write_text('{"reply": {"text": "x"}}')
    with pytest.raises(RecordError, match="not a stored reply"):
        model.complete(ask())


def test_an_answer_under_the_name_of_another_question_is_refused(tmp_path: Path) -> None:
    """Stores are copied and merged: a good answer must not stand in for the one that was given."""
    store = ReplayModel(tmp_path, ScriptedModel(["a bad one", "a good one"], name="m"))
    store.complete(ask())
    store.complete(ask("hello", sample=1))
    store.path(ask("hello", sample=1)).replace(store.path(ask()))
    with pytest.raises(RecordError, match="expected the answer to what its name stands for"):
        store.complete(ask())
