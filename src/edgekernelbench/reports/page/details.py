"""What the page shows of one attempt when it is opened."""

import json
from collections.abc import Mapping
from typing import Any

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.attempt import Attempt
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Ring, Series, Wrong
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.page.layers import parts_of
from edgekernelbench.reports.page.rows import Known
from edgekernelbench.reports.page.shown import shown

MOST_REPLY = 8_000
MOST_DETAIL = 8_000
MOST_TEXT = 40_000


def detail_of(known: Known, folder: RunFolder, target: str) -> dict[str, object]:
    """Give everything that the records hold of an attempt, as plain values.

    Args:
        known: The attempt.
        folder: Its run.
        target: The device's target: whose blocks of the text are its layers.
    """
    found: dict[str, object] = {"id": known.id}
    digest = known.attempt.text if known.attempt else known.judgement.text if known.judgement else None
    if digest:
        found["text"] = text_of(folder, digest, target)
    if known.attempt is not None:
        found["ending"] = str(known.attempt.ending)
        found["note"] = shown(known.attempt.detail, MOST_DETAIL)
        found["usage"] = known.attempt.usage.model_dump()
        found["calls"] = _calls(known.attempt, folder)
    if known.judgement is not None:
        found |= _judged(known.judgement)
    return found


def text_of(folder: RunFolder, digest: str, target: str) -> dict[str, object]:
    """Give a stored kernel text with the lines of its layers."""
    source = _artifact(folder, digest)
    if source is None:
        return {"artifact": digest, "missing": True}
    parts = parts_of(source[:MOST_TEXT], target)
    return {
        "artifact": digest,
        "source": shown(source, MOST_TEXT),
        "parts": [[part.layer, part.first, part.last] for part in parts],
    }


def _artifact(folder: RunFolder, digest: str) -> str | None:
    try:
        return folder.artifact(digest)
    except RecordError:  # a folder that was sent without it still has its records
        return None


def _calls(attempt: Attempt, folder: RunFolder) -> list[dict[str, object]]:
    """List what the agent recorded: for a call of a model its answer; else where it is stored."""
    return [{"artifact": step, **_answer(_artifact(folder, step))} for step in attempt.steps]


def _answer(stored: str | None) -> dict[str, object]:
    match _decoded(stored):
        case {"reply": {"text": str(text), **rest}}:
            return {"reply": shown(text, MOST_REPLY), "model": str(rest.get("model", ""))}
        case _:
            return {}


def _decoded(stored: str | None) -> Any:
    try:
        return None if stored is None else json.loads(stored)
    except json.JSONDecodeError:
        return None


def _judged(judgement: Judgement) -> dict[str, object]:
    return {
        "compiler": judgement.compiler,
        "threads": judgement.threads,
        "flags": list(judgement.flags),
        "margins": [
            [m.inputs, m.output, _digits(m.elementwise), _digits(m.rms_ratio)] for m in judgement.margins
        ],
        "inputs": [[i.name, i.distribution, i.seed] for i in judgement.inputs],
        "cost": None if judgement.cost is None else judgement.cost.model_dump(),
        "beside": {name: cost.model_dump() for name, cost in judgement.baseline_costs.items()},
        "vendor": None if judgement.vendor is None else _vendor(judgement.vendor.model_dump()),
        "reference": None if judgement.reference is None else judgement.reference.model_dump(),
        "board": None if judgement.board is None else judgement.board.model_dump(),
        "sustained": [m.model_dump() for m in judgement.sustained or ()],
        "conditions": [c.model_dump() for c in judgement.conditions],
        "spent_ns": dict(judgement.spent_ns),
        **_outcome(judgement),
    }


def _vendor(fields: Mapping[str, Any]) -> dict[str, object]:
    return {**fields, "fallen": {k: shown(v, MOST_REPLY) for k, v in fields["fallen"].items()}}


def _outcome(judgement: Judgement) -> dict[str, object]:
    match judgement.outcome:
        case Rejected(diagnostics=diagnostics):
            return {"diagnostics": [_diagnostic(d) for d in diagnostics]}
        case Crashed(phase=phase, signal=signal, timed_out=timed_out, detail=detail):
            what: dict[str, object] = {"phase": str(phase), "signal": signal, "timed_out": timed_out}
            return {"crash": {**what, "detail": shown(detail, MOST_DETAIL)}}
        case Wrong() as wrong:
            return {
                "wrong": {
                    "fault": str(wrong.fault),
                    "output": wrong.output,
                    "inputs": wrong.inputs,
                    "mismatched": wrong.mismatched,
                    "worst": _digits(wrong.worst),
                    "detail": shown(wrong.detail, MOST_DETAIL),
                }
            }
        case Correct(rings=rings):
            return {"rings": [_ring(ring) for ring in rings]}
        case _:
            return {}


def _diagnostic(d: Diagnostic) -> dict[str, object]:
    return {
        "code": d.code,
        "severity": str(d.severity),
        "layer": str(d.layer),
        "message": shown(d.message, MOST_DETAIL),
        "hint": None if d.hint is None else shown(d.hint, MOST_DETAIL),
        "span": [d.span.line, d.span.column, d.span.end_line, d.span.end_column],
    }


def _ring(ring: Ring) -> list[list[object]]:
    return [_series(series) for series in (ring.kernel, *ring.baselines)]


def _series(series: Series) -> list[object]:
    return [series.name, series.runs, series.threads, list(series.samples)]


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
