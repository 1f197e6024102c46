"""A board as a place where kernels are run."""

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.rpc import ask_tracker
from edgekernelbench.evaluator.boards.address import BoardAddress
from edgekernelbench.evaluator.boards.admission import try_board
from edgekernelbench.evaluator.boards.hands import BoardHands
from edgekernelbench.evaluator.boards.line import CONNECT_S, Line, Traffic
from edgekernelbench.evaluator.boards.parcels import Parcels
from edgekernelbench.evaluator.boards.wire import BoardLost
from edgekernelbench.evaluator.environment import WORKER_COMMAND, host_room, worker_cores, worker_environment
from edgekernelbench.evaluator.hands import Hands
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.places import COMPILER, NOT_HELD, Servers
from edgekernelbench.evaluator.supervisor import ServerLost
from edgekernelbench.evaluator.telemetry import Reading
from edgekernelbench.profiles.profile import Profile, profile_from_json
from edgekernelbench.records.judgement import BoardRecord
from edgekernelbench.records.outcome import Cause, Crashed, Outcome, Phase, Unjudged

TRY_S = 60.0
"""How long compiling and running the kernel of the admission may take."""


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """What a board says of itself.

    Attributes:
        profile: What its device has, numbers of its own where the profile leaves them open.
        record: What judgements say of it.
        cores: Cores that its workers may use.
    """

    profile: Profile
    record: BoardRecord
    cores: tuple[int, ...]


class Board:
    """A board, ours alone until it is closed."""

    def __init__(
        self, address: BoardAddress, patience_s: float = CONNECT_S, parcels: Parcels | None = None
    ) -> None:
        """Wait for a board, and try a kernel on it.

        Args:
            address: Which kind, and where its tracker is.
            patience_s: How long to wait for one.
            parcels: What was compiled, shared with other boards of the kind; None shares nothing.

        Raises:
            PrerequisiteError: When none is registered, none is free in time, or kernels do not run on it.
            ServerLost: When it is lost meanwhile.
        """
        count_boards(address)
        try:
            self._line = Line(address, patience_s)
        except BoardLost as error:
            raise PrerequisiteError(
                f"no board {address.key} could be had from the tracker at {address.tracker} ({error})",
                "wait until one is free, or serve another one",
            ) from error
        with ExitStack() as stack:
            stack.callback(self._line.close)
            facts = _facts(self._line.ask({"do": "hello"}), address)
            self.profile = facts.profile
            self._record = facts.record
            self.cores = facts.cores
            environment = worker_environment(self.profile.threads)
            self._here = Servers(WORKER_COMMAND, environment, {COMPILER: "tvm"})
            stack.callback(self._here.close)
            self._hands = BoardHands(self._line, self._here.get(COMPILER), parcels, self.cores)
            self._admit(address)
            stack.pop_all()

    def _limits(self) -> Limits:
        room = self.profile.workspace_bytes + host_room(self.profile)
        cores = worker_cores(self.profile.threads)
        return Limits(deadline_s=TRY_S, memory_bytes=room, cpus=cores)

    def _admit(self, address: BoardAddress) -> None:
        wrong = try_board(self._hands, self.profile, self._limits())
        if wrong:
            raise PrerequisiteError(
                f"a small kernel does not run on the board {address.key}: {wrong}",
                "check that it is served with the profile of its device",
            )

    @property
    def lost(self) -> bool:
        """Whether it does not answer any more."""
        return self._line.lost

    def hands(self, name: str) -> Hands:
        """Give who starts workers on it; it has none but for kernels.

        Raises:
            PrerequisiteError: When another kind of worker is asked for.
        """
        if name != COMPILER:
            raise PrerequisiteError(f"a board has no {name}", "leave --vendor out")
        return self._hands

    def hold(self) -> AbstractContextManager[None]:
        """Hold nothing: the session has the board alone."""
        return NOT_HELD

    def recheck(self, outcome: Outcome | Unjudged) -> Outcome | Unjudged:
        """Run a small kernel after a crash: a board that runs none is no fault of a kernel."""
        if not isinstance(outcome, Crashed) or outcome.phase is Phase.COMPILE:
            return outcome
        try:
            wrong = try_board(self._hands, self.profile, self._limits())
        except ServerLost as error:
            wrong = str(error)
        if not wrong:
            return outcome
        return Unjudged(Cause.DEVICE, f"a kernel crashed, and after it the board runs none: {wrong}")

    def sense(self) -> Reading:
        """Read what it shows of clocks, heat and load.

        Raises:
            ServerLost: When the board is lost.
        """
        said, self._line.sensed = self._line.sensed, None  # once: what is read with a batch is of that moment
        if said is None:
            said = self._line.ask({"do": "telemetry", "cores": self.cores})
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in said.items()}
        return Reading(**plain)

    def record(self) -> BoardRecord | None:
        """Say which board it is."""
        return self._record

    @property
    def busy_ns(self) -> int:
        """How long it was asked something and had not answered yet."""
        return self._line.busy_ns

    @property
    def traffic(self) -> Traffic:
        """What went to it and came from it until now."""
        return replace(self._line.traffic)

    def pids(self) -> tuple[int, ...]:
        """Give the process ids of what compiles for it here."""
        return self._here.pids()

    def close(self) -> None:
        """Give the board back."""
        self._here.close()
        self._line.close()


def count_boards(address: BoardAddress) -> int:
    """Say how many boards of a kind are registered.

    Raises:
        PrerequisiteError: When there is no tracker, or it knows none of that kind.
    """
    known = ask_tracker(address.host, address.port)
    found = known.get(address.key)
    if found is None or not found.boards:
        there = ", ".join(key for key, queue in known.items() if queue.boards) or "none"
        raise PrerequisiteError(
            f"no board {address.key} is registered with the tracker at {address.tracker}; there is {there}",
            f"run `ekb device serve --key {address.key}` on the board",
        )
    return len(found.boards)


def ask_facts(address: BoardAddress, patience_s: float = CONNECT_S) -> BoardFacts:
    """Ask one board of a kind what it is, and let it go.

    Raises:
        PrerequisiteError: When there is none.
        ServerLost: When it is lost meanwhile.
    """
    count_boards(address)
    with Line(address, patience_s) as line:
        return _facts(line.ask({"do": "hello"}), address)


def _facts(said: dict[str, Any], address: BoardAddress) -> BoardFacts:
    ours = version("edgekernelbench")
    if said["release"] != ours:
        raise PrerequisiteError(
            f"the board {address.key} has release {said['release']}, this machine has {ours}",
            "install the same release on both",
        )
    names = ("key", "name", "machine", "system", "cpu", "cores", "memory_bytes")
    return BoardFacts(
        profile_from_json(said["profile"]), BoardRecord(**{n: said[n] for n in names}), tuple(said["used"])
    )
