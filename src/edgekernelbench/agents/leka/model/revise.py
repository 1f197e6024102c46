"""Revise: one layer is written anew, as a whole; the others are frozen."""

from edgekernelbench.agents.card import render
from edgekernelbench.agents.leka.mind import Ask, Revision, View
from edgekernelbench.agents.leka.model.answers import gives_up, read_layer
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.model.writing import (
    finding_text,
    form_text,
    layer_grammar,
    request,
    state_text,
    user,
)
from edgekernelbench.agents.leka.state import Plan
from edgekernelbench.base.diagnostics import Layer


def revise(view: View, plan: Plan, style: Style, ask: Ask) -> Revision:
    """Ask for the layer of a plan.

    Args:
        view: What is known.
        plan: What is to be changed.
        style: How the model is asked.
        ask: The model; not asked when the planner wrote the layer already.
    """
    if plan.text is not None:
        return Revision(plan.text, note="" if plan.text else "the plan came without its layer")
    layer = Layer.TEXT if style.free else plan.layer
    grammar = layer_grammar(view.ground, layer, style)
    asked = request(
        view.ground,
        (user(revise_prompt(view, plan, style)),),
        style,
        salt=f"revise{view.step}",
        grammar=grammar,
    )
    return read_revision(ask(asked).text, layer)


def revise_prompt(view: View, plan: Plan, style: Style) -> str:
    """Write the prompt of a revision: the state, the plan, the finding that it is to mend, the form."""
    layer = Layer.TEXT if style.free else plan.layer
    return render(
        "leka_revise",
        {
            "state": state_text(view),
            "layer": "text: all layers" if layer is Layer.TEXT else str(layer),
            "move": plan.move,
            "change": plan.change,
            "bottleneck": str(plan.bottleneck),
            "findings": _finding(view, plan),
            "form": form_text(layer, view.ground.task),
        },
    )


def _finding(view: View, plan: Plan) -> str:
    """Give what static feedback says of the bottleneck of a plan, in its layer; nothing when it is silent."""
    if view.report is None:
        return ""
    places = [
        place
        for place, finding in enumerate(view.report.findings)
        if finding.layer is plan.layer and finding.bottleneck is plan.bottleneck
    ]
    return f"Static analysis:\n{finding_text(view.report, places[0])}\n" if places else ""


def read_revision(answer: str, layer: Layer) -> Revision:
    """Read a revision out of an answer."""
    text = read_layer(answer, layer)
    note = "" if text else f"the answer has no {layer} block"
    return Revision(text, note=note, giving_up=layer is Layer.COMPUTE and gives_up(answer))
