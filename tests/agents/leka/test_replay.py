"""Any step again, from the file alone."""

from pathlib import Path

import pytest
from tests.agents.leka.bench import PACKED, PARALLEL, PROFILE, START, VECTOR, Played, fenced, plan, play

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.replay import replay
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.protocol import Track
from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.trajectories import (
    Trajectory,
    as_atif,
    read_run_trajectories,
    read_trajectory,
    trajectory_path,
    write_trajectory,
)

ANSWERS = [
    fenced(START),
    "bandwidth",
    plan("schedule"),
    fenced('with schedule("llvm"):\n    parallel(out.zz)\n'),
    fenced("S = choose(8, 4)\n" + VECTOR.replace("8", "S")),
    plan("memory"),
    fenced(PACKED),
    "nonsense",
    plan("schedule"),
    fenced(PARALLEL),
    "- vectors pay",
]
AGENT = Leka(ModelMind(), PROFILE, settings=Settings(swap_after=1, explore=0.5, reflect_every=3))


def played(track: Track = Track.WRITE, tokens: int | None = None) -> Played:
    budget = Budget(submissions=12, calls=len(ANSWERS), tokens=tokens)
    return play(ANSWERS, agent=AGENT, track=track, budget=budget)


def stored(tmp_path: Path, made: Trajectory) -> Trajectory:
    assert made.end is not None
    path = trajectory_path(tmp_path, made.head.session_id)
    write_trajectory(path, made.head, made.steps, made.end)
    return read_trajectory(path)


@pytest.mark.parametrize("tokens", [None, 1500])
def test_every_line_comes_out_the_same(tmp_path: Path, tokens: int | None) -> None:
    first = played(tokens=tokens)
    record = stored(tmp_path, first.trajectory)

    again = replay(record, AGENT)

    assert again.answer.source == first.answer.source
    lines = [
        (s.extra.ekb.phase, s.extra.ekb.step, s.extra.ekb.stage, s.extra.ekb.ratio) for s in record.steps
    ]
    notes = [(n.phase, n.step, n.stage, n.ratio) for n in again.notes]
    assert notes == lines[: len(notes)]
    assert {phase for phase, *_ in lines[len(notes) :]} <= {"answer"}
    assert len(notes) > (10 if tokens is None else 2)


def test_a_changed_agent_is_found_at_the_line_where_it_differs(tmp_path: Path) -> None:
    record = stored(tmp_path, played().trajectory)
    changed = Leka(ModelMind(), PROFILE, settings=Settings(swap_after=1, explore=0.5, static=False))

    with pytest.raises(RecordError, match="step 2: expected this prompt, found another prompt"):
        replay(record, changed)


def test_a_long_text_stands_once(tmp_path: Path) -> None:
    record = stored(tmp_path, played().trajectory)
    file = trajectory_path(tmp_path, record.head.session_id).read_text(encoding="utf-8")

    assert file.count("You make a kernel faster, one layer at a time") == 1
    shown = [
        m.content for s in record.steps for c in s.extra.ekb.calls if c.door == "chat" for m in c.messages
    ]
    assert all(record.text(said) for said in shown)
    assert [name for name, _ in read_run_trajectories(tmp_path)] == [record.head.session_id]


def test_it_is_a_document_of_atif(tmp_path: Path) -> None:
    document = as_atif(stored(tmp_path, played().trajectory))

    assert document["schema_version"] == "ATIF-v1.7"
    steps = document["steps"]
    assert isinstance(steps, list)
    assert [step["step_id"] for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:  # what ATIF allows agents alone, and where no model was asked
        agent_only = [step[name] for name in ("model_name", "tool_calls", "metrics")]
        assert step["source"] == "agent" or not any(agent_only)
        assert step["llm_call_count"] != 0 or not (step["metrics"] or step["model_name"])
    assert {step["llm_call_count"] for step in steps} >= {0, 1}
    known = {
        "llm_call_count",
        "step_id",
        "timestamp",
        "source",
        "model_name",
        "message",
        "tool_calls",
        "observation",
        "metrics",
        "extra",
    }
    assert all(step.keys() <= known for step in steps)
    for step in steps:
        asked = [call["tool_call_id"] for call in step["tool_calls"] or []]
        told = [result["source_call_id"] for result in (step["observation"] or {"results": []})["results"]]
        assert asked == told


def test_a_file_that_was_cut_off_is_read_without_an_end(tmp_path: Path) -> None:
    record = stored(tmp_path, played().trajectory)
    path = trajectory_path(tmp_path, record.head.session_id)
    path.write_text("\n".join(path.read_text(encoding="utf-8").split("\n")[:-2]), encoding="utf-8")

    assert read_trajectory(path).end is None


def test_what_is_no_trajectory_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"schema_version": "ATIF-v1.7"}\n', encoding="utf-8")

    with pytest.raises(RecordError, match=r"x\.jsonl:1"):
        read_trajectory(tmp_path / "x.jsonl")
