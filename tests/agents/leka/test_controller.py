"""The controller, with scripted answers and a device that reads speeds off words."""

from dataclasses import replace

import pytest
from tests.agents.leka.bench import (
    COMPUTE,
    PACKED,
    PARALLEL,
    PROFILE,
    START,
    VECTOR,
    fenced,
    plan,
    play,
    report,
)

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.protocol import Track
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.ir.kernel import Kernel

ANALYSIS = "It is bound by bandwidth."
RENAMED = COMPUTE.replace("y[", "acc[")


def leka(**settings: object) -> Leka:
    return Leka(ModelMind(), PROFILE, settings=Settings(reflect_every=0, **settings))  # type: ignore[arg-type]


def test_a_gain_is_put_down_to_the_one_layer_that_changed() -> None:
    played = play([ANALYSIS, plan("schedule", "all cores"), fenced(PARALLEL)], budget=Budget(submissions=2))

    start, analysis, step = (s.extra.ekb for s in played.trajectory.steps)
    assert (start.phase, start.ratio, start.authors) == ("start", 1.0, ("given",))
    assert analysis.phase == "analyse"
    assert (step.stage, step.layer, step.attributed, step.gain) == ("accepted", "schedule", "schedule", 2.0)
    assert step.hashes["compute"] == start.hashes["compute"]
    assert step.hashes["schedule"] != start.hashes["schedule"]
    assert "+    with schedule" in step.diff
    assert step.report is not None
    assert "parallel(out.n)" in played.answer.source
    assert played.answer.note == "the submissions are spent"
    end = played.trajectory.end
    assert end is not None
    assert end.final_metrics.extra.ekb.gains == {"schedule": 2.0}
    assert end.final_metrics.extra.ekb.authors == ("given", "model")


def test_a_frozen_layer_that_no_longer_fits_is_named_and_nothing_is_edited() -> None:
    answers = [
        ANALYSIS,
        plan("schedule"),
        fenced(VECTOR),
        plan("compute", "rename"),
        fenced(RENAMED),
        fenced(COMPUTE),
    ]
    played = play(answers, agent=leka(repairs=1), budget=Budget(submissions=3, calls=6))

    broken = played.trajectory.steps[3].extra.ekb
    assert broken.stage == "layers"
    assert "the frozen schedule layer no longer fits the new compute layer" in broken.error
    assert "compute_at(y, no)" in broken.error
    repair = played.model.asked[5].messages[-1].content
    assert "compute_at(y, no)" in repair
    assert "the new layer has to fit them" in repair
    assert len(played.measured) == 2


def test_a_compute_layer_may_give_the_others_up_by_its_own_word() -> None:
    answer = "give up: schedule, memory\n" + fenced(RENAMED)
    answers = [ANALYSIS, plan("schedule"), fenced(VECTOR), plan("compute", "rename"), answer]
    played = play(answers, budget=Budget(submissions=3, calls=5))

    last = played.trajectory.steps[-1].extra.ekb
    assert last.candidate == 2
    assert last.layer == "compute"


def test_a_revision_is_mended_at_most_twice_and_each_mending_counts() -> None:
    wrong = fenced('with schedule("llvm"):\n    parallel(out.zz)\n')
    played = play([ANALYSIS, plan("schedule"), wrong, wrong, wrong], budget=Budget(submissions=4, calls=5))

    assert [stage for _, stage in played.stages()][:5] == ["accepted", "done", "check", "check", "check"]
    assert played.ledger.calls == 5
    assert played.ledger.submissions == 1


def test_a_text_that_was_met_before_costs_no_submission() -> None:
    answers = [
        ANALYSIS,
        plan("schedule"),
        fenced(PARALLEL),
        plan("schedule"),
        fenced(PARALLEL.replace('"llvm"', "'llvm'")),
    ]
    played = play(answers, budget=Budget(submissions=5, calls=5))

    assert played.stages()[-2:] == [("revise", "duplicate"), ("plan", "no-plan")]
    assert played.ledger.submissions == 2


