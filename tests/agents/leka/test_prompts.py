"""What a model is shown, word for word."""

import random

from tests.agents.leka.bench import PACKED, PARALLEL, PROFILE, VECTOR, fenced, plan, play
from tests.conftest import Golden

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.model.moves import load_moves, menu
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.models.protocol import Request
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.profiles.profile import load_profile

ANSWERS = [
    "bandwidth",
    plan("schedule", "all cores", "parallel", "1.9"),
    fenced('with schedule("llvm"):\n    parallel(out.zz)\n'),
    fenced(PARALLEL),
    plan("memory", "pack", "stride"),
    fenced(PACKED),
    "- all cores pay",
    plan("compute", "again"),
    "nothing",
]


def asked(style: Style | None = None, answers: list[str] | None = None) -> list[Request]:
    mind = ModelMind(style or Style())
    agent = Leka(mind, PROFILE, settings=Settings(reflect_every=2, explore=0.0, repairs=1))
    given = ANSWERS if answers is None else answers
    return play(given, agent=agent, budget=Budget(submissions=9, tokens=50_000, calls=len(given))).model.asked


def shown(request: Request) -> str:
    return "\n".join(f"[{m.role}]\n{m.content}" for m in request.messages[1:])


def test_the_rules_are_golden_and_the_same_in_every_call(golden: Golden) -> None:
    rules = {request.messages[0].content for request in asked()}
    assert len(rules) == 1
    golden(rules.pop())


def test_the_analysis_is_golden(golden: Golden) -> None:
    golden(shown(asked()[0]))


def test_the_first_plan_is_golden(golden: Golden) -> None:
    golden(shown(asked()[1]))


def test_a_repair_is_golden(golden: Golden) -> None:
    golden(shown(asked()[3]))


def test_conclusions_are_asked_for_golden(golden: Golden) -> None:
    golden(shown(asked()[6]))


def test_a_revision_of_compute_is_golden(golden: Golden) -> None:
    golden(shown(asked()[8]))


def test_plan_and_layer_in_one_call_are_golden(golden: Golden) -> None:
    answers = ["bandwidth", plan("schedule") + fenced(VECTOR)]
    golden(shown(asked(Style(one_call=True), answers)[1]))


def test_no_two_plans_are_shown_the_same_menu() -> None:
    menus = {
        request.messages[-1].content.partition("Moves to think of")[2][:400] for request in asked()[1::3]
    }
    assert len(menus) == 3


def test_what_is_no_kernel_text_may_be_short() -> None:
    calls = asked(Style(max_tokens=5000))
    assert [request.max_tokens for request in calls[:3]] == [700, 700, 5000]


def test_layers_follow_the_grammar_when_asked_to() -> None:
    calls = asked(Style(grammar=True))
    assert calls[1].grammar is None
    revised = calls[2].grammar
    assert revised is not None
    assert revised.startswith("root ::= schedule-llvm")


def test_seeds_differ_from_call_to_call_and_not_from_run_to_run() -> None:
    first, again = ([r.seed for r in asked(Style(seed=3))] for _ in range(2))
    assert first == again
    assert len(set(first)) == len(first)


def test_a_menu_holds_what_fits_the_target_and_at_least_two_moves_a_layer() -> None:
    chance = random.Random(1)  # noqa: S311 - a menu, no secret
    gpu = menu((Layer.SCHEDULE, Layer.MEMORY), "cuda", 0.0, chance)
    assert [move.layer for move in gpu].count(Layer.SCHEDULE) == 2
    assert all(
        not move.targets or "cuda" in move.targets for move in menu((Layer.TEXT,), "cuda", 1.0, chance)
    )
    assert {move.layer for move in load_moves()} == {Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY}
    assert len(menu((Layer.TEXT,), load_profile("llvm").target, 1.0, chance)) > 15
