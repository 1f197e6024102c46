"""One worker at one exam: its sheets, its request, and what its end means."""

import errno
import math
import secrets
import shutil
import signal
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.span import Span
from edgekernelbench.compiler.arrays import ALIGNMENT
from edgekernelbench.evaluator.exam import Exam, Paper
from edgekernelbench.evaluator.hands import Hand, Hands
from edgekernelbench.evaluator.marking import Mark, mark_sheet
from edgekernelbench.evaluator.messages import Ended, Limits
from edgekernelbench.evaluator.ring import Pace, Timed, TimingPlan
from edgekernelbench.evaluator.server import EXIT_BROKEN
from edgekernelbench.evaluator.sheets import Form, Layout, Sheet, plan_layout, stored_form
from edgekernelbench.records.outcome import Cause, Crashed, Phase, Rejected, Unjudged
from edgekernelbench.records.schema import storable

POOL = "pool"
"""File of the inputs that have no sheet, one after another."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a worker is to do.

    Attributes:
        role: Which worker.
        fields: What it is told besides the sheets.
        param_forms: Type and shape in which it takes each parameter.
        const: Whether each parameter is constant: not rotated when timed.
        limits: What it may use.
        cache_bytes: What buffers must exceed when they are rotated.
    """

    role: str
    fields: Mapping[str, object]
    param_forms: tuple[Form, ...]
    const: tuple[bool, ...]
    limits: Limits
    cache_bytes: int


