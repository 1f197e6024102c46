"""A fork server whose compiler builds dishonest kernels; the name of the function says which trick.

All stand in for `out[i] = x[i] * w[i]`.
"""

import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from edgekernelbench.compiler.interface import Array, Artifact, Cost
from edgekernelbench.evaluator.server import serve
from edgekernelbench.evaluator.worker import kernel_role
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

Params = Sequence[Array]


class Kernel:
    """Runs a trick, and knows how often it ran."""

    def __init__(self, trick: Callable[["Kernel", Params, Params], None]) -> None:
        self.trick = trick
        self.runs = 0
        self.prepared: list[Array] = []
        self.kept: Array | None = None
        self.ns: int | None = None

    def prepare(self, params: Params) -> None:
        self.prepared = [p.copy() for p in params]

    def run(self, params: Params, outputs: Params) -> None:
        self.runs += 1
        self.trick(self, params, outputs)

    def time_batches(
        self, params: Sequence[Params], outputs: Sequence[Params], *, repeats: int
    ) -> tuple[int, ...]:
        samples = []
        for _ in range(repeats):
            start = time.perf_counter_ns()
            for given, left in zip(params, outputs, strict=True):
                self.run(given, left)
            samples.append(time.perf_counter_ns() - start if self.ns is None else self.ns)
        return tuple(samples)


def honest(params: Params) -> Array:
    product: Array = params[0] * params[1]  # type: ignore[operator]
    return product


def right(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)


def writes_nothing(k: Kernel, params: Params, outputs: Params) -> None:
    pass


def writes_the_first_half(k: Kernel, params: Params, outputs: Params) -> None:
    half = len(outputs[0]) // 2
    outputs[0][:half] = honest(params)[:half]


def leaves_out_the_last(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][:-1] = honest(params)[:-1]


def returns_zeros(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = 0


def returns_nan(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = np.nan


def returns_the_mean(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params).mean()


def returns_its_input(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = params[0]


def returns_other_weights(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = params[0] * np.roll(params[1], 1)


def computes_in_half_precision(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = params[0].astype(np.float16) * params[1].astype(np.float16)


def changes_its_input(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    params[0][...] = 0


def changes_its_weights(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    params[1][-1] += 1


def writes_past_the_end(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    ctypes.memset(outputs[0].ctypes.data + outputs[0].nbytes + 100, 0, 4)


def writes_before_the_start(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    ctypes.memset(outputs[0].ctypes.data - 1, 0x77, 1)


def right_the_first_time(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params) if k.runs % 2 else honest(params) + 1


def replays_the_first_answer(k: Kernel, params: Params, outputs: Params) -> None:
    if k.kept is None:
        k.kept = honest(params)
    outputs[0][...] = k.kept


def forgets_the_first_output(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params) + np.nan_to_num(outputs[0], nan=0.5)


def drifts_when_timed(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params) * (1 if k.runs <= 6 else 0)


def stops_working_when_timed(k: Kernel, params: Params, outputs: Params) -> None:
    if k.runs <= 6:
        outputs[0][...] = honest(params)


def keeps_the_last_set_unwritten(k: Kernel, params: Params, outputs: Params) -> None:
    if k.runs <= 6 or k.kept is None or outputs[0].ctypes.data == k.kept.ctypes.data:
        outputs[0][...] = honest(params)
        k.kept = outputs[0] if k.runs > 6 else None


def says_it_took_no_time(k: Kernel, params: Params, outputs: Params) -> None:
    k.ns = 0
    outputs[0][...] = honest(params)


def says_it_took_less_than_nothing(k: Kernel, params: Params, outputs: Params) -> None:
    k.ns = -5
    outputs[0][...] = honest(params)


def segfaults(k: Kernel, params: Params, outputs: Params) -> None:
    ctypes.string_at(0)


def segfaults_when_timed(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    if k.runs > 6:
        ctypes.string_at(0)


def never_returns(k: Kernel, params: Params, outputs: Params) -> None:
    while True:
        pass


def never_returns_when_timed(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    while k.runs > 6:
        pass


def eats_memory(k: Kernel, params: Params, outputs: Params) -> None:
    held = []
    while True:
        held.append(bytearray(32 << 20))


def exits_as_if_all_were_well(k: Kernel, params: Params, outputs: Params) -> None:
    os._exit(0)


def forges_a_reply(k: Kernel, params: Params, outputs: Params) -> None:
    with open("reply.json", "w", encoding="utf-8") as stream:  # noqa: PTH123
        stream.write('{"nonce": "", "cost": {"code_bytes": 1, "workspace_bytes": {}}, "spent": {}}')
    os._exit(0)


def aborts(k: Kernel, params: Params, outputs: Params) -> None:
    os.abort()


def forks_and_goes_on(k: Kernel, params: Params, outputs: Params) -> None:
    """Leave a process behind, in a session of its own, for as long as it is let."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
        os._exit(0)
    outputs[0][...] = honest(params)


def finds_the_disk_full(k: Kernel, params: Params, outputs: Params) -> None:
    with open("/dev/full", "wb", buffering=0) as disk:  # noqa: PTH123 - a real device that is full
        disk.write(b"x")


def writes_a_file_beyond_its_limit(k: Kernel, params: Params, outputs: Params) -> None:
    with open("large", "wb", buffering=0) as disk:  # noqa: PTH123
        while True:
            disk.write(bytes(1 << 20))


def is_told_to_end(k: Kernel, params: Params, outputs: Params) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def is_killed(k: Kernel, params: Params, outputs: Params) -> None:
    """End as the system ends a process when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def dawdles(k: Kernel, params: Params, outputs: Params) -> None:
    outputs[0][...] = honest(params)
    if k.runs > 6:
        time.sleep(0.001)


def divides_by_zero(k: Kernel, params: Params, outputs: Params) -> None:
    signal.raise_signal(signal.SIGFPE)


def calls_home(k: Kernel, params: Params, outputs: Params) -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
    outputs[0][...] = honest(params)


TRICKS: dict[str, Callable[[Kernel, Params, Params], None]] = {
    name: trick
    for name, trick in globals().items()
    if callable(trick)
    and getattr(trick, "__module__", "") == __name__
    and name[0].islower()
    and name != "honest"
}


class Dishonest:
    name = "dishonest"

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        kernel = Kernel(TRICKS.get(nest.name, right))
        return Artifact(self.name, nest, profile, Cost(0, {}), {}, kernel)


if __name__ == "__main__":
    serve({"kernel": kernel_role(lambda _: Dishonest())}, int(sys.argv[-1]))
