"""The doors of one visit, open while it lasts: shell, MCP, and the way to the model."""

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from socket import socket
from types import TracebackType
from typing import TYPE_CHECKING, Self

from edgekernelbench.agents.card import render
from edgekernelbench.agents.hosted import Counter
from edgekernelbench.agents.protocol import Doors, Task
from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.bench.feedback import NothingLearnt
from edgekernelbench.bench.mcp_server import HttpDoor
from edgekernelbench.bench.visits.door import ShellDoor
from edgekernelbench.bench.visits.folder import Grounds, agent_environment, recipe_files, task_files
from edgekernelbench.bench.visits.orders import Work
from edgekernelbench.bench.visits.recipe import Recipe, filled
from edgekernelbench.bench.visits.view import interpreter
from edgekernelbench.bench.visits.watch import Seen
from edgekernelbench.bench.visits.wire import as_reply, as_request

if TYPE_CHECKING:
    from edgekernelbench.agents.proxy.server import CountingProxy

ENDPOINTS_FAULT = (0, 401, 403, 408, 409, 429)
"""Besides 5xx: what an endpoint answers that is no fault of the agent's request."""
MOST_CHARS = 400
"""Of what an agent wrote last, in a message."""


class Reception:
    """Whoever answers an agent while it is here.

    Attributes:
        transcript: Where its transcript is; empty when it writes none to a file.
    """

    def __init__(
        self,
        recipe: Recipe,
        counter: Counter,
        doors: Doors,
        upstream: Upstream | None,
        sockets: Sequence[socket],
        at: Grounds,
    ) -> None:
        """Open the doors.

        Args:
            recipe: The agent.
            counter: What it may ask.
            doors: The doors of the attempt, where calls of its model are counted.
            upstream: Its model; None for an agent that asks none.
            sockets: Listening sockets on its loopback: for the shell, MCP if it speaks that, its model.
            at: Where things are for it.

        Raises:
            PrerequisiteError: When a package is missing.
        """
        self._recipe, self._counter, self._doors, self._at = recipe, counter, doors, at
        self._last_call: Call | None = None
        self._stack = ExitStack()
        token = secrets.token_urlsafe(24)
        free = iter(sockets)
        shell = self._stack.enter_context(ShellDoor(counter, token, next(free)))
        self._words = {
            "model": "" if upstream is None else upstream.model,
            "wire": "anthropic" if upstream is not None and upstream.openai is None else "openai",
            "prompt": render("visit_prompt", {}),
            "task": at.task,
            "home": at.home,
            "door_url": shell.url,
            "door_token": token,
            "mcp_url": "",
            "mcp_token": token,
            "model_url": "",
            "model_token": "",
        }
        self._environment: dict[str, str] = {}
        if recipe.mcp:
            self._words["mcp_url"] = self._stack.enter_context(HttpDoor(counter, token, next(free))).url
        self._proxy: CountingProxy | None = None
        if upstream is not None:
            proxy = _make_proxy(upstream, doors, self._heard, next(free))
            self._proxy = self._stack.enter_context(proxy)
            self._words |= {"model_url": proxy.url, "model_token": proxy.token}
            self._environment = dict(proxy.environment)
        file = recipe.reading.file
        self.transcript = "" if file is None else filled(file, self._words)

    @property
    def last(self) -> float:
        """When something was heard of the agent last, by the monotonic clock."""
        return max(self._counter.last, self._proxy.last_activity if self._proxy is not None else 0.0)

    @property
    def waited_for(self) -> bool:
        """Whether the agent waits for the device: that is no time of its own."""
        return self._counter.busy > 0

    @property
    def busy(self) -> bool:
        """Whether the agent waits for anything."""
        return self.waited_for or (self._proxy is not None and self._proxy.busy > 0)

    def work(self, task: Task, program: Path) -> Work:
        """Write down what is started.

        Args:
            task: The task.
            program: The agent's program.
        """
        recipe, at, words = self._recipe, self._at, self._words
        path = os.pathsep.join([str(program.parent), "/usr/local/bin", "/usr/bin", "/bin"])
        own = agent_environment(recipe, at, words, f"{path}{os.pathsep}{Path(interpreter()).parent}")
        return Work(
            command=(str(program), *(filled(word, words) for word in recipe.command[1:])),
            environment={**self._environment, **own},
            folder=at.task,
            files={**task_files(task, recipe, at), **recipe_files(recipe, words)},
            collect=(self.transcript,) if self.transcript else (),
        )

    def refuse_no_work(self, status: int | None, seen: Seen) -> None:
        """Refuse a visit that says nothing of the agent.

        Args:
            status: Its exit status.
            seen: How it went.

        Raises:
            NothingLearnt: When it failed before it asked for anything, or its model's endpoint failed last.
        """
        call = self._last_call
        broken = call is not None and call.fate is Fate.BROKEN
        if call is not None and (broken or (call.fate is Fate.FAILED and is_endpoints_fault(call.status))):
            raise NothingLearnt(f"the endpoint of the agent's model failed: {call.error[:MOST_CHARS]}")
        if status and self._counter.asked == 0 and call is None:
            said = (seen.errors.strip() or seen.output.strip())[-MOST_CHARS:]
            raise NothingLearnt(f"the agent ended with status {status} before it asked for anything: {said}")

    def _heard(self, call: Call) -> None:
        self._last_call = call
        if call.counts:
            reply = as_reply(call.reply, call.usage, model=call.model, latency_ns=call.latency_ns)
            self._doors.told(as_request(call.request), reply)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def _make_proxy(
    upstream: Upstream, doors: Doors, heard: Callable[[Call], None], listen: socket
) -> "CountingProxy":
    # Imported when an agent has a model: its packages are an extra.
    from edgekernelbench.agents.proxy.server import CountingProxy as Proxy  # noqa: PLC0415

    return Proxy(upstream, doors.left, heard, listen=listen)


def is_endpoints_fault(status: int) -> bool:
    """Whether an error of a model's endpoint is its own, and not about what the agent sent."""
    return status in ENDPOINTS_FAULT or status >= 500
