"""What RPC adds to a judgement: `python benchmarks/boards.py [--judgements N]`; goal under 50 ms on loopback.

A tracker and a board are started on this machine. The same kernel is judged here and on the board in turn,
for correctness alone and timed, compiled anew each time on both sides. Run it on an idle machine.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np

from edgekernelbench.compiler.tvm.rpc import ask_tracker
from edgekernelbench.evaluator.boards.address import LOOPBACK, BoardAddress
from edgekernelbench.evaluator.boards.describe import describe
from edgekernelbench.evaluator.boards.hosting import BoardPlan, Hosted
from edgekernelbench.evaluator.devices import open_judges
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue

WORKLOADS = ("norm/softmax@r591-n197-f32", "norm/softmax@r4608-n384-f16")
GOAL_MS = 50
KEY = "measured"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--judgements", type=int, default=15)
    given = options.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")
    with Hosted({"host": LOOPBACK, "port": 0}) as tracker:
        plan = BoardPlan(describe("llvm"), KEY, LOOPBACK, 0, (LOOPBACK, tracker.port))
        with Hosted(plan.settings()):
            while not getattr(ask_tracker(LOOPBACK, tracker.port).get(KEY), "free", 0):
                time.sleep(0.1)
            compare(str(BoardAddress(KEY, LOOPBACK, tracker.port)), given.judgements)


def compare(address: str, count: int) -> None:
    """Judge here and there in turn; print what the second takes more."""
    catalogue = load_catalogue()
    with Judge(load_profile("llvm")) as here, open_judges(address, "tvm") as there:
        for workload in map(catalogue.workload, WORKLOADS):
            for timing in (None, TimingPlan()):
                spent: dict[str, list[float]] = {"here": [], "there": []}
                for number in range(count + 1):
                    text = distinct(print_kernel(workload.kernel()), number)
                    inputs = choose_inputs(b"figures", workload)
                    task = Submission(workload, text, inputs, timing)
                    for name, judge in (("here", here.judge), ("there", there.judge)):
                        took = seconds(judge, task)
                        if number:
                            spent[name].append(took)
                report(workload.id, "timed" if timing else "correctness alone", spent)


def distinct(text: str, number: int) -> str:
    """Make a text that was not compiled before: parcels are remembered."""
    return text.replace('"""', f'"""{number}: ', 1)


def seconds(judge: Callable[[Submission], object], task: Submission) -> float:
    start = time.perf_counter()
    judged = judge(task)
    took = time.perf_counter() - start
    kind = getattr(getattr(judged, "outcome", None), "kind", "")
    if kind != "correct":
        raise SystemExit(f"expected a correct kernel, found {judged}")
    return took


def report(workload: str, what: str, spent: dict[str, list[float]]) -> None:
    more = np.subtract(spent["there"], spent["here"])
    here, added = statistics.median(spent["here"]), float(np.median(more))
    print(
        f"{workload}, {what}: {1e3 * here:.0f} ms here, {1e3 * added:+.0f} ms on a board "
        f"(least {1e3 * (min(spent['there']) - min(spent['here'])):+.0f}; goal {GOAL_MS})",
        flush=True,
    )


if __name__ == "__main__":
    main()
