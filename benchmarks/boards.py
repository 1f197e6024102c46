"""What RPC adds to a judgement: `python benchmarks/boards.py [--quick] [--new] [WORKLOAD …]`.

Goal: under 50 ms on loopback. A tracker and a board are started on this machine. The same kernel is judged
here and on the board in turn, for correctness alone and timed, compiled anew each time on both sides; the
median of the differences is what is added. Beside it stands what went over the line: questions, and bytes to
the board and from it. These texts leave the same outputs, which are not fetched again; with `--new` inputs
are drawn for each text, so that all inputs go there and all outputs come back: the worst that there is.

Run it on an idle machine: the board and the host share its cores.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field

import numpy as np

from edgekernelbench.compiler.tvm.rpc import ask_tracker
from edgekernelbench.evaluator.boards.address import LOOPBACK, BoardAddress
from edgekernelbench.evaluator.boards.describe import describe
from edgekernelbench.evaluator.boards.hosting import BoardPlan, Hosted
from edgekernelbench.evaluator.boards.place import Board
from edgekernelbench.evaluator.exam import Exams, choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

WORKLOADS = ("norm/softmax@r591-n197-f32", "norm/softmax@r4608-n384-f16")
GOAL_MS = 50
KEY = "measured"

ONCE = TimingPlan(tries=1)
"""How often a disturbed measurement is repeated is chance, and not the way to the board."""


@dataclass
class Spent:
    """What judgements of one workload took, in seconds, and what the first and the others sent."""

    here: list[float] = field(default_factory=list)
    there: list[float] = field(default_factory=list)
    traffic: list[tuple[int, ...]] = field(default_factory=list)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("workloads", nargs="*", default=list(WORKLOADS))
    options.add_argument("--judgements", type=int, default=15)
    options.add_argument("--quick", action="store_true", help="all workloads of the suite `quick`")
    options.add_argument("--new", action="store_true", help="draw inputs for each text")
    given = options.parse_args()
    catalogue = load_catalogue()
    rows = catalogue.select((), suite="quick") if given.quick else map(catalogue.workload, given.workloads)
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")
    with served() as address:
        board = Board(address)
        exams = Exams()
        with (
            Judge(load_profile("llvm"), exams=exams) as here,
            Judge(board.profile, place=board, exams=exams) as there,
        ):
            for workload in rows:
                # New inputs start baselines anew, and only the host's are compiled again.
                for timing in (None,) if given.new else (None, ONCE):
                    spent = Spent()
                    for number in range(given.judgements + 1):
                        task = submission(workload, number, timing, number if given.new else 0)
                        exams.exam(workload, task.inputs, timed=timing is not None)
                        compare(task, (here, there), board, spent)
                    report(workload, timing, spent)


@contextmanager
def served() -> Iterator[BoardAddress]:
    with Hosted({"host": LOOPBACK, "port": 0}) as tracker:
        plan = BoardPlan(describe("llvm"), KEY, LOOPBACK, 0, (LOOPBACK, tracker.port))
        with Hosted(plan.settings()):
            while not getattr(ask_tracker(LOOPBACK, tracker.port).get(KEY), "free", 0):
                time.sleep(0.1)
            yield BoardAddress(KEY, LOOPBACK, tracker.port)


def submission(workload: Workload, number: int, timing: TimingPlan | None, inputs: int) -> Submission:
    """Make a text that was not compiled before, since parcels are remembered."""
    text = print_kernel(workload.kernel()).replace('"""', f'"""{number}, {timing is None}: ', 1)
    return Submission(workload, text, choose_inputs(f"figures {inputs}".encode(), workload), timing)


def compare(task: Submission, judges: tuple[Judge, Judge], board: Board, spent: Spent) -> None:
    """Judge here and there; the first judgement, which starts what is not started, is left out of reports."""
    before = astuple(board.traffic)
    for took, judge in zip((spent.here, spent.there), judges, strict=True):
        took.append(seconds(judge.judge, task))
    after = astuple(board.traffic)
    spent.traffic.append(tuple(b - a for a, b in zip(before, after, strict=True)))


def seconds(judge: Callable[[Submission], object], task: Submission) -> float:
    start = time.perf_counter()
    judged = judge(task)
    took = time.perf_counter() - start
    kind = getattr(getattr(judged, "outcome", None), "kind", "")
    if kind != "correct":
        raise SystemExit(f"expected a correct kernel, found {judged}")
    return took


def report(workload: Workload, timing: TimingPlan | None, spent: Spent) -> None:
    here, there = spent.here[1:], spent.there[1:]
    more = np.subtract(there, here)
    usual = statistics.median(here)
    ratio = float(np.exp(np.median(np.log(np.divide(there, here)))))
    trips, sent, received = np.median(spent.traffic[1:], axis=0)
    what = "correctness alone" if timing is None else "timed"
    print(
        f"{workload.id}, {what}: {1e3 * usual:.0f} ms here, {1e3 * float(np.median(more)):+.0f} on a board "
        f"(least {1e3 * (min(there) - min(here)):+.0f}; {ratio:.2f} times; goal {GOAL_MS}); "
        f"{trips:.0f} questions, {sent / 1e6:.2f} MB there (first {spent.traffic[0][1] / 1e6:.2f}), "
        f"{received / 1e6:.2f} MB back",
        flush=True,
    )


if __name__ == "__main__":
    main()
