from edgekernelbench.records.attempt import Attempt, Ending, Usage, Visit
from edgekernelbench.reports.visits import barred_agents, token_notes, visit_notes


def attempt(agent: str, number: int, **fields: object) -> Attempt:
    visit = Visit.model_validate(
        {"program": "", "confined": True, "end": "left", "status": 0, **fields}, strict=False
    )
    name = f"{agent}/a/b@n1-f32/{number}"
    return Attempt(
        id=name, agent=agent, workload="a/b@n1-f32", number=number, ending=Ending.NO_TEXT, text=None,
        visit=visit if fields else None,
    )  # fmt: skip


def test_one_unconfined_attempt_bars_its_agent() -> None:
    attempts = [
        attempt("cli:x", 0, confined=True),
        attempt("cli:x", 1, confined=False),
        attempt("cli:y", 0, status=1),
        attempt("leka", 0),
    ]
    assert barred_agents(attempts) == {"cli:x": "1 of 2 attempts worked unconfined"}


def test_what_a_reader_must_know_is_said() -> None:
    attempts = [
        attempt("cli:x", 0, canaries=("the canonical text", "said")),
        attempt("cli:x", 1, end="idle", status=None),
        attempt("cli:x", 2, end="wall", status=None),
        attempt("cli:y", 0, status=1),
        attempt("leka", 0),
    ]
    assert visit_notes(attempts) == [
        "cli:x: 1 attempt opened canaries (said, the canonical text)",
        "cli:x: 2 attempts were ended: idle 1, wall 1",
    ]
    assert visit_notes(attempts[:1] + attempts[2:]) == [
        "cli:x: 1 attempt opened canaries (said, the canonical text)",
        "cli:x: 1 attempt was ended: wall 1",
    ]


def test_estimated_tokens_are_named_of_any_agent() -> None:
    known, guessed = attempt("leka", 0), attempt("leka", 1)
    guessed = guessed.model_copy(update={"usage": Usage(calls=1, input_tokens=9, estimated=True)})
    assert token_notes([known]) == []
    assert token_notes([known, guessed]) == [
        "leka: tokens of 1 of 2 attempts are estimated, at least in part"
    ]
