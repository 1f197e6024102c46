"""What all calls of one proxy share."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
from anyio import CancelScope

from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.gate import Gate
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.base.errors import EkbError

Heard = Callable[[Call], None]
"""Is told of every call that went to the endpoint, when it has ended. The proxy's thread calls it."""

KEY_SHOWN = b"[the key of this proxy]"


@dataclass(slots=True)
class Desk:
    """The state of one proxy; its own thread alone changes it.

    Attributes:
        upstream: The endpoint.
        client: Asks it.
        gate: Lets calls through.
        heard: Is told of calls.
        under_way: Scopes of the calls that are being answered.
        refused: Calls that went nowhere.
        failures: What went wrong that is not the agent's fault.
        last_activity: When the last byte was seen, by `time.monotonic`.
    """

    upstream: Upstream
    client: httpx.AsyncClient
    gate: Gate
    heard: Heard
    under_way: set[CancelScope] = field(default_factory=set)
    refused: list[Call] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    last_activity: float = field(default_factory=time.monotonic)

    def touch(self) -> None:
        """Note that something is going on."""
        self.last_activity = time.monotonic()

    def note(self, call: Call) -> None:
        """Tell of a call that has ended."""
        if call.fate is Fate.REFUSED:
            self.refused.append(call)
            return
        if call.fate in (Fate.FAILED, Fate.BROKEN):
            self.failures.append(call.error)
        try:
            self.heard(call)
        except (EkbError, OSError) as error:
            # The agent can do nothing about it, and whoever runs it asks for failures.
            self.failures.append(f"a call could not be stored: {error}")

    def clean(self, data: bytes) -> bytes:
        """Take the key out of what an endpoint says, such as an error that quotes it."""
        key = self.upstream.key.encode()
        return data.replace(key, KEY_SHOWN) if key else data
