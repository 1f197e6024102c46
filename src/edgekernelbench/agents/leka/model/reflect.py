"""Reflect: conclusions only, what held and what to avoid; they stand in every later prompt."""

from edgekernelbench.agents.card import render
from edgekernelbench.agents.leka.mind import Ask, View
from edgekernelbench.agents.leka.model.answers import read_conclusions
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.model.writing import request, state_text, user


def reflect(view: View, style: Style, ask: Ask) -> tuple[str, ...]:
    """Ask for conclusions.

    Args:
        view: What is known, the last trial included.
        style: How the model is asked.
        ask: The model.
    """
    text = render("leka_reflect", {"state": state_text(view)})
    return read_conclusions(
        ask(request(view.ground, (user(text),), style, salt=f"reflect{view.step}", kernel=False)).text
    )
