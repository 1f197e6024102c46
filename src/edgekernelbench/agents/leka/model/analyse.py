"""Analyse: what bounds this workload, and which moves promise most; asked once."""

from edgekernelbench.agents.card import render
from edgekernelbench.agents.leka.mind import Analysis, Ask, Ground
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.model.writing import measured_text, report_text, request, user
from edgekernelbench.agents.leka.state import Candidate
from edgekernelbench.analysis.report import StaticReport

MOST_CHARS = 1200
"""An analysis is cut here: it stands in every later prompt."""


def analyse(
    ground: Ground, start: Candidate, report: StaticReport | None, style: Style, ask: Ask
) -> Analysis:
    """Ask what bounds a kernel.

    Args:
        ground: The task.
        start: The kernel, measured.
        report: Static feedback of it.
        style: How the model is asked.
        ask: The model.
    """
    text = render(
        "leka_analyse",
        {
            "target": ground.task.target,
            "device": ground.task.device,
            "kernel": start.text.strip(),
            "measured": measured_text(start, start),
            "report": report_text(report),
            "left": str(ground.left),
        },
    )
    reply = ask(request(ground, (user(text),), style, salt="analyse", kernel=False))
    return Analysis(reply.text.strip()[:MOST_CHARS])
