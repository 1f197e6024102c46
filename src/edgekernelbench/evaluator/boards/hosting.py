"""Keeping a board's server, or a tracker, at work until it is told to end: what breaks is started anew."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from types import FrameType, TracebackType
from typing import Any, Self

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import RUNTIME_ONLY
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.profiles.profile import Profile

SERVING = "edgekernelbench.evaluator.boards.serving"
START_S = 120.0
PAUSE_S = 2.0
"""Before something is started again that had ended."""

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """How a board is served.

    Attributes:
        profile: What it is.
        key: The kind as which it is registered.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        tracker: Where the tracker is.
    """

    profile: Profile
    key: str
    host: str
    port: int
    tracker: tuple[str, int]

    def settings(self) -> dict[str, object]:
        """Give the settings of the process that listens."""
        return {
            "profile": asdict(self.profile),
            "key": self.key,
            "host": self.host,
            "port": self.port,
            "tracker": list(self.tracker),
        }

    def at(self, port: int) -> "BoardPlan":
        """Give the same on a port that is known now."""
        return replace(self, port=port)


class Hosted:
    """A process that listens.

    Attributes:
        port: Where.
    """

    def __init__(self, settings: Mapping[str, object], threads: int = 1) -> None:
        """Start it and wait until it listens.

        Args:
            settings: What `serving.serve` takes.
            threads: Threads that kernels use.

        Raises:
            PrerequisiteError: When it cannot listen, or lacks something.
        """
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", SERVING, json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env=worker_environment(threads) | RUNTIME_ONLY,
            process_group=0,
        )
        with ExitStack() as stack:
            stack.callback(self.close)
            self.port: int = self._greeting()["port"]
            stack.pop_all()

    def _greeting(self) -> dict[str, Any]:
        stream = self._process.stdout
        ready = select.select([stream], [], [], START_S)[0] if stream is not None else []
        line = stream.readline() if stream is not None and ready else ""
        said: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
        if "missing" in said:
            raise PrerequisiteError(str(said["missing"]), str(said["remedy"]))
        if "port" not in said:
            raise PrerequisiteError(str(said.get("error", "it did not start")), "see what stands above")
        return said

    @property
    def pid(self) -> int:
        """Number of the process, and of the group that its sessions are in."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether it is still at work."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it with all sessions that it forked."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def host_until_told(start: Callable[[int], Hosted], port: int, told: Callable[[str], None]) -> None:
    """Keep something at work until Ctrl-C, or until this process is told to end.

    Args:
        start: Starts it on a port; 0 is any.
        port: The port to begin with.
        told: Is told in a sentence what happens.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    hosted = start(port)
    try:
        told(f"listening on port {hosted.port}")
        while True:
            while hosted.alive():
                time.sleep(PAUSE_S / 4)
            told("it ended; starting it again")
            hosted.close()
            time.sleep(PAUSE_S)
            hosted = start(hosted.port)
    except KeyboardInterrupt:
        told("ended")
    finally:
        hosted.close()
        signal.signal(signal.SIGTERM, before)
