"""The control: the card of plain C, and how its answers are read."""

import json
from dataclasses import replace

import pytest
from tests.agents.test_card import CPU, facts
from tests.conftest import Golden

from edgekernelbench.agents.card import CardFacts, PlainFacts, make_task
from edgekernelbench.agents.extract import extract_c
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.protocol import Task, Track
from edgekernelbench.agents.recording import task_as_json, task_from_json

PROTOTYPE = "void kernel(\n    const _Float16 *restrict x, /* f16[4, 32] */\n    _Float16 *restrict out);"
PLAIN = PlainFacts(PROTOTYPE, ("math.h", "stdint.h"), ("-std=gnu11", "-O3"))
TEXT = "#include <math.h>\nvoid kernel(const float *x, float *out) {\n    out[0] = x[0];\n}\n"


def plain_facts() -> CardFacts:
    return replace(facts(Track.WRITE), plain=PLAIN)


def task() -> Task:
    return make_task(plain_facts(), CPU, Budget(submissions=0, tokens=20000))


def test_the_card_of_plain_c_is_golden(golden: Golden) -> None:
    golden(f"{task().system}\n\n{task().prompt}")


def test_a_small_model_gets_the_same_card() -> None:
    assert make_task(plain_facts(), CPU, Budget(submissions=0, tokens=20000), short=True) == task()


def test_a_task_comes_back_from_a_trajectory_in_its_language() -> None:
    stored = json.loads(json.dumps(task_as_json(task())))
    assert task_from_json(stored) == task()
    kernel = make_task(facts(Track.WRITE), CPU, Budget())
    stored = json.loads(json.dumps(task_as_json(kernel)))
    assert "written_in" not in stored
    assert task_from_json(stored) == kernel


@pytest.mark.parametrize(
    "answer",
    [
        f"```c\n{TEXT}```",
        f"Here it is.\n\n```c\nint other;\n```\n\n```\n{TEXT}```\nIt is fast.",
        f"```c\nvoid kernel(int) {{}}\n```\nNo, better:\n```c\n{TEXT}```",
        f"First the idea.\n{TEXT}That was all.",
        f"```c\n{TEXT}",
    ],
)
def test_the_last_block_with_the_function_is_the_text(answer: str) -> None:
    assert extract_c(answer) == TEXT


@pytest.mark.parametrize(
    "answer", ["", "I cannot.", "```c\nint main(void) { return 0; }\n```", "def kernel(x): pass"]
)
def test_an_answer_without_the_function_has_no_text(answer: str) -> None:
    assert extract_c(answer) is None
