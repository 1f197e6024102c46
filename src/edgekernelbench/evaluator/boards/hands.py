"""Workers of a board, which the judge treats as its own: sheets go there and come back whole.

A text is compiled here, by a worker of this machine, and only its parcel travels. What comes back of a sheet
is every byte of it, so the judge sees outputs, inputs and guards with its own eyes, as it does at home.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from edgekernelbench.evaluator.boards.line import Line
from edgekernelbench.evaluator.boards.parcels import Built, Parcels
from edgekernelbench.evaluator.boards.wire import BoardLost
from edgekernelbench.evaluator.hands import Hand
from edgekernelbench.evaluator.messages import Ended, Limits
from edgekernelbench.evaluator.ring import IDLE_S
from edgekernelbench.evaluator.supervisor import ServerLost, Supervisor
from edgekernelbench.records.outcome import Phase

ANSWER_S = 120.0
"""How long a board may take for what is no kernel's run."""


class BoardHands:
    """Starts workers on a board."""

    def __init__(self, line: Line, here: Supervisor, parcels: Parcels | None = None) -> None:
        """Take a session and a fork server of this machine that compiles.

        Args:
            line: The session.
            here: Makes folders and compiles.
            parcels: What was compiled, shared with other boards of the kind; None shares nothing.
        """
        self._line = line
        self._here = here
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
        built = self._parcels.get(request, self._here, limits)
        if not isinstance(built, Built):
            return built
        for name, data in built.files.items():
            (folder / name).write_bytes(data)
        number = int(self._line.ask({"do": "folder"}, limits.deadline_s)["folder"])
        timing = request.get("timing")
        worker = BoardWorker(self._line, number, folder, _sheets(request), limits, built)
        with ExitStack() as stack:
            stack.enter_context(worker)
            for name in (*built.files, *worker.sheet_names()):
                self._line.put(folder / name, f"{number}/{name}")
            told = {"profile": request["profile"], "run_s": request["run_s"], "sheets": request["sheets"]}
            order = {"do": "start", "folder": number, "role": "carried", "limits": asdict(limits)}
            self._line.ask({**order, "request": {**told, "timing": timing}}, limits.deadline_s)
            stack.pop_all()
        return worker


def _sheets(request: Mapping[str, object]) -> list[dict[str, Any]]:
    sheets: Any = request["sheets"]
    timing: Any = request.get("timing")
    return [*sheets, *([timing["sheet"]] if timing is not None else [])]


class BoardWorker:
    """A worker on a board, seen from the judge."""

    def __init__(
        self,
        line: Line,
        number: int,
        folder: Path,
        sheets: list[dict[str, Any]],
        limits: Limits,
        built: Built,
    ) -> None:
        self._line = line
        self._number = number
        self._folder = folder
        self._sheets = sheets
        self._built = built
        self._patience_s = limits.deadline_s
        self._ended: Ended | None = None
        self._look: dict[str, Any] | None = None

    @property
    def ended(self) -> Ended | None:
        """How it ended; None while it is known to be alive."""
        return self._ended

    def sheet_names(self) -> Iterator[str]:
        """Name the files of its sheets."""
        for sheet in self._sheets:
            yield str(sheet["file"])

    def extend(self, seconds: float) -> None:
        """Give it a new deadline, counted from now."""
        self._patience_s = seconds
        if self._ended is None:
            self._line.ask({"do": "extend", "worker": self._number, "patience_s": seconds})

    def wait(self) -> Ended:
        """Wait until it has ended, and fetch its sheets."""
        if self._ended is None:
            self._note_end(self._line.ask({"do": "wait", "worker": self._number}, self._patience_s))
            self._fetch(self._sheets)
        if self._ended is None:
            raise ServerLost("the board did not say how a worker ended")
        return self._ended

    def pass_token(self, message: Mapping[str, object]) -> dict[str, Any] | None:
        """Let it work until it answers; what it wrote is then here."""
        if self._ended is not None:
            return None
        # Who was idle may be so for an hour; an answer is wanted sooner.
        patience = self._patience_s if self._patience_s < IDLE_S else ANSWER_S
        order = {"do": "token", "worker": self._number, "message": message, "patience_s": patience}
        answer = self._line.ask(order, patience)
        self._note_end(answer)
        found: dict[str, Any] | None = answer["answer"]
        if found is not None and message.get("do") == "report":
            self._fetch(self._sheets[:-1])
            found = self._with_cost(found)
        elif found is not None and message.get("do") == "outputs":
            self._fetch(self._sheets[-1:])
        return found

    def _with_cost(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Say of compiling what was seen here."""
        return {
            **answer,
            "cost": self._built.cost,
            "spent": {**answer["spent"], str(Phase.COMPILE): self._built.compile_ns},
        }

    def _fetch(self, sheets: list[dict[str, Any]]) -> None:
        for sheet in sheets:
            name, size = str(sheet["file"]), int(sheet["layout"]["size"])
            self._line.get(f"{self._number}/{name}", self._folder / name, size)

    def _note_end(self, answer: Mapping[str, Any]) -> None:
        if answer["ended"] is not None:
            self._ended = Ended(**answer["ended"])

    def kill(self) -> None:
        """End it now."""
        self._line.ask({"do": "kill", "worker": self._number})

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
        if self._look is None or self._ended is None:
            self._look = self._line.ask({"do": "look", "worker": self._number})
        return self._look

    def close(self) -> None:
        """End it if it is alive, and remove its folders on both machines."""
        try:
            if not self._line.lost:
                self._line.ask({"do": "close", "folder": self._number}, ANSWER_S)
        except BoardLost:
            pass  # with the session everything ended that it had begun
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
