"""A tracker and boards on this machine's loopback, for tests: real processes, on ports that are free."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

from edgekernelbench.compiler.tvm.rpc import ask_tracker
from edgekernelbench.evaluator.boards.address import LOOPBACK, BoardAddress
from edgekernelbench.evaluator.boards.describe import describe
from edgekernelbench.evaluator.boards.hosting import BoardPlan, Hosted

PATIENCE_S = 60.0


describe_once = cache(describe)


@contextmanager
def tracker() -> Iterator[int]:
    """Keep a queue; gives its port."""
    with Hosted({"host": LOOPBACK, "port": 0}) as hosted:
        yield hosted.port


@contextmanager
def boards(port: int, key: str, profile: str = "llvm", count: int = 1) -> Iterator[list[Hosted]]:
    """Serve boards of one kind, and wait until all are registered."""
    plan = BoardPlan(describe_once(profile), key, LOOPBACK, 0, (LOOPBACK, port))
    with ExitStack() as stack:
        hosted = [stack.enter_context(Hosted(plan.settings())) for _ in range(count)]
        until = time.monotonic() + PATIENCE_S
        while free(port, key) < count:
            assert time.monotonic() < until, f"boards {key} did not register"
            time.sleep(0.05)
        yield hosted


def free(port: int, key: str) -> int:
    """Count the boards of a kind that nobody has."""
    found = ask_tracker(LOOPBACK, port).get(key)
    return 0 if found is None else found.free


def address(port: int, key: str) -> str:
    """Name boards of a kind as a device."""
    return str(BoardAddress(key, LOOPBACK, port))