class Trial:
    """A worker with its sheets; closing it leaves nothing behind."""

    def __init__(
        self, supervisor: Hands, assignment: Assignment, exam: Exam, timing: TimingPlan | None
    ) -> None:
        """Lay out the sheets and start the worker.

        Raises:
            OSError: When there is no room for the sheets.
            ServerLost: When no worker can be started.
        """
        self._canary = secrets.token_bytes(ALIGNMENT)
        self._papers = list(exam.papers)
        self._timed = _timed_papers(exam) if timing is not None else []
        self._sheets: list[Sheet] = []
        with ExitStack() as stack:
            folder = supervisor.folder()
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            files = self._lay_out(folder, plan_layout(assignment.param_forms, exam.output_forms), stack)
            request = {
                **assignment.fields,
                "run_s": assignment.limits.run_s,
                "sheets": files[: len(self._papers)],
                "timing": None
                if timing is None or not self._timed
                else {
                    **_timed_files(files[len(self._papers) :], exam, folder),
                    "const": list(assignment.const),
                    "batch_ns": timing.batch_ns,
                    "cache_bytes": assignment.cache_bytes,
                },
            }
            worker = supervisor.start(assignment.role, request, folder=folder, limits=assignment.limits)
            self.worker: Hand = stack.enter_context(worker)
            self._stack = stack.pop_all()

    def _lay_out(self, folder: Path, layout: Layout, stack: ExitStack) -> list[dict[str, object]]:
        papers = [*self._papers, *self._timed]
        files: list[dict[str, object]] = []
        for number, paper in enumerate(papers):
            name = f"sheet{number}"
            sheet = Sheet.create(folder / name, layout, paper.inputs, self._canary)
            self._sheets.append(stack.enter_context(sheet))
            files.append({"file": name, "layout": layout.to_json()})
        return files

    def marks(self) -> list[Mark]:
        """Judge the sheets on which correctness is shown; the worker is dead or waits for the token."""
        pairs = zip(self._sheets, self._papers, strict=False)
        return [mark_sheet(sheet, paper, self._canary) for sheet, paper in pairs]

    def timed_marks(self) -> list[Mark]:
        """Judge what the timed runs left, of the first and of the last set of buffers.

        Of a kernel whose runs have inputs of their own, it is what is left of those with known answers: of
        the first run, and of the one that differs most; sheets that no run came to are passed over.
        """
        pairs = list(zip(self._sheets[len(self._papers) :], self._timed, strict=True))
        if len(pairs) > 1:
            pairs = [(sheet, paper) for sheet, paper in pairs if not _is_blank(sheet)] or pairs
        return [mark_sheet(sheet, paper, self._canary) for sheet, paper in pairs]

    def timed(self, name: str, patience_s: float, pace: Pace | None = None) -> Timed:
        """Give the worker as one that takes part in a ring."""
        return Timed(name, self.worker, patience_s, pace)

    def close(self) -> None:
        """End the worker and remove its folder."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _timed_papers(exam: Exam) -> list[Paper]:
    if exam.fresh is not None:
        return list(exam.fresh.checked)
    return [] if exam.timed is None else [exam.timed]


def _timed_files(files: list[dict[str, object]], exam: Exam, folder: Path) -> dict[str, object]:
    """Say which sheets are timed, and put down the inputs that have no sheets."""
    if exam.fresh is None:
        return {"sheet": files[-1]}
    with (folder / POOL).open("wb") as pool:
        for inputs in exam.fresh.others:
            for param, array in zip(exam.kernel.params, inputs, strict=True):
                if not param.const:
                    pool.write(stored_form(param.dtype, array).tobytes())
    return {"checked": files, "pool": {"file": POOL, "count": len(exam.fresh.others)}}


def _is_blank(sheet: Sheet) -> bool:
    """Whether nothing was written to the outputs of a sheet since it was laid out."""
    sizes = ((number, slot.shape) for number, slot in enumerate(sheet.layout.first))
    return all(sheet.unwritten(number) == math.prod(shape) for number, shape in sizes)


def refusal(reply: Mapping[str, Any] | None) -> Rejected | None:
    """Give what a worker found wrong with a text that only it could read; None when it found nothing."""
    if reply is None or "rejected" not in reply:
        return None
    rows: list[dict[str, Any]] = reply["rejected"]
    return Rejected(
        tuple(
            Diagnostic(
                code=str(row["code"]),
                message=storable(str(row["message"])),
                span=Span(**row["span"]),
                hint=None if row["hint"] is None else storable(str(row["hint"])),
            )
            for row in rows
        )
    )


def excuse(reply: Mapping[str, Any] | None) -> Crashed | Unjudged | None:
    """Say what a worker gave as the reason why it stopped; None when it gave none."""
    if reply is None:
        return None
    if "refused" in reply:
        return Crashed(Phase.COMPILE, None, timed_out=False, detail=storable(str(reply["refused"])))
    if "faulted" in reply:
        phase = Phase(reply.get("phase", Phase.RUN))
        detail = storable(str(reply["faulted"]))
        return Crashed(phase, reply.get("signal"), timed_out=False, detail=detail)
    if "missing" in reply:
        return Unjudged(Cause.DEVICE, storable(str(reply["missing"])))
    if "full" in reply:
        return Unjudged(Cause.DISK, storable(str(reply["full"])))
    return None


def post_mortem(worker: Hand, ended: Ended) -> Crashed | Unjudged:
    """Say what the end of a worker without a proper reply means.

    Args:
        worker: The worker.
        ended: How it ended.

    Returns:
        A crash, in the phase in which it died; `Unjudged` when it died before it saw the kernel, or of an
        error in the judge's own code.
    """
    phase, tail = worker.phase(), storable(worker.stderr_tail())
    if phase is Phase.START and not ended.timed_out:
        return Unjudged(Cause.WORKER, tail or "the worker ended before it began")
    timed_out = ended.timed_out or ended.signal in (signal.SIGALRM, signal.SIGXCPU)
    if timed_out:
        return Crashed(phase, ended.signal, timed_out=True, detail=tail)
    if ended.signal == signal.SIGKILL:
        detail = tail or "killed by the system, which does so when memory runs out"
        return Crashed(phase, ended.signal, timed_out=False, detail=detail)
    ours = ended.exit_code == EXIT_BROKEN and phase is not Phase.COMPILE and "MemoryError" not in tail
    if ours:
        return Unjudged(Cause.WORKER, tail)
    detail = tail or "the worker ended without a reply"
    return Crashed(phase, ended.signal, timed_out=False, detail=detail)


def last_words(tail: str) -> str:
    """Give the line that names the error at the end of a traceback; empty when there is none."""
    lines = tail.rstrip().splitlines()
    frames = [n for n, line in enumerate(lines) if line.startswith('  File "')]
    after = lines[frames[-1] + 1 :] if frames else lines[-1:]
    return next((line.strip() for line in after if line and not line.startswith(" ")), "")


def out_of_room(error: OSError) -> bool:
    """Whether an error says that a disk, or the memory that holds scratch folders, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
