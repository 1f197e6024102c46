"""Workers of a board, which the judge treats as its own: sheets go there and come back whole.

A text is compiled here, by a worker of this machine, and only its parcel travels. What comes back of a sheet
is every byte of it, so the judge sees outputs, inputs and guards with its own eyes, as it does at home.
"""

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from edgekernelbench.evaluator.boards.cargo import Cargo, Shipment
from edgekernelbench.evaluator.boards.line import Line
from edgekernelbench.evaluator.boards.parcels import Built, Parcels
from edgekernelbench.evaluator.boards.pieces import cut, cut_sheet
from edgekernelbench.evaluator.boards.wire import Fields
from edgekernelbench.evaluator.hands import Hand
from edgekernelbench.evaluator.messages import Ended, Limits
from edgekernelbench.evaluator.ring import IDLE_S
from edgekernelbench.evaluator.sheets import Layout
from edgekernelbench.evaluator.supervisor import ServerLost, Supervisor
from edgekernelbench.records.outcome import Phase

ANSWER_S = 120.0
"""How long a board may take for what is no kernel's run."""


class BoardHands:
    """Starts workers on a board."""

    def __init__(
        self, line: Line, here: Supervisor, parcels: Parcels | None = None, cores: Sequence[int] = ()
    ) -> None:
        """Take a session and a fork server of this machine that compiles.

        Args:
            line: The session.
            here: Makes folders and compiles.
            parcels: What was compiled, shared with other boards of the kind; None shares nothing.
            cores: Those of the board whose clocks and heat are read after each batch; empty reads none.
        """
        self._line = line
        self._cargo = Cargo(line)
        self._here = here
        self._cores = tuple(cores)
        self._parcels = parcels or Parcels()

    def folder(self) -> Path:
        """Make a folder on this machine; what is to travel is put there."""
        return self._here.folder()

    def start(self, role: str, request: Mapping[str, object], *, folder: Path, limits: Limits) -> Hand:
        """Compile here and start there.

        Args:
            role: `kernel`; a board knows no other.
            request: What the worker is told.
            folder: Its folder here, with its sheets.
            limits: What it may use.

        Returns:
            The worker on the board; where the text could not be compiled, the one that tried.

        Raises:
            ServerLost: When no worker can be started here, or the board is lost.
            PrerequisiteError: When something is missing, here or there.
        """
        if role != "kernel":
            raise ServerLost(f"expected a kernel for a board, found the role {role!r}")
        sheets = {str(s["file"]): cut_sheet(Layout.from_json(s["layout"])) for s in _sheets(request)}
        shipment = Shipment(self._cargo, folder)
        with ExitStack() as stack:
            stack.callback(shipment.drop)
            with ThreadPoolExecutor(1) as beside:
                bringing = beside.submit(shipment.bring, sheets)  # while the text is compiled
                built = self._parcels.get(request, self._here, limits)
            if not isinstance(built, Built):
                return built
            bringing.result()
            for name, data in built.files.items():
                (folder / name).write_bytes(data)
            shipment.bring({name: cut(len(data)) for name, data in built.files.items()})
            told = {name: request.get(name) for name in ("profile", "run_s", "sheets", "timing")}
            order = {"do": "start", "folder": shipment.number, "role": "carried", "limits": asdict(limits)}
            self._line.ask({**order, "request": told}, limits.deadline_s)
            stack.pop_all()
        return BoardWorker(shipment, list(sheets), built, limits.deadline_s, self._cores)


def _sheets(request: Mapping[str, object]) -> list[dict[str, Any]]:
    sheets: Any = request["sheets"]
    timing: Any = request.get("timing")
    return [*sheets, *([timing["sheet"]] if timing is not None else [])]


class BoardWorker:
    """A worker on a board, seen from the judge."""

    def __init__(
        self, shipment: Shipment, sheets: Sequence[str], built: Built, deadline_s: float, cores: Sequence[int]
    ) -> None:
        self._line = shipment.line
        self._shipment = shipment
        self._sheets = list(sheets)
        self._built = built
        self._cores = list(cores)
        self._patience_s = deadline_s
        self._is_extended = False
        self._ended: Ended | None = None
        self._look: dict[str, Any] | None = None

    @property
    def ended(self) -> Ended | None:
        """How it ended; None while it is known to be alive."""
        return self._ended

    def extend(self, seconds: float) -> None:
        """Give it a new deadline: the board is told with the next thing that is asked of the worker."""
        self._patience_s = seconds
        self._is_extended = True

    def wait(self) -> Ended:
        """Wait until it has ended, and fetch its sheets."""
        if self._ended is None:
            more = self._patience_s if self._is_extended else None
            answer = self._ask({"do": "wait", "patience_s": more}, self._sheets)
            ended = self.ended
            if ended is None:
                raise ServerLost("the board did not say how a worker ended")
            if ended.exit_code == 0:
                self._shipment.fetch(answer["digests"])  # nobody reads the sheets of one that crashed
            return ended
        return self._ended

    def pass_token(self, message: Mapping[str, object]) -> dict[str, Any] | None:
        """Let it work until it answers; what it wrote is then here."""
        if self._ended is not None:
            return None
        # Who was idle may be so for an hour; an answer is wanted sooner.
        self._patience_s = self._patience_s if self._patience_s < IDLE_S else ANSWER_S
        shown = {"report": self._sheets[:-1], "outputs": self._sheets[-1:]}.get(str(message.get("do")), [])
        sense = self._cores if message.get("do") == "batch" else []
        order = {"do": "token", "message": message, "patience_s": self._patience_s, "sense": sense}
        answer = self._ask(order, shown)
        found: dict[str, Any] | None = answer["answer"]
        if found is None:
            return None
        self._shipment.fetch(answer["digests"])
        return self._with_cost(found) if message.get("do") == "report" else found

    def _ask(self, order: Fields, shown: Sequence[str]) -> Fields:
        """Ask for something that it may end with."""
        patience = self._patience_s + self._shipment.patience_s(shown)
        order = {**order, "worker": self._shipment.number, "show": self._shipment.show(shown)}
        answer = self._line.ask(order, patience)
        if answer["ended"] is not None:
            self._ended, self._look = Ended(**answer["ended"]), answer
        return answer

    def _with_cost(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Say of compiling what was seen here."""
        return {
            **answer,
            "cost": self._built.cost,
            "spent": {**answer["spent"], str(Phase.COMPILE): self._built.compile_ns},
        }

    def kill(self) -> None:
        """End it now."""
        self._line.ask({"do": "kill", "worker": self._shipment.number})

    def phase(self) -> Phase:
        """Say what it was doing last."""
        return Phase(self._looked()["phase"])

    def reply(self) -> dict[str, Any] | None:
        """Read its reply."""
        reply: dict[str, Any] | None = self._looked()["reply"]
        return self._with_cost(reply) if reply is not None and "cost" in reply else reply

    def stderr_tail(self) -> str:
        """Read the end of what it wrote to standard error."""
        return str(self._looked()["stderr"])

    def _looked(self) -> dict[str, Any]:
        """Give what was read when it ended, or what is there now."""
        return self._look or self._line.ask({"do": "look", "worker": self._shipment.number})

    def close(self) -> None:
        """End it if it is alive, and remove its folders on both machines."""
        try:
            self._shipment.drop()
        finally:
            shutil.rmtree(self._shipment.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
