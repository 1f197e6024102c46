"""One prompt, one answer."""

from dataclasses import replace

import pytest
from tests.agents.support import KERNEL

from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.models.protocol import Role
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.agents.protocol import Doors, Feedback, Shot, Task, Track
from edgekernelbench.base.errors import InternalError, ModelError

TASK = Task("double-1", "llvm", Track.WRITE, "rules", "card", sample=3)


def refuse(source: str) -> Feedback:
    raise AssertionError("the direct agent neither checks nor measures")


def doors_with(model: ScriptedModel | None) -> Doors:
    return Ledger(Budget()).doors(check=refuse, judge=refuse, model=model)


def test_it_hands_in_the_kernel_of_the_answer() -> None:
    model = ScriptedModel([f"Here:\n```python\n{KERNEL}```"])
    answer = Direct().solve(TASK, doors_with(model))
    assert answer.source == KERNEL


def test_an_answer_without_a_kernel_is_an_attempt() -> None:
    answer = Direct().solve(TASK, doors_with(ScriptedModel(["I would rather not."])))
    assert (answer.source, answer.note) == ("", "the answer has no kernel")


def test_the_request_has_rules_card_and_parameters() -> None:
    model = ScriptedModel([""])
    Direct(max_tokens=99, temperature=0.5, grammar="root ::= x", seed=10).solve(TASK, doors_with(model))
    (request,) = model.asked
    assert [(m.role, m.content) for m in request.messages] == [(Role.SYSTEM, "rules"), (Role.USER, "card")]
    assert (request.max_tokens, request.temperature, request.grammar) == (99, 0.5, "root ::= x")
    assert (request.seed, request.sample) == (13, 3)


def test_worked_examples_come_before_the_card_as_turns() -> None:
    task = replace(TASK, shots=(Shot("asked", "answered"),))
    turns = [(str(m.role), m.content) for m in Direct().request(task).messages]
    assert turns == [("system", "rules"), ("user", "asked"), ("assistant", "answered"), ("user", "card")]


def test_a_grammar_may_be_made_for_the_task() -> None:
    assert Direct(grammar=lambda task: f"for {task.workload}").request(TASK).grammar == "for double-1"


def test_a_failed_endpoint_is_no_answer() -> None:
    with pytest.raises(ModelError):
        Direct().solve(TASK, doors_with(ScriptedModel([])))


def test_without_a_model_it_was_started_wrongly() -> None:
    with pytest.raises(InternalError):
        Direct().solve(TASK, doors_with(None))
