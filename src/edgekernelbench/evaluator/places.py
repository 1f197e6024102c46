"""Where kernels are run: this machine, or a board."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from edgekernelbench.evaluator.device_lock import hold_device
from edgekernelbench.evaluator.environment import WORKER_COMMAND, part_of, scratch_root, server_name
from edgekernelbench.evaluator.hands import Hands
from edgekernelbench.evaluator.probe import recheck_device
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.telemetry import Reading, read_telemetry
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import BoardRecord
from edgekernelbench.records.outcome import Outcome, Unjudged

COMPILER = "compiler"
"""Name of the fork server whose workers run kernels."""


class Place(Protocol):
    """Where kernels are run."""

    @property
    def profile(self) -> Profile:
        """What the device has."""
        ...

    @property
    def lost(self) -> bool:
        """Whether it does not answer any more."""
        ...

    def hands(self, name: str) -> Hands:
        """Give who starts the workers of a fork server; started with the first that needs it."""
        ...

    def hold(self) -> AbstractContextManager[None]:
        """Keep other judges off the device."""
        ...

    def recheck(self, outcome: Outcome | Unjudged) -> Outcome | Unjudged:
        """Ask after a device on which a kernel crashed."""
        ...

    @property
    def cores(self) -> tuple[int, ...]:
        """Cores of the device's machine that workers may use."""
        ...

    def sense(self) -> Reading:
        """Read what the device's machine shows of clocks, heat and load."""
        ...

    def record(self) -> BoardRecord | None:
        """Say which board it is; None for this machine."""
        ...

    @property
    def busy_ns(self) -> int:
        """How long the device was asked something and had not answered yet; 0 where that is not counted."""
        ...

    def pids(self) -> tuple[int, ...]:
        """Give the process ids of the fork servers of this machine that were started."""
        ...

    def close(self) -> None:
        """End all that was started."""
        ...


class Servers:
    """Fork servers of this machine, by name."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], names: Mapping[str, str]
    ) -> None:
        """Start none yet.

        Args:
            command: Starts a server, with what it imports as the last word but one.
            environment: What servers see.
            names: What is imported for a name, where that is not the name itself.
        """
        self._command = tuple(command)
        self._environment = dict(environment)
        self._names = dict(names)
        self._servers: dict[str, Supervisor] = {}

    def get(self, name: str) -> Supervisor:
        """Give a server."""
        if name not in self._servers:
            words = [*self._command, self._names.get(name, name)]
            self._servers[name] = Supervisor(words, self._environment, scratch_root())
        return self._servers[name]

    def pids(self) -> tuple[int, ...]:
        """Give the process ids of those that were started."""
        return tuple(s.pid for s in self._servers.values() if s.pid is not None)

    def close(self) -> None:
        """End all servers and workers."""
        for server in self._servers.values():
            server.close()


class Here:
    """This machine."""

    lost = False
    busy_ns = 0

    def __init__(
        self,
        profile: Profile,
        compiler: str,
        environment: Mapping[str, str],
        cores: Sequence[int],
        command: Sequence[str] | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            profile: The device.
            compiler: Name of the compiler.
            environment: What workers see.
            cores: Those that workers may use.
            command: Starts a fork server, given the name of a compiler; None for the product's own.
        """
        self.profile = profile
        self.cores = tuple(cores)
        names = {COMPILER: server_name(compiler, profile)}
        self._servers = Servers(command or WORKER_COMMAND, environment, names)

    def hands(self, name: str) -> Hands:
        """Give a fork server."""
        return self._servers.get(name)

    def hold(self) -> AbstractContextManager[None]:
        """Hold the lock of the device."""
        return hold_device(part_of(self.profile))

    def recheck(self, outcome: Outcome | Unjudged) -> Outcome | Unjudged:
        """Run a small kernel on a GPU after a crash."""
        return recheck_device(outcome, self.profile)

    def sense(self) -> Reading:
        """Read what this machine shows."""
        return read_telemetry(self.cores)

    def record(self) -> BoardRecord | None:
        """Say that it is no board."""
        return None

    def pids(self) -> tuple[int, ...]:
        """Give the process ids of the fork servers."""
        return self._servers.pids()

    def close(self) -> None:
        """End all servers and workers."""
        self._servers.close()


NOT_HELD = nullcontext()
"""For boards: a session has its board alone."""
