"""The path of an agent, as the walker shows it: what was tried, what came of it, which layer gets credit."""

from edgekernelbench.records.trajectories import Trajectory
from edgekernelbench.records.trajectory import ChatCall, End, LeftRecord, Said, Step, TextCall
from edgekernelbench.reports.page.shown import shown

MOST_WORDS = 4_000
MOST_DIFF = 12_000


def walk_of(trajectory: Trajectory) -> dict[str, object]:
    """Give a trajectory as plain values; what is not known is left out.

    Args:
        trajectory: One attempt, step by step.
    """
    ours = trajectory.head.extra.ekb
    return {
        "agent": trajectory.head.agent.name,
        "limits": _left(ours.budget),
        "steps": [_step(step, trajectory) for step in trajectory.steps],
        "end": None if trajectory.end is None else _end(trajectory.end),
    }


def gains_of(trajectory: Trajectory) -> dict[str, float]:
    """Give the product of the accepted gains of each layer; empty when the attempt was cut off."""
    return {} if trajectory.end is None else dict(trajectory.end.final_metrics.extra.ekb.gains)


def curve_of(trajectory: Trajectory) -> list[list[float]]:
    """Give how the best speed grew: submissions and ratio to the reference, where it changed."""
    points: list[list[float]] = []
    for step in trajectory.steps:
        ours = step.extra.ekb
        if ours.best is not None and (not points or ours.best > points[-1][1]):
            points.append([ours.budget.submissions, _short(ours.best)])
    return points


def _step(step: Step, trajectory: Trajectory) -> dict[str, object]:
    ours = step.extra.ekb
    fields: dict[str, object] = {
        "id": step.step_id,
        "phase": ours.phase,
        "step": ours.step,
        "candidate": ours.candidate,
        "parent": ours.parent,
        "layer": ours.layer,
        "message": shown(step.message, MOST_WORDS),
        "stage": ours.stage,
        "error": shown(ours.error, MOST_WORDS) or None,
        "setting": dict(ours.setting) or None,
        "diff": shown(ours.diff, MOST_DIFF) or None,
        "text": None if ours.parent is not None or ours.text is None else _text(ours.text, trajectory),
        "time_ns": ours.time_ns,
        "ratio": ours.ratio,
        "gain": ours.gain,
        "attributed": ours.attributed,
        "authors": list(ours.authors) or None,
        "conclusions": [shown(line, MOST_WORDS) for line in ours.conclusions] or None,
        "best": ours.best,
        "used": ours.budget.submissions,
        "tokens": ours.budget.tokens,
        "left": _left(ours.budget.left),
        "calls": [_call(call) for call in ours.calls] or None,
    }
    if ours.plan is not None:
        fields["plan"] = {
            name: shown(value, MOST_WORDS) if isinstance(value, str) else value
            for name, value in ours.plan.model_dump().items()
        }
    if ours.report is not None:
        report = ours.report
        fields["report"] = {
            "flops": report.flops,
            "bytes": report.bytes_moved,
            "bound_ns": report.bound_ns,
            "bound_class": report.bound_class,
            "findings": [
                [f.layer, f.bottleneck, f.message, f.directive, _short(f.share)] for f in report.findings
            ],
        }
    return {name: value for name, value in fields.items() if value is not None}


def _text(said: Said, trajectory: Trajectory) -> str:
    return shown(trajectory.text(said), MOST_DIFF)


def _call(call: ChatCall | TextCall) -> dict[str, object]:
    match call:
        case ChatCall():
            tokens = [call.input_tokens, call.output_tokens]
            return {"door": "chat", "reply": shown(call.reply, MOST_WORDS), "tokens": tokens}
        case TextCall():
            return {"door": call.door, "reply": shown(call.reply, MOST_WORDS), "correct": call.correct}


def _end(end: End) -> dict[str, object]:
    ours = end.final_metrics.extra.ekb
    return {
        "reason": ours.reason,
        "authors": list(ours.authors),
        "best": ours.best,
        "submissions": ours.submissions,
        "calls": ours.calls,
        "gains": {layer: _short(gain) for layer, gain in ours.gains.items()},
    }


def _left(left: LeftRecord) -> dict[str, object]:
    return {name: value for name, value in left.model_dump().items() if value is not None}


def _short(value: float) -> float:
    return float(f"{value:.5g}")
