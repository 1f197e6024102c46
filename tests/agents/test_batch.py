"""Batch files, out and in."""

import json
from pathlib import Path

import pytest
from tests.agents.support import KERNEL, ask

from edgekernelbench.agents.batch import BatchItem, export_batch, read_answers, read_batch, store_answers
from edgekernelbench.agents.models.replay import ReplayModel
from edgekernelbench.base.errors import ModelError, RecordError

ITEMS = tuple(BatchItem(f"direct/w{n}/0", ask(f"card {n}", seed=n, sample=0)) for n in range(3))


def test_requests_are_read_back_as_they_were(tmp_path: Path) -> None:
    export_batch(ITEMS, tmp_path)
    assert read_batch(tmp_path) == ITEMS


def test_the_folder_form_has_one_prompt_file_for_each_request(tmp_path: Path) -> None:
    export_batch(ITEMS, tmp_path, as_folder=True)
    assert sorted(p.name for p in (tmp_path / "prompts").iterdir()) == [
        f"direct__w{n}__0.txt" for n in range(3)
    ]
    assert (tmp_path / "prompts" / "direct__w1__0.txt").read_text() == "rules\n\ncard 1\n"


@pytest.mark.parametrize("form", ["lines", "files"])
def test_answers_come_back_in_either_form(tmp_path: Path, form: str) -> None:
    export_batch(ITEMS, tmp_path, as_folder=True)
    for item in ITEMS:
        if form == "files":
            (tmp_path / "answers" / item.file_name).write_text(f"answer to {item.id}")
        else:
            with (tmp_path / "answers.jsonl").open("a") as lines:
                lines.write(json.dumps({"id": item.id, "answer": f"answer to {item.id}"}) + "\n")
    found = read_answers(tmp_path, ITEMS)
    assert found.is_complete
    assert found.answers == {item.id: f"answer to {item.id}" for item in ITEMS}


def test_missing_double_and_unknown_answers_are_reported(tmp_path: Path) -> None:
    export_batch(ITEMS, tmp_path, as_folder=True)
    (tmp_path / "answers.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "answer": "a"}) + "\n" for name in (ITEMS[0].id, ITEMS[1].id, "nobody")
        )
    )
    (tmp_path / "answers" / ITEMS[1].file_name).write_text("b")
    (tmp_path / "answers" / "notes.txt").write_text("c")
    found = read_answers(tmp_path, ITEMS)
    assert dict(found.answers) == {ITEMS[0].id: "a"}
    assert (found.missing, found.double) == ((ITEMS[2].id,), (ITEMS[1].id,))
    assert found.unknown == ("nobody", "notes.txt")
    assert not found.is_complete


def test_stored_answers_are_replayed_and_missing_ones_are_not_made_up(tmp_path: Path) -> None:
    assert store_answers(ITEMS, {ITEMS[0].id: KERNEL}, model="web", store=tmp_path) == 1
    model = ReplayModel(tmp_path, name="web")
    assert model.complete(ITEMS[0].request).text == KERNEL
    with pytest.raises(ModelError, match="no stored answer"):
        model.complete(ITEMS[1].request)


def test_a_stored_answer_is_never_replaced(tmp_path: Path) -> None:
    store_answers(ITEMS, {ITEMS[0].id: "first"}, model="web", store=tmp_path)
    assert store_answers(ITEMS, {ITEMS[0].id: "second"}, model="web", store=tmp_path) == 0
    assert ReplayModel(tmp_path, name="web").complete(ITEMS[0].request).text == "first"


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 3, "answer": "a"}', '{"id": "a"}'])
def test_a_line_that_is_no_answer_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    export_batch(ITEMS, tmp_path)
    (tmp_path / "answers.jsonl").write_text(line + "\n")
    with pytest.raises(RecordError, match=r"answers.jsonl:1"):
        read_answers(tmp_path, ITEMS)


def test_a_folder_that_is_no_batch_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is not a batch"):
        read_batch(tmp_path)


def test_two_requests_may_not_share_a_file(tmp_path: Path) -> None:
    twins = (BatchItem("a/b", ask()), BatchItem("a__b", ask()))
    with pytest.raises(RecordError, match=r"a__b\.txt"):
        export_batch(twins, tmp_path)


@pytest.mark.parametrize("line", [b"\xff\xfe", b"[" * 100_000])
def test_bytes_and_brackets_without_end_are_refused_with_their_place(tmp_path: Path, line: bytes) -> None:
    export_batch(ITEMS, tmp_path)
    (tmp_path / "answers.jsonl").write_bytes(line + b"\n")
    with pytest.raises(RecordError, match=r"answers.jsonl:1: not JSON"):
        read_answers(tmp_path, ITEMS)


def test_line_separators_inside_an_answer_do_not_end_its_line(tmp_path: Path) -> None:
    export_batch(ITEMS, tmp_path)
    text = "a\u2028b\x85c"
    line = json.dumps({"id": ITEMS[0].id, "answer": text}, ensure_ascii=False)
    (tmp_path / "answers.jsonl").write_text(line + "\r\n", encoding="utf-8", newline="")
    assert read_answers(tmp_path, ITEMS).answers == {ITEMS[0].id: text}


def test_a_folder_among_the_answers_is_nobodys(tmp_path: Path) -> None:
    export_batch(ITEMS, tmp_path, as_folder=True)
    (tmp_path / "answers" / "old").mkdir()
    assert read_answers(tmp_path, ITEMS).unknown == ("old",)
