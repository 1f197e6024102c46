"""Questions that wait for answers through files."""

from pathlib import Path

import pytest
from tests.agents.support import ask

from edgekernelbench.agents.batch import check_asked, read_batch, store_answers
from edgekernelbench.agents.models.waiting import WaitingModel
from edgekernelbench.base.errors import ModelError, RecordError


def wait(store: Path, name: str, *words: str) -> None:
    model = WaitingModel(store, name)
    for word in words:
        with pytest.raises(ModelError, match="waits for an answer"):
            model.complete(ask(word))


def rounds(store: Path) -> dict[str, int]:
    return {folder.name: len(read_batch(folder)) for folder in sorted(store.glob("pending-*"))}


def test_rows_of_one_run_share_a_round_and_ask_the_same_question_once(tmp_path: Path) -> None:
    wait(tmp_path, "reader", "a", "b")
    wait(tmp_path, "reader", "a", "b", "c")
    assert rounds(tmp_path) == {"pending-1": 3}


def test_a_round_with_a_stored_answer_is_closed_and_the_next_has_all_that_is_open(tmp_path: Path) -> None:
    wait(tmp_path, "reader", "a", "b")
    first, _ = read_batch(tmp_path / "pending-1")
    store_answers([first], {first.id: "x"}, model="reader", store=tmp_path)
    wait(tmp_path, "reader", "b", "c")
    wait(tmp_path, "reader", "b")
    assert rounds(tmp_path) == {"pending-1": 2, "pending-2": 2}


def test_two_models_do_not_share_a_round(tmp_path: Path) -> None:
    wait(tmp_path, "one", "a")
    wait(tmp_path, "two", "a")
    assert rounds(tmp_path) == {"pending-1": 1, "pending-2": 1}


def test_answers_under_another_name_than_was_asked_are_refused(tmp_path: Path) -> None:
    wait(tmp_path, "reader", "a")
    items = read_batch(tmp_path / "pending-1")
    check_asked(items, "reader")
    with pytest.raises(RecordError, match="asked of another model than batch:reader"):
        check_asked(items, "batch:reader")
