"""Trajectories of agents that say nothing of their steps, and what every line has."""

from collections.abc import Sequence

from tests.agents.leka.bench import PARALLEL, PROFILE, START, check, fenced, make_task, measure

from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.agents.protocol import Agent, Track
from edgekernelbench.agents.recorder import Recorder
from edgekernelbench.agents.recording import Entrant
from edgekernelbench.agents.repeated import BestOf, Repair, first_complaint
from edgekernelbench.records.trajectory import End, Step

FAST = START + "\n" + "".join(f"    {line}\n" for line in PARALLEL.splitlines())
ILLEGAL = START.replace("w[n, k]", "w[n, k + 1]")
WRONG = START.replace("max(y[n], 0.0)", "2.0 * y[n]")


def record(
    agent: Agent, answers: Sequence[str], budget: Budget
) -> tuple[tuple[Step, ...], End, ScriptedModel]:
    task = make_task(Track.WRITE)
    model = ScriptedModel(answers)
    ledger = Ledger(budget, clock=lambda: 0)
    entrant = Entrant(agent.name, "scripted", f"{agent.name}/{task.workload}/0", PROFILE.name)
    recorder = Recorder(entrant, task, ledger, clock=lambda: "2026-01-01T00:00:00Z")
    doors = recorder.doors(ledger.doors(check=check, judge=measure, model=model))
    answer = solve_within(agent, task, doors, ledger)
    _, steps, end = recorder.finish(answer)
    return steps, end, model


def stages(steps: tuple[Step, ...]) -> list[str]:
    return [step.extra.ekb.stage for step in steps]


def test_a_direct_answer_is_one_line_with_its_call() -> None:
    steps, end, _ = record(Direct(), [fenced(START)], Budget(submissions=0))

    (line,) = steps
    assert line.source == "agent"
    assert len(line.extra.ekb.calls) == 1
    assert end.final_metrics.extra.ekb.authors == ("model",)


def test_the_best_of_several_has_a_line_a_text_and_the_fastest_counts() -> None:
    answers = [fenced(START), "no kernel", fenced(ILLEGAL), fenced(WRONG), fenced(FAST)]
    steps, end, _ = record(BestOf(), answers, Budget(submissions=2))

    assert stages(steps) == ["measured", "no-text", "check", "values", "measured", "done"]
    assert [step.extra.ekb.best for step in steps][-1] == 2.0
    assert end.final_metrics.extra.ekb.submissions == 2
    assert end.final_metrics.total_steps == len(steps)


def test_samples_differ_in_seed_and_number() -> None:
    agent = BestOf(Direct(seed=7))
    _, _, model = record(agent, [fenced(START), fenced(START)], Budget(submissions=9, calls=2))

    assert [(r.seed, r.sample) for r in model.asked] == [(7, 0), (1007, 1000)]


def test_a_refused_text_comes_back_with_its_first_complaint_and_what_is_left() -> None:
    two = ILLEGAL.replace("max(y[n], 0.0)", "max(y[n + 1], 0.0)")
    _, end, model = record(Repair(), [fenced(two), fenced(FAST)], Budget(submissions=1))

    told = model.asked[1].messages[-1].content
    assert told.count("error[") == 1
    assert "left: 1 submission" in told
    assert model.asked[1].messages[-2].content.startswith("```python\ndef gemv")
    assert end.final_metrics.extra.ekb.best == 2.0


def test_a_measured_text_is_followed_by_the_wish_for_a_faster_one() -> None:
    _, _, model = record(Repair(), [fenced(START), fenced(FAST)], Budget(submissions=2))

    assert "Make it faster" in model.asked[1].messages[-1].content


def test_a_text_that_cannot_be_mended_is_given_up() -> None:
    agent = Repair(repairs=1)
    _, _, model = record(agent, [fenced(ILLEGAL)] * 3, Budget(submissions=1, calls=3))

    assert [len(request.messages) for request in model.asked] == [2, 4, 2]


def test_a_complaint_ends_where_the_next_begins() -> None:
    text = "refused:\nkernel:1:2: error[C1]: a\n  line\nkernel:3:4: error[C2]: b\nleft: 2 submissions"
    assert first_complaint(text) == "refused:\nkernel:1:2: error[C1]: a\n  line\nleft: 2 submissions"
    assert first_complaint("wrong (values)") == "wrong (values)"


def test_where_nothing_may_be_measured_a_text_is_mended_until_it_passes() -> None:
    steps, end, model = record(
        Repair(), [fenced(ILLEGAL), fenced(WRONG), fenced(FAST)], Budget(submissions=0)
    )

    assert stages(steps) == ["check", "values", "checked", "done"]
    assert len(model.asked) == 3
    assert end.final_metrics.extra.ekb.reason == "a text passed, and nothing may be measured"


def test_each_line_of_an_agent_that_notes_nothing_has_the_budget_of_its_moment() -> None:
    answers = [fenced(ILLEGAL), fenced(START), fenced(FAST)]
    steps, _, _ = record(Repair(), answers, Budget(submissions=2, calls=5))

    budgets = [step.extra.ekb.budget for step in steps]
    assert [b.submissions for b in budgets] == [0, 1, 2, 2]
    assert [b.left.submissions for b in budgets] == [2, 1, 0, 0]
    assert [b.calls for b in budgets] == [1, 2, 3, 3]
    assert budgets[0].tokens < budgets[1].tokens < budgets[2].tokens == budgets[3].tokens


def test_a_line_of_an_agent_that_notes_nothing_says_what_came_of_its_text() -> None:
    answers = [fenced(ILLEGAL), fenced(WRONG), fenced(START), fenced(FAST)]
    steps, _, _ = record(Repair(), answers, Budget(submissions=2, calls=5))

    said = [str(step.message).split("\n")[0] for step in steps]
    assert "error[" in said[0]
    assert said[1] not in ("measured", "checked")
    assert said[2:] == ["1.000 times the baseline", "2.000 times the baseline", "the answer"]
