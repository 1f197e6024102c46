"""What the judge, the fork server and a worker say to each other: JSON, one object a line, and files.

```text
judge ── Expect, Start, Extend, Rest, Wake, Kill ──▶ server ── fork ──▶ worker
judge ◀── Ended ─────────────── server ◀── dies ─── worker
judge ◀── reply.json, phase, stderr, arenas: files in the worker's folder ── worker
judge ◀── go, done: two pipes in the same folder, for the token ──▶ worker
```
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

REQUEST = "request.json"
REPLY = "reply.json"
PHASE = "phase"
STDERR = "stderr"
GO = "go"
DONE = "done"
MAX_LINE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may use.

    Attributes:
        deadline_s: Time from the fork to the end, start-up included; the server keeps it.
        run_s: Time for all runs on the input sets; an alarm in the worker keeps it, since the server
            cannot see where compiling ends.
        memory_bytes: Address space beyond what the server had mapped.
        file_bytes: Size of a file that it writes.
        files: Open files.
        cpus: Cores that it may run on; empty for those of the server.
        network: Whether it may open sockets beyond this machine: only what runs kernels on a board does.
    """

    deadline_s: float = 10.0
    run_s: float = 10.0
    memory_bytes: int = 6 << 30
    file_bytes: int = 256 << 20
    files: int = 256
    cpus: tuple[int, ...] = ()
    network: bool = False

    def longer(self, seconds: float) -> "Limits":
        """Give the same with more time; less is not given."""
        more = max(0.0, seconds)
        return replace(self, deadline_s=self.deadline_s + more, run_s=self.run_s + more)


@dataclass(frozen=True, slots=True)
class Expect:
    """A folder that will be made for a worker: remove it when the judge is gone."""

    folder: str


@dataclass(frozen=True, slots=True)
class Start:
    """Fork a worker."""

    id: int
    role: str
    folder: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class Extend:
    """Give a worker a new deadline, counted from now."""

    id: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Rest:
    """Stop all threads of a worker, and of what it started, until it is woken."""

    id: int


@dataclass(frozen=True, slots=True)
class Wake:
    """Let a worker that rests go on."""

    id: int


@dataclass(frozen=True, slots=True)
class Kill:
    """End a worker; it is reported as ended."""

    id: int


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker is gone, reaped, and so is its process group.

    Attributes:
        id: Which.
        exit_code: What it exited with; None when a signal ended it.
        signal: The signal that ended it; None when it exited.
        timed_out: Whether its deadline had passed.
        wall_ns: From the fork to the end.
        peak_bytes: Most memory that it held.
        strays: Processes outside its group that were killed as well.
    """

    id: int
    exit_code: int | None
    signal: int | None
    timed_out: bool
    wall_ns: int
    peak_bytes: int
    strays: int


Order = Expect | Start | Extend | Rest | Wake | Kill


def encode(message: Order | Ended) -> bytes:
    """Write a message as a line."""
    return json.dumps({"type": type(message).__name__, **asdict(message)}).encode() + b"\n"


def decode_order(line: bytes) -> Order:
    """Read what the judge sent.

    Raises:
        ValueError: When it is none of the orders.
    """
    fields: dict[str, Any] = json.loads(line)
    match fields.pop("type"):
        case "Start":
            limits: Mapping[str, Any] = fields["limits"]
            return Start(
                fields["id"],
                fields["role"],
                fields["folder"],
                Limits(**{**limits, "cpus": tuple(limits["cpus"])}),
            )
        case "Expect":
            return Expect(**fields)
        case "Extend":
            return Extend(**fields)
        case "Rest":
            return Rest(**fields)
        case "Wake":
            return Wake(**fields)
        case "Kill":
            return Kill(**fields)
        case other:
            raise ValueError(f"no order {other!r}")


def decode_ended(line: bytes) -> Ended:
    """Read what the server sent.

    Raises:
        ValueError: When it is not `Ended`.
    """
    fields: dict[str, Any] = json.loads(line)
    if fields.pop("type") != "Ended":
        raise ValueError("expected Ended")
    return Ended(**fields)
