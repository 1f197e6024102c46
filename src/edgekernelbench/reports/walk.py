"""A trajectory as text: an overview of a line a step, and one step in full."""

import textwrap

from edgekernelbench.records.trajectories import Trajectory
from edgekernelbench.records.trajectory import ChatCall, Step, StepExtra
from edgekernelbench.reports.text import columns, counted

WIDTH = 100
NS_PER_MS = 1_000_000
HEADS = ["line", "step", "phase", "layer", "stage", "of", "ratio", "gain", "best", "left", "what"]
RIGHT = frozenset({0, 1, 5, 6, 7, 8, 9})
WHAT_CHARS = 48


def overview_lines(trajectory: Trajectory) -> list[str]:
    """Write a trajectory as a table: what was tried, how far it came, what it brought.

    Args:
        trajectory: The record.
    """
    head = trajectory.head
    ours = head.extra.ekb
    who = head.agent.name + (f" ({head.agent.model_name})" if head.agent.model_name else "")
    lines = [f"{who} on {ours.workload}, {ours.track}, {ours.profile}", ""]
    rows = [HEADS, *(_row(step) for step in trajectory.steps)]
    lines += columns(rows, right=RIGHT)
    return [*lines, "", *end_lines(trajectory)]


def end_lines(trajectory: Trajectory) -> list[str]:
    """Say how an attempt ended: why, whose text, what each layer brought."""
    if trajectory.end is None:
        return ["the file was cut off: the attempt was not finished"]
    metrics = trajectory.end.final_metrics
    ours = metrics.extra.ekb
    tokens = metrics.total_prompt_tokens + metrics.total_completion_tokens
    used = _used(ours.submissions, ours.calls, tokens)
    lines = [f"ended: {ours.reason}; {used}"]
    if ours.answer is None:
        return [*lines, "no text was handed in"]
    speed = "" if ours.best is None else f", {ours.best:.3f} times the default baseline"
    lines.append(f"the answer is the text of {' and '.join(ours.authors) or 'nobody'}{speed}")
    if ours.gains:
        gains = ", ".join(f"{layer} {gain:.3f}" for layer, gain in ours.gains.items())
        lines.append(f"gains by layer, on the way from the start to the answer: {gains}")
    return lines


def step_lines(trajectory: Trajectory, number: int, *, prompts: bool = False) -> list[str]:
    """Write one line of a trajectory in full.

    Args:
        trajectory: The record.
        number: Which line, from 1.
        prompts: Whether to show what the model was asked, too.
    """
    step = trajectory.steps[number - 1]
    ours = step.extra.ekb
    lines = [f"line {number} of {len(trajectory.steps)}: {_title(ours)}", step.message.split("\n", 1)[0], ""]
    lines += _plan_lines(ours)
    for call in ours.calls:
        if isinstance(call, ChatCall):
            lines += _chat_lines(trajectory, call, prompts=prompts)
    if ours.report is not None:
        lines += _report_lines(ours)
    if ours.diff:
        lines += ["the difference to the parent:", *_indented(ours.diff), ""]
    elif ours.text is not None:
        lines += ["the text:", *_indented(trajectory.text(ours.text)), ""]
    if ours.error:
        lines += ["refused:" if ours.candidate is None else "noted:", *_indented(ours.error), ""]
    lines += _outcome_lines(ours)
    return lines


def _row(step: Step) -> list[str]:
    ours = step.extra.ekb
    left = ours.budget.left.submissions
    what = ours.plan.move if ours.plan is not None else step.message.split("\n", 1)[0]
    setting = ", ".join(f"{name}={value}" for name, value in ours.setting.items())
    shown = f"{what} [{setting}]" if setting else what
    return [
        str(step.step_id),
        str(ours.step),
        ours.phase,
        ours.layer or "",
        ours.stage,
        "" if ours.parent is None else str(ours.parent),
        _figure(ours.ratio),
        _figure(ours.gain),
        _figure(ours.best),
        "" if left is None else str(left),
        shown if len(shown) <= WHAT_CHARS else shown[: WHAT_CHARS - 3] + "...",
    ]


def _title(ours: StepExtra) -> str:
    parent = "" if ours.parent is None else f", from candidate {ours.parent}"
    candidate = "" if ours.candidate is None else f", candidate {ours.candidate}"
    return f"step {ours.step}, {ours.phase}{parent}{candidate}: {ours.stage}"


def _plan_lines(ours: StepExtra) -> list[str]:
    if ours.plan is None:
        return []
    plan = ours.plan
    head = f"plan of the {plan.author}: {plan.layer}, against {plan.bottleneck}, {plan.move}"
    return [head, *_wrapped(f"{plan.change} (hoped for {plan.expected:.2f} times)"), ""]


def _chat_lines(trajectory: Trajectory, call: ChatCall, *, prompts: bool) -> list[str]:
    lines = []
    if prompts:
        for message in call.messages:
            lines += [f"[{message.role}]", *_indented(trajectory.text(message.content))]
    tokens = f"{call.input_tokens:,} tokens in, {call.output_tokens:,} out"
    return [*lines, f"[the model answered; {tokens}]", *_indented(call.reply), ""]


def _report_lines(ours: StepExtra) -> list[str]:
    report = ours.report
    if report is None:
        return []
    bound = "" if report.bound_ns is None else f", at least {report.bound_ns / NS_PER_MS:.4f} ms"
    head = f"static feedback: {report.flops:,} operations, {report.bytes_moved:,} bytes"
    lines = [f"{head}; bound by {report.bound_class}{bound}"]
    for finding in report.findings:
        where = f" {finding.directive}:" if finding.directive else ""
        lines += _wrapped(f"- {finding.layer}, {finding.bottleneck}:{where} {finding.message}")
    return [*lines, ""]


def _outcome_lines(ours: StepExtra) -> list[str]:
    lines = []
    if ours.time_ns is not None and ours.ratio is not None:
        gain = "" if ours.gain is None else f", {ours.gain:.3f} times its parent"
        lines.append(
            f"measured: {ours.time_ns / NS_PER_MS:.4f} ms, {ours.ratio:.3f} times the baseline{gain}"
        )
    if ours.attributed is not None:
        lines.append(f"the gain belongs to: {ours.attributed}")
    if ours.hashes:
        lines.append("layers: " + ", ".join(f"{layer} {digest}" for layer, digest in ours.hashes.items()))
    if ours.authors:
        lines.append(f"text of: {', '.join(ours.authors)}")
    if ours.conclusions:
        lines += ["conclusions:", *(line for said in ours.conclusions for line in _wrapped(f"- {said}"))]
    budget = ours.budget
    return [*lines, f"used: {_used(budget.submissions, budget.calls, budget.tokens)}"]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.rstrip("\n").split("\n")]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _used(submissions: int, calls: int, tokens: int) -> str:
    return f"{counted(submissions, 'submission')}, {counted(calls, 'call')}, {tokens:,} tokens"
