"""A fork server whose compiler builds kernels that keep something between calls, as no text can say.

All stand in for `out[i] = x[i] * w[i]`.
"""

import hashlib
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from edgekernelbench.compiler.interface import Array, Artifact, Cost
from edgekernelbench.evaluator.server import serve
from edgekernelbench.evaluator.worker import kernel_role
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

Params = Sequence[Array]
Trick = Callable[["Kernel", Params, Params], None]

BUSY_ROUNDS = 2_000
CROWD = 6
LATER_S = 5.0


class Kernel:
    """Runs a trick, and keeps what the trick wants to keep."""

    def __init__(self, trick: Trick) -> None:
        self.trick = trick
        self.owed: tuple[Params, Params] | None = None
        self.crowd: ThreadPoolExecutor | None = None
        self.seen: set[int] = set()

    def prepare(self, params: Params) -> None:
        del params

    def run(self, params: Params, outputs: Params) -> None:
        self.trick(self, params, outputs)

    def time_batches(
        self, params: Sequence[Params], outputs: Sequence[Params], *, repeats: int
    ) -> tuple[int, ...]:
        samples = []
        for _ in range(repeats):
            start = time.perf_counter_ns()
            for given, left in zip(params, outputs, strict=True):
                self.run(given, left)
            samples.append(time.perf_counter_ns() - start)
        return tuple(samples)


def work(params: Params, outputs: Params) -> None:
    outputs[0][...] = params[0] * params[1]  # type: ignore[operator]


def right(k: Kernel, params: Params, outputs: Params) -> None:
    work(params, outputs)


def pays_at_the_next_call(k: Kernel, params: Params, outputs: Params) -> None:
    if k.owed is not None:
        work(*k.owed)
    k.owed = (params, outputs)


def works_once_for_each_buffer(k: Kernel, params: Params, outputs: Params) -> None:
    place = outputs[0].ctypes.data
    if place not in k.seen:
        work(params, outputs)
    k.seen.add(place)


def works_when_nobody_looks(k: Kernel, params: Params, outputs: Params) -> None:
    def later() -> None:
        time.sleep(LATER_S)
        work(params, outputs)

    threading.Thread(target=later, daemon=True).start()


def calls_more_threads_than_it_may(k: Kernel, params: Params, outputs: Params) -> None:
    k.crowd = k.crowd or ThreadPoolExecutor(CROWD)
    busy = [k.crowd.submit(hashlib.pbkdf2_hmac, "sha256", b"x", b"y", BUSY_ROUNDS) for _ in range(CROWD)]
    for one in busy:  # each of them frees the interpreter's lock
        one.result()
    work(params, outputs)


TRICKS: dict[str, Trick] = {
    trick.__name__: trick
    for trick in (
        right,
        pays_at_the_next_call,
        works_once_for_each_buffer,
        works_when_nobody_looks,
        calls_more_threads_than_it_may,
    )
}


class Stateful:
    name = "stateful"

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        return Artifact(self.name, nest, profile, Cost(0, {}), {}, Kernel(TRICKS.get(nest.name, right)))


if __name__ == "__main__":
    serve({"kernel": kernel_role(lambda _: Stateful())}, int(sys.argv[-1]))