def test_each_setting_of_a_knob_is_one_submission() -> None:
    text = 'S = choose(8, 4, 16)\nwith schedule("llvm"):\n    no, ni = split(out.n, S)\n    parallel(no)\n'
    played = play([ANALYSIS, plan("schedule"), fenced(text)], budget=Budget(submissions=16, calls=3))

    lines = [s.extra.ekb for s in played.trajectory.steps if s.extra.ekb.phase == "revise"]
    assert [line.setting for line in lines] == [{"S": 8}, {"S": 4}, {"S": 16}]
    assert played.ledger.submissions == 4


def test_knobs_never_take_more_than_their_share() -> None:
    text = 'S = choose(8, 4, 16, 2)\nwith schedule("llvm"):\n    no, ni = split(out.n, S)\n    parallel(no)\n'
    played = play([ANALYSIS, plan("schedule"), fenced(text)], budget=Budget(submissions=9, calls=3))

    assert played.ledger.submissions == 1 + 8 // 4


def test_layers_of_different_candidates_are_combined_when_steps_stagnate() -> None:
    agent = leka(swap_after=1, explore=1.0)
    # The second step explores the start and changes its memory; the swap puts both gains together.
    answers = [ANALYSIS, plan("schedule"), fenced(PARALLEL), plan("memory"), fenced(PACKED)]
    played = play(answers, agent=agent, budget=Budget(submissions=4, calls=5))

    swap = played.trajectory.steps[-1].extra.ekb
    assert swap.phase == "swap"
    assert swap.ratio == pytest.approx(2.0 * 1.25)
    assert swap.attributed == "swap"
    assert "parallel" in played.answer.source
    assert "layout" in played.answer.source
    assert played.ledger.calls == 5


def test_a_layer_that_stops_paying_rests() -> None:
    def nothing(n: int) -> str:
        return fenced(f'with schedule("llvm"):\n    a, b = split(out.n, {n})\n')

    answers = [ANALYSIS]
    for size in (2, 4):
        answers += [plan("schedule"), nothing(size)]
    answers += [plan("schedule")]
    played = play(
        answers,
        agent=leka(rest_after=2, rest_for=1, swap_after=9, explore=0.0),
        budget=Budget(submissions=9, calls=6),
    )

    refused = played.trajectory.steps[-2].extra.ekb
    assert refused.stage == "no-plan"
    assert "compute, memory" in refused.error


def test_it_ends_at_the_bound_of_the_device() -> None:
    def bounded(kernel: Kernel) -> StaticReport:
        return replace(report(kernel), bound_ns=480_000.0)

    played = play(
        [ANALYSIS, plan("schedule"), fenced(PARALLEL)], inspect=bounded, budget=Budget(submissions=16)
    )

    assert played.answer.note == "the bound of the device is reached to 96 %"
    assert played.ledger.submissions == 2


def test_in_the_write_track_the_first_text_is_the_models_own() -> None:
    wrong = START.replace("range(64)", "range(65)")
    played = play(
        [fenced(wrong), fenced(START), ANALYSIS, plan("schedule"), fenced(PARALLEL)],
        track=Track.WRITE,
        budget=Budget(submissions=2, calls=5),
    )

    assert [stage for _, stage in played.stages()][:2] == ["check", "accepted"]
    assert "refused. The first complaint" in played.model.asked[1].messages[-1].content
    end = played.trajectory.end
    assert end is not None
    assert end.final_metrics.extra.ekb.authors == ("model",)


def test_an_attempt_without_a_legal_text_hands_nothing_in() -> None:
    played = play(["no", "no", "no"], track=Track.WRITE, budget=Budget(submissions=2, calls=3))

    assert played.answer.source == ""
    assert played.stages() == [("start", "no-text")] * 3


def test_without_submissions_the_first_legal_text_is_the_answer() -> None:
    played = play([fenced(START)], track=Track.WRITE, budget=Budget(submissions=0, calls=3))

    assert "def gemv" in played.answer.source
    assert played.ledger.submissions == 0


def test_an_answer_that_is_no_plan_counts_and_is_written_down() -> None:
    played = play([ANALYSIS, "let me think"], budget=Budget(submissions=4, calls=2))

    last, muted = (step.extra.ekb for step in played.trajectory.steps[-2:])
    assert (last.phase, last.stage) == ("plan", "no-plan")
    assert "expected a line `layer:`" in last.error
    assert muted.error == "the budget of 2 calls is used up (2)"


