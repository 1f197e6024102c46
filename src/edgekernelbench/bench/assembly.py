"""Stages that work at one time: few places in each, so that what is fast waits for what is slow.

```text
lanes ─▶ writing (a stage a lane) ─▶ readying ─▶ measuring
```
An item that leaves a stage is put into the next by the thread that worked on it; where that has no place, the
thread waits, and so does whoever feeds it. What comes of items is told to the thread that started it all.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Condition, Event, Lock
from types import TracebackType
from typing import Generic, Self, TypeVar

from edgekernelbench.base.errors import EkbError

Item = TypeVar("Item")
Other = TypeVar("Other")

LOOK_S = 0.2
"""How often somebody who waits looks whether all was stopped."""

NS_PER_SECOND = 1_000_000_000


class Stopped(EkbError):  # noqa: N818 - it is what happened
    """No further work is begun: another piece failed, or Ctrl-C was heard."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What a stage did.

    Attributes:
        name: The stage.
        threads: How many items it works on at one time.
        done: Items that left it.
        busy_ns: Time that its threads worked, all together, waiting for a place in the next one left out.
    """

    name: str
    threads: int
    done: int
    busy_ns: int


class Assembly:
    """Stages, what is in them, and what failed first."""

    def __init__(self) -> None:
        self._stages: list[Stage[object]] = []
        self._changed = Condition()
        self._pending = 0
        self._stop = Event()
        self._failure: BaseException | None = None
        self._said: Queue[Callable[[], None]] = Queue()

    def stage(self, name: str, threads: int, places: int, work: Callable[[Item], None]) -> "Stage[Item]":
        """Make a stage.

        Args:
            name: What it is called.
            threads: Items that it works on at one time.
            places: Items that may wait for it.
            work: What is done with each.
        """
        made = Stage(self, name, threads, places, work)
        self._stages.append(made)  # type: ignore[arg-type]  # of any items: rates and ends are all it is for
        return made

    def tell(self, what: Callable[[], None]) -> None:
        """Have something done by the thread that waits for all."""
        self._said.put(what)

    def wait(self) -> None:
        """Wait until nothing is left in any stage; do what was told meanwhile.

        Raises:
            BaseException: What failed first in a stage.
        """
        while True:
            self._listen(LOOK_S)
            with self._changed:
                if self._failure is not None:
                    raise self._failure
                if self._pending == 0 and self._said.empty():
                    return

    def _listen(self, patience_s: float) -> None:
        try:
            self._said.get(timeout=patience_s)()
            while True:
                self._said.get_nowait()()
        except Empty:
            return

    def rates(self) -> tuple[Rate, ...]:
        """Say what each stage did."""
        return tuple(stage.rate() for stage in self._stages)

    def began(self) -> None:
        """Count an item that was put somewhere."""
        with self._changed:
            self._pending += 1

    def ended(self, failure: BaseException | None) -> None:
        """Count an item that is done with, for good or ill."""
        with self._changed:
            self._pending -= 1
            if failure is not None and not isinstance(failure, Stopped) and self._failure is None:
                self._failure = failure
                self._stop.set()
        self.tell(_nothing)

    def check(self) -> None:
        """Go on, if anybody does.

        Raises:
            Stopped: When all was stopped.
        """
        if self._stop.is_set():
            raise Stopped("no further work is begun")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Begin nothing more, let what is at work end, and do what was told of it."""
        self._stop.set()
        for stage in self._stages:
            stage.close()
        while not self._said.empty():
            with suppress(Stopped):
                self._said.get_nowait()()


def _nothing() -> None:
    """Wake who waits."""


class Stage(Generic[Item]):
    """Threads that work on items, and a few places to wait for them."""

    def __init__(
        self, assembly: Assembly, name: str, threads: int, places: int, work: Callable[[Item], None]
    ) -> None:
        self.name = name
        self.threads = threads
        self._assembly = assembly
        self._work = work
        self._room = self._free = threads + places
        self._changed = Condition()
        self._lock = Lock()
        self._done = 0
        self._busy_ns = 0
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def put(self, item: Item, waited: Callable[[int], None] | None = None) -> None:
        """Give it an item; waits for a place.

        Args:
            item: The item.
            waited: Is told for how many nanoseconds.

        Raises:
            Stopped: When all was stopped.
        """
        start = time.monotonic_ns()
        with self._changed:
            while self._free == 0:
                self._assembly.check()
                self._changed.wait(LOOK_S)
            self._free -= 1
        if waited is not None:
            waited(time.monotonic_ns() - start)
        self._assembly.check()
        self._assembly.began()
        self._pool.submit(self._do, item).add_done_callback(self._ended)

    def drain(self) -> None:
        """Wait until it has nothing to work on.

        Raises:
            Stopped: When all was stopped.
        """
        with self._changed:
            while self._free < self._room:
                self._assembly.check()
                self._changed.wait(LOOK_S)

    def idle(self, nanoseconds: int) -> None:
        """Take off time that a thread of it spent waiting for the next stage."""
        with self._lock:
            self._busy_ns -= nanoseconds

    def hand_on(self, item: Other, to: "Stage[Other]") -> None:
        """Put an item into the next stage; waiting there is no work here."""
        to.put(item, self.idle)

    def _do(self, item: Item) -> None:
        self._assembly.check()
        start = time.monotonic_ns()
        self._work(item)
        with self._lock:
            self._busy_ns += time.monotonic_ns() - start
            self._done += 1

    def _ended(self, future: "Future[None]") -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()
        self._assembly.ended(Stopped("cancelled") if future.cancelled() else future.exception())

    def rate(self) -> Rate:
        """Say what it did."""
        with self._lock:
            return Rate(self.name, self.threads, self._done, self._busy_ns)

    def close(self) -> None:
        """Begin nothing more, and wait for what is at work."""
        self._pool.shutdown(wait=True, cancel_futures=True)
