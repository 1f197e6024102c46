"""Repair: the first complaint handed back, with the plan kept; at most twice, and counted."""

from edgekernelbench.agents.card import render
from edgekernelbench.agents.leka.mind import Ask, Refusal, Revision, View
from edgekernelbench.agents.leka.model.revise import read_revision, revise_prompt
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.model.writing import layer_grammar, request, user
from edgekernelbench.agents.leka.state import Plan
from edgekernelbench.agents.models.protocol import Message, Role
from edgekernelbench.base.diagnostics import Layer

FROZEN = "The other layers are frozen, word for word: the new layer has to fit them, not they the new layer."


def repair(view: View, plan: Plan, revision: Revision, refusal: Refusal, style: Style, ask: Ask) -> Revision:
    """Ask for the layer again.

    Args:
        view: What is known.
        plan: What is to be changed.
        revision: What was written.
        refusal: Why it did not pass.
        style: How the model is asked.
        ask: The model.
    """
    layer = Layer.TEXT if style.free else plan.layer
    words = {
        "layer": str(layer),
        "complaint": refusal.text,
        "hint": FROZEN if refusal.broken else "",
        "left": str(view.left),
    }
    turns = (
        user(revise_prompt(view, plan, style)),
        Message(
            Role.ASSISTANT, f"```python\n{revision.text.rstrip()}\n```" if revision.text else "(nothing)"
        ),
        user(render("leka_repair", words)),
    )
    grammar = layer_grammar(view.ground, layer, style)
    # The text is part of the salt: a second repair is another call, also when its complaint is the same.
    salt = f"repair{view.step}{revision.text}"
    return read_revision(ask(request(view.ground, turns, style, salt=salt, grammar=grammar)).text, layer)
