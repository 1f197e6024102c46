"""What a worker does with a text in plain C: build it, and order about the processes that run it.

Nothing of the text runs in this process. It is trusted as the judge is: it holds the clock and the inputs
that are still to come, writes them where the stranger's process finds them, and reads what that left.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import SourceError
from edgekernelbench.compiler.arrays import stored_type
from edgekernelbench.compiler.control.build import Built, build_runner
from edgekernelbench.compiler.control.prototype import Prototype
from edgekernelbench.evaluator.control.arena import Arena
from edgekernelbench.evaluator.control.process import Stranger, StrangerLost
from edgekernelbench.evaluator.control.rounds import Draw, Rounds
from edgekernelbench.evaluator.desk import Desk, serve_tokens
from edgekernelbench.evaluator.server import Role
from edgekernelbench.evaluator.sheets import Sheet, Slot
from edgekernelbench.records.outcome import Phase

Array = NDArray[np.generic]


def control_role(work_at: Callable[[Path, Callable[[Desk], None]], None]) -> Role:
    """Make the role.

    Args:
        work_at: Runs work at the desk of a folder, and reports what every worker reports.
    """

    def role(folder: Path) -> None:
        work_at(folder, _work)

    return role


def _work(desk: Desk) -> None:
    request = desk.request
    asked = Prototype(**request["prototype"])
    try:
        with desk.phase(Phase.COMPILE):
            built = build_runner(request["text"], asked, desk.folder)
    except SourceError as error:
        desk.reply(rejected=[asdict(d) for d in error.diagnostics])
        return
    report: dict[str, Any] = {"code_bytes": built.code_bytes, "workspace_bytes": {}}
    told = {"compiler": built.compiler, "flags": list(built.flags)}
    try:
        with desk.running():
            for sheet in desk.sheets():
                _run_sheet(built, sheet, asked.pointers, request["threads"])
        if request["timing"] is not None:
            _time(desk, built, asked.pointers, report=report, told=told)
    except StrangerLost as lost:
        phase = (desk.folder / "phase").read_text(encoding="ascii")
        desk.reply(faulted=lost.detail, phase=phase, signal=lost.signal)
        return
    desk.reply(cost=report, built=told)


def _run_sheet(built: Built, sheet: Sheet, pointers: int, threads: int) -> None:
    """Run twice on one input set, in a process that sees no other."""
    layout = sheet.layout
    handle = os.open(sheet.path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        with Stranger(built.program, handle, layout.size, pointers, threads) as stranger:
            for outputs in (layout.first, layout.again):
                stranger.call([[slot.offset for slot in (*layout.params, *outputs)]])
    finally:
        os.close(handle)


def _time(desk: Desk, built: Built, pointers: int, *, report: dict[str, Any], told: dict[str, Any]) -> None:
    fields = desk.request["timing"]
    const: list[bool] = fields["const"]
    sheets = desk.checked_sheets()
    layout = sheets[0].layout
    draws = list(_draws(desk.folder / fields["pool"]["file"], fields["pool"]["count"], sheets, const))
    moving = [slot for slot, c in zip(layout.params, const, strict=True) if not c]
    rounds = Rounds(
        draws,
        lambda calls: Arena(layout.params, layout.first, const, calls),
        lambda arena: Stranger(built.program, arena.handle, arena.size, pointers, desk.request["threads"]),
        set_bytes=sum(slot.nbytes for slot in (*moving, *layout.first)),
        cache_bytes=fields["cache_bytes"],
        distance=partial(_distance, layout.first),
    )

    def leave() -> int | None:
        for number, kept in rounds.kept.items():
            sheet = sheets[number]
            for slots, outputs in ((sheet.layout.first, kept.first), (sheet.layout.again, kept.farthest)):
                for array, output in zip(sheet.arrays(slots), outputs, strict=True):
                    array[...] = output.view(array.dtype).reshape(array.shape)
        return None

    serve_tokens(desk, rounds, cost=report, leave=leave, more=lambda: {"built": told, "fault": rounds.fault})


def _draws(pool: Path, count: int, sheets: Sequence[Sheet], const: Sequence[bool]) -> Iterator[Draw]:
    """Give the inputs with known answers, then the others: the weights are those of the first throughout."""
    slots = sheets[0].layout.params
    weights = sheets[0].arrays(slots)
    for number, sheet in enumerate(sheets):
        yield Draw(tuple(sheet.arrays(sheet.layout.params)), number)
    data = np.fromfile(pool, np.uint8)
    at = 0
    for _ in range(count):
        params: list[Array] = []
        for slot, weight, is_const in zip(slots, weights, const, strict=True):
            if is_const:
                params.append(weight)
                continue
            piece = data[at : at + slot.nbytes]
            params.append(piece.view(stored_type(slot.dtype)).reshape(slot.shape))
            at += slot.nbytes
        yield Draw(tuple(params))


def _distance(slots: Sequence[Slot], one: Sequence[Array], other: Sequence[Array]) -> float:
    """Give the largest difference of two sets of outputs; infinite where only one is a NaN."""
    farthest = 0.0
    for slot, first, second in zip(slots, one, other, strict=True):
        a, b = (x.view(stored_type(slot.dtype)).astype(np.float64) for x in (first, second))
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return float("inf")
        with np.errstate(invalid="ignore", over="ignore"):
            differences = np.abs(a - b)
        differences = differences[~np.isnan(differences)]
        farthest = max(farthest, float(differences.max(initial=0.0)))
    return farthest