def test_conclusions_stand_in_later_prompts() -> None:
    agent = Leka(ModelMind(), PROFILE, settings=Settings(reflect_every=1))
    answers = [
        ANALYSIS,
        plan("schedule"),
        fenced(PARALLEL),
        "- all cores pay\n- rest is open",
        plan("memory"),
    ]
    played = play(answers, agent=agent, budget=Budget(submissions=9, calls=5))

    assert "- all cores pay" in played.model.asked[-1].messages[-1].content


def test_without_layers_the_whole_text_is_one_document() -> None:
    whole = START + "\n" + "".join(f"    {line}\n" for line in PARALLEL.splitlines())
    played = play(
        [ANALYSIS, plan("schedule"), fenced(whole)],
        agent=leka(layered=False),
        budget=Budget(submissions=2, calls=3),
    )

    step = played.trajectory.steps[-1].extra.ekb
    assert (step.layer, step.attributed) == ("text", "text")
    assert "whole kernel text, all blocks" in played.model.asked[-1].messages[-1].content


def test_without_freezing_all_layers_may_change_and_the_planned_one_gets_the_gain() -> None:
    whole = START + "\n" + "".join(f"    {line}\n" for line in (PARALLEL + "\n" + PACKED).splitlines())
    agent = replace(leka(freezing=False), mind=ModelMind(Style(free=True)))
    played = play(
        [ANALYSIS, plan("schedule"), fenced(whole)], agent=agent, budget=Budget(submissions=2, calls=3)
    )

    step = played.trajectory.steps[-1].extra.ekb
    assert step.attributed == "schedule"
    assert step.ratio == pytest.approx(2.5)


def test_without_static_feedback_no_prompt_has_any() -> None:
    asked = [ANALYSIS, plan("schedule")]
    seen = play(asked, budget=Budget(submissions=2, calls=2)).model.asked[-1].messages[-1].content
    unseen = play(asked, agent=leka(static=False), budget=Budget(submissions=2, calls=2)).model.asked[-1]
    assert "8 lanes idle" in seen
    assert "8 lanes idle" not in unseen.messages[-1].content


def test_plan_and_layer_may_come_in_one_answer() -> None:
    agent = replace(leka(), mind=ModelMind(Style(one_call=True)))
    played = play(
        [ANALYSIS, plan("schedule") + fenced(PARALLEL)], agent=agent, budget=Budget(submissions=2, calls=2)
    )

    assert played.ledger.calls == 2
    assert played.stages()[-1] == ("revise", "accepted")


def test_what_is_left_stands_in_every_prompt() -> None:
    played = play([ANALYSIS, plan("schedule"), fenced(PARALLEL)], budget=Budget(submissions=2, tokens=90_000))

    told = [request.messages[-1].content.partition("Budget left: ")[2] for request in played.model.asked]
    assert all(one.startswith("1 submission, ") for one in told)
    assert len({one.partition("\n")[0] for one in told}) == 3, "what is left now, not at the step's beginning"


def test_a_kernel_that_was_met_before_is_told_as_nothing_new() -> None:
    answers = [
        ANALYSIS,
        plan("schedule"),
        fenced(PARALLEL),
        plan("schedule"),
        fenced(PARALLEL),
        plan("memory"),
    ]
    played = play(answers, budget=Budget(submissions=9, calls=6))

    told = played.model.asked[-1].messages[-1].content
    assert "nothing new, the same nest as a kernel of 2.00 times the baseline" in told
    assert "schedule: 2 tried, 1 paid (2.00 times together)\n" in told, "it was not refused"


def test_what_becomes_of_layers_that_are_given_up_depends_on_the_track() -> None:
    answers = [ANALYSIS, plan("compute"), "nothing"]
    optimise = play(answers, budget=Budget(submissions=9, calls=3)).model.asked[-1]
    write = play(
        [fenced(START), *answers], track=Track.WRITE, budget=Budget(submissions=9, calls=4)
    ).model.asked[-1]

    assert "written anew by fixed rules" in optimise.messages[-1].content
    assert "both are then empty" in write.messages[-1].content
