"""The first text of the *write* track: the card that every agent is shown, the first error handed back."""

from dataclasses import replace

from edgekernelbench.agents.card import render
from edgekernelbench.agents.direct import conversation
from edgekernelbench.agents.extract import extract_kernel
from edgekernelbench.agents.leka.mind import Ask, Beginning
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.model.writing import layer_grammar, request, user
from edgekernelbench.agents.models.protocol import Message, Role
from edgekernelbench.base.diagnostics import Layer


def begin(given: Beginning, style: Style, ask: Ask) -> str:
    """Ask for a whole text.

    Args:
        given: The task, and what was wrong with the last text.
        style: How the model is asked.
        ask: The model.
    """
    ground = given.ground
    turns = conversation(ground.task)
    if given.last:
        words = {"complaint": given.problem, "left": str(given.left)}
        turns = (
            *turns,
            Message(Role.ASSISTANT, f"```python\n{given.last.rstrip()}\n```"),
            user(render("leka_begin_again", words)),
        )
    asked = request(
        ground, (), style, salt=f"begin{given.number}", grammar=layer_grammar(ground, Layer.TEXT, style)
    )
    return extract_kernel(ask(replace(asked, messages=turns)).text) or ""
