"""What every prompt shares: the rules, the state, what is left. Conclusions, never logs."""

from edgekernelbench.agents.card import render
from edgekernelbench.agents.leka.attribute import credits
from edgekernelbench.agents.leka.mind import Ground, View
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.state import Candidate, State, Trial
from edgekernelbench.agents.models.protocol import Message, Request, Role
from edgekernelbench.agents.protocol import Task, Track
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.lang.grammar import gbnf

MOST_FINDINGS = 3
"""Findings that a prompt shows: the costliest. More of them did worse in published ablations."""
LAST_TRIALS = 6
"""Trials that a prompt shows one by one; older ones are in the sums."""
PLANNING_TOKENS = 700
"""The most tokens of an answer that holds no kernel text."""
NS_PER_MS = 1_000_000


def system(ground: Ground) -> Message:
    """Write the rules with the language and the worked examples: the same in all calls of a task."""
    values = {"language": ground.task.language, "examples": ground.task.examples}
    return Message(Role.SYSTEM, render("leka_rules", values))


def request(
    ground: Ground,
    turns: tuple[Message, ...],
    style: Style,
    *,
    salt: str,
    grammar: str | None = None,
    kernel: bool = True,
) -> Request:
    """Make a request.

    Args:
        ground: The task.
        turns: Everything after the rules.
        style: How the model is asked.
        salt: What tells this call from others: step and phase.
        grammar: What the answer must follow.
        kernel: Whether the answer holds kernel text.
    """
    seed = None
    if style.seed is not None:
        seed = style.seed + ground.chance(0, salt).randrange(1 << 30)
    return Request(
        messages=(system(ground), *turns),
        max_tokens=style.max_tokens if kernel else min(style.max_tokens, PLANNING_TOKENS),
        temperature=style.temperature if kernel else style.planning,
        seed=seed,
        grammar=grammar,
        sample=ground.task.sample,
    )


def user(text: str) -> Message:
    """Say something to the model."""
    return Message(Role.USER, text)


def state_text(view: View) -> str:
    """Write the state that plans and revisions start from."""
    return render(
        "leka_state",
        {
            "target": view.ground.task.target,
            "device": view.ground.task.device,
            "analysis": f"\n# What bounds it\n\n{view.analysis.text}\n" if view.analysis.text else "",
            "kernel": view.parent.text.strip(),
            "measured": measured_text(view.parent, view.state.best),
            "report": report_text(view.report),
            "ledger": ledger_text(view.state),
            "conclusions": conclusions_text(view.state),
            "left": str(view.left),
        },
    )


def measured_text(candidate: Candidate, best: Candidate) -> str:
    """Say how fast a candidate is."""
    time = f"{candidate.time / NS_PER_MS:.4f} ms, {candidate.ratio:.2f} times as fast as the baseline"
    if best.number == candidate.number:
        return f"{time}; the best so far"
    return f"{time}; the best so far is {best.ratio:.2f} times as fast as the baseline"


def report_text(report: StaticReport | None) -> str:
    """Write static feedback: the bound and the costliest findings; nothing without a report."""
    if report is None:
        return ""
    bound = (
        "" if report.bound_ns is None else f"; it cannot take less than {report.bound_ns / NS_PER_MS:.4f} ms"
    )
    lines = [
        f"Static analysis: {report.flops:,} operations, {report.bytes_moved:,} bytes; "
        f"bound by {report.bound_class}{bound}.",
        *(finding_text(report, place) for place in range(min(MOST_FINDINGS, len(report.findings)))),
    ]
    return "\n".join(lines) + "\n"


def finding_text(report: StaticReport, place: int) -> str:
    """Write one finding, with the directive that it belongs to."""
    finding = report.findings[place]
    where = f" (`{finding.directive}`)" if finding.directive else ""
    return f"- {finding.layer}{where}, {finding.bottleneck}: {finding.message}"


def ledger_text(state: State) -> str:
    """Write what each layer brought, and the last trials: conclusions, no logs."""
    if not state.tried:
        return "Nothing yet."
    sums = [
        f"- {credit.layer}: {credit.tried} tried, {credit.paid} paid"
        + (f" ({credit.gain:.2f} times together)" if credit.paid else "")
        + (f", {credit.refused} refused" if credit.refused else "")
        for credit in credits(state)
    ]
    return "\n".join([*sums, "The last ones:", *(trial_text(t) for t in state.tried[-LAST_TRIALS:])])


def trial_text(trial: Trial) -> str:
    """Write one trial in a line: what was hoped, what came."""
    plan = trial.plan
    head = f"- {plan.layer}, {plan.move} ({plan.bottleneck}), hoped for {plan.expected:.2f} times:"
    if trial.gain is None:
        return f"{head} refused, {trial.problem}"
    if trial.problem:
        return f"{head} nothing new, {trial.problem}"
    return f"{head} {trial.gain:.2f} times{', kept' if trial.accepted else ', no gain'}"


def conclusions_text(state: State) -> str:
    """Write the conclusions that reflection keeps; nothing without any."""
    if not state.conclusions:
        return ""
    return "\n# Conclusions so far\n\n" + "\n".join(f"- {line}" for line in state.conclusions) + "\n"


FATES = {
    Track.OPTIMISE: "both are then written anew by fixed rules",
    Track.WRITE: "both are then empty, and later steps write them",
}
"""What becomes of layers that are given up."""


def form_text(layer: Layer, task: Task) -> str:
    """Say in which form a new layer is written."""
    match layer:
        case Layer.TEXT:
            return render("leka_form_text", {})
        case Layer.COMPUTE:
            return render("leka_form_compute", {"fate": FATES[task.track]})
        case Layer.SCHEDULE | Layer.MEMORY:
            return render(f"leka_form_{layer}", {"target": task.target})


def layer_grammar(ground: Ground, layer: Layer, style: Style) -> str | None:
    """Give the grammar that a new layer must follow; None for free text."""
    if not style.grammar:
        return None
    target = ground.task.target
    signature = ground.task.signature or None
    match layer:
        case Layer.TEXT:
            return gbnf(signature, (target,))
        case Layer.COMPUTE:
            return gbnf(signature, (target,), start="compute")
        case Layer.SCHEDULE | Layer.MEMORY:
            return gbnf(signature, (target,), start=f"{layer}_{target}")
