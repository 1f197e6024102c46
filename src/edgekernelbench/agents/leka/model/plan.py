"""Plan: exactly one layer, exactly one bottleneck, the expected effect."""

from dataclasses import replace

from edgekernelbench.agents.card import render
from edgekernelbench.agents.leka.mind import Ask, NoPlan, View
from edgekernelbench.agents.leka.model.answers import read_layer, read_plan
from edgekernelbench.agents.leka.model.moves import menu
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.model.writing import form_text, request, state_text, user
from edgekernelbench.agents.leka.state import Plan
from edgekernelbench.analysis.report import Bottleneck
from edgekernelbench.base.diagnostics import Layer


def plan(view: View, style: Style, ask: Ask) -> Plan | NoPlan:
    """Ask for a plan; in one call also for the layer.

    Args:
        view: What is known.
        style: How the model is asked.
        ask: The model.
    """
    ground = view.ground
    name = "leka_one" if style.one_call else "leka_plan"
    asked = request(
        ground, (user(plan_prompt(view, style)),), style, salt=f"plan{view.step}", kernel=style.one_call
    )
    answer = ask(asked).text
    found = read_plan(answer, view.allowed)
    if isinstance(found, NoPlan) or name == "leka_plan":
        return found
    layer = Layer.TEXT if style.free else found.layer
    return replace(found, text=read_layer(answer, layer))


def plan_prompt(view: View, style: Style) -> str:
    """Write the prompt of a plan."""
    ground = view.ground
    chance = ground.chance(view.step, "menu")
    moves = menu(view.allowed, ground.task.target, style.menu, chance)
    layers = view.allowed if Layer.TEXT not in view.allowed else ()
    values = {
        "state": state_text(view),
        "allowed": ", ".join(layers) or "text (the whole kernel is written anew)",
        "menu": "\n".join(f"- {move.layer}, {move.name}: {move.text}" for move in moves),
        "allowed_words": " or ".join(layers) or "text",
        "bottlenecks": " or ".join(Bottleneck),
    }
    if not style.one_call:
        return render("leka_plan", values)
    forms = (Layer.TEXT,) if style.free else view.allowed
    form = "\n".join(f"For {layer}: {form_text(layer, ground.task)}" for layer in forms)
    return render("leka_one", {**values, "form": form})
