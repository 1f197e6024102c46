"""From a judgement to what an agent may hear of it."""

from collections.abc import Iterable
from typing import assert_never

from edgekernelbench.agents.protocol import Feedback
from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import EkbError
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Unjudged, Wrong

BASELINE = "default"
NS_PER_MS = 1_000_000


class NothingLearnt(EkbError):  # noqa: N818 - the lack of an answer is the news
    """A submission could not be judged: the attempt is made again when the run is resumed."""


def feedback_of(
    judgement: Judgement, source: str, *, public: bool, inputs: str = "the public inputs"
) -> Feedback:
    """Say what an agent may know of a judgement.

    Args:
        judgement: The judgement.
        source: The text that was judged, for quoting.
        public: Whether it was judged on inputs that anybody may see: then wrong elements are shown.
        inputs: What those inputs are called.

    Returns:
        The feedback, without what is left of a budget.

    Raises:
        NothingLearnt: When there is no outcome.
    """
    match judgement.outcome:
        case Rejected(diagnostics=diagnostics):
            text = "refused:\n" + render_all(diagnostics, source)
            return Feedback(text, accepted=False, codes=tuple(d.code for d in diagnostics))
        case Crashed(phase=phase, timed_out=timed_out, detail=detail):
            how = "was stopped at its deadline" if timed_out else "crashed"
            tail = f":\n{detail}" if detail else ""
            return Feedback(f"the kernel {how} ({phase}){tail}", accepted=True, correct=False)
        case Wrong() as wrong:
            return Feedback(_wrong_text(wrong, public=public), accepted=True, correct=False)
        case Correct() as correct:
            return _correct(correct, judgement, f"on {inputs}" if public else "")
        case Unjudged(cause=cause, detail=detail):
            raise NothingLearnt(f"{cause}: {detail}")
        case _:
            assert_never(judgement.outcome)


def render_all(diagnostics: Iterable[Diagnostic], source: str) -> str:
    """Show diagnostics with their lines, one after another."""
    return "\n".join(d.render(source, "kernel") for d in diagnostics)


def _wrong_text(wrong: Wrong, *, public: bool) -> str:
    head = f"wrong ({wrong.fault}): {wrong.output}, {wrong.mismatched} elements, {wrong.inputs} inputs"
    return f"{head}\n{wrong.detail}" if public else head


def _correct(correct: Correct, judgement: Judgement, where: str) -> Feedback:
    if not correct.rings:
        return Feedback(f"correct {where}".strip() + _cost_text(judgement), accepted=True, correct=True)
    ring = correct.rings[-1]
    beside = next(s for s in ring.baselines if s.name == BASELINE)
    ratio = beside.per_run / ring.kernel.per_run
    text = (
        f"correct; {ring.kernel.per_run / NS_PER_MS:.4f} ms a run, {ratio:.2f} times as fast as the "
        f"{BASELINE} baseline ({beside.per_run / NS_PER_MS:.4f} ms)"
    )
    time = Nanoseconds(round(ring.kernel.per_run))
    return Feedback(text + _cost_text(judgement), accepted=True, correct=True, time=time, ratio=ratio)


def _cost_text(judgement: Judgement) -> str:
    cost = judgement.cost
    if cost is None or judgement.control is not None:  # nobody plans the memory of plain C
        return ""
    scopes = ", ".join(f"{scope} {size:,} B" for scope, size in cost.workspace_bytes.items() if size)
    return f"\nworkspace: {scopes or 'none'}"
