"""The model that plays back a list."""

import pytest
from tests.agents.support import ask

from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.base.errors import ModelError


def test_answers_come_in_order_and_what_was_asked_is_kept() -> None:
    model = ScriptedModel(["one", "two"], name="s")
    assert [model.complete(ask(str(n))).text for n in range(2)] == ["one", "two"]
    assert [r.messages[-1].content for r in model.asked] == ["0", "1"]


def test_a_script_that_is_used_up_is_a_failed_endpoint() -> None:
    with pytest.raises(ModelError, match="has 0 answers"):
        ScriptedModel([]).complete(ask())


def test_its_usage_is_an_estimate() -> None:
    usage = ScriptedModel(["four"]).complete(ask()).usage
    assert (usage.output, usage.estimated) == (1, True)
