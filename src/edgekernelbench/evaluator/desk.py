"""A worker's folder: what it was asked, and where its answers go."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from edgekernelbench.evaluator.messages import DONE, GO, PHASE, REPLY, REQUEST
from edgekernelbench.evaluator.sheets import Layout, Sheet
from edgekernelbench.evaluator.timing import Batch
from edgekernelbench.records.outcome import Phase


class Desk:
    """A worker's folder: what it was asked, and where its answers go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.request: dict[str, Any] = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
        self.spent: dict[str, int] = {}

    @contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Say what is being done, and note how long it took."""
        (self.folder / PHASE).write_text(phase, encoding="ascii")
        start = time.perf_counter_ns()
        yield
        self.spent[phase] = self.spent.get(phase, 0) + time.perf_counter_ns() - start

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the kernel, under an alarm that ends this process whatever the kernel does."""
        with self.phase(Phase.RUN):
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, self.request["run_s"])
            yield
            signal.setitimer(signal.ITIMER_REAL, 0)

    def reply(self, **fields: object) -> None:
        """Write the reply, whole or not at all."""
        text = json.dumps({"nonce": self.request["nonce"], "spent": self.spent, **fields})
        draft = self.folder / f"{REPLY}.draft"
        draft.write_text(text, encoding="utf-8")
        draft.replace(self.folder / REPLY)

    def tokens(self) -> Iterator[tuple[str, "Answer"]]:
        """Wait for the token, again and again; ends when it is told to."""
        for order, answer in self.orders():
            yield order["do"], answer

    def orders(self) -> Iterator[tuple[dict[str, Any], "Answer"]]:
        """Wait for orders with all that is said beside them; ends when it is told to."""
        with (self.folder / GO).open("rb") as go, (self.folder / DONE).open("wb", buffering=0) as done:
            for line in go:
                order: dict[str, Any] = json.loads(line)
                if order["do"] == "end":
                    return
                yield order, Answer(done.fileno())

    def sheets(self) -> list[Sheet]:
        """Map all input sets on which correctness is shown."""
        return [self._sheet(fields) for fields in self.request["sheets"]]

    def timed_sheet(self) -> Sheet:
        """Map the input set that is timed."""
        return self._sheet(self.request["timing"]["sheet"])

    def checked_sheets(self) -> list[Sheet]:
        """Map the sheets of timed runs that have inputs of their own, with known answers."""
        return [self._sheet(fields) for fields in self.request["timing"]["checked"]]

    def _sheet(self, fields: dict[str, Any]) -> Sheet:
        return Sheet(self.folder / fields["file"], Layout.from_json(fields["layout"]))


class Measuring(Protocol):
    """What measures in batches: `timing.Batches` says what each of these does."""

    runs: int

    def calibrate(self) -> int:
        """Warm up, and settle how long a batch is."""
        ...

    def batch(self) -> Batch:
        """Measure one batch."""
        ...


def serve_tokens(
    desk: "Desk",
    batches: Measuring,
    *,
    cost: Mapping[str, object],
    leave: Callable[[], int | None],
    more: Callable[[], Mapping[str, object]] = dict,
) -> None:
    """Do, token by token, what the judge orders of a worker that is timed.

    Args:
        desk: The worker's folder; its sheets for correctness are done.
        batches: Measures.
        cost: What to report of the artifact.
        leave: Puts the timed outputs into the timed sheet; gives the size of the machine code where that was
            asked for and is known only now.
        more: What else is said in a report and beside the outputs.
    """
    for order, answer in desk.tokens():
        match order:
            case "report":
                answer(cost=cost, spent=desk.spent, **more())
            case "calibrate":
                with desk.phase(Phase.TIME):
                    single = batches.calibrate()
                answer(runs=batches.runs, single_ns=single)
            case "batch":
                answer(**asdict(batches.batch()))
            case _:
                answer(left=True, code_bytes=leave(), **more())


class Answer:
    """Gives the token back."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __call__(self, **fields: object) -> None:
        """Answer with some fields."""
        data = json.dumps(fields).encode() + b"\n"
        while data:
            data = data[os.write(self._descriptor, data) :]
