"""How fast the hand-written examples are, beside the default lowering and the fastest correct library.

    python benchmarks/examples.py [--rounds N] [--no-vendor] [PART OF A WORKLOAD'S NAME …]

Each timed thing is a process of its own with the same number of threads. All that belong to one workload
are started together and take turns, so that what disturbs the machine disturbs all of them; who has no turn
is stopped, as in the judge. A row gives the medians of their turns. Which library is the fastest is found
out before (`vendors.py`). With EKB_CPU_TIME set, one thread and the processor's time are used: ratios then
survive a busy machine.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from clocks import CPU, THREADS, clock
from default_lowering import fastest

from edgekernelbench.evaluator.resting import rest, wake
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload

KERNELS = Path(__file__).parents[1] / "examples" / "kernels"
LIBRARY = "library:"
TURN_NS = 20_000_000
REST_S = 0.01
"""Between turns."""

Run = Callable[[int], object]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("parts", nargs="*")
    options.add_argument("--rounds", type=int, default=25)
    options.add_argument("--no-vendor", action="store_true")
    options.add_argument("--take-turns", nargs=2, metavar=("WHAT", "WORKLOAD"))
    given = options.parse_args()
    if given.take_turns:
        take_turns(*given.take_turns)
        return
    paths = sorted(KERNELS.glob("*/*.kir"))
    chosen = [p for p in paths if not given.parts or any(part in identifier(p) for part in given.parts)]
    how = "processor's time" if CPU else "time"
    print(f"{THREADS} threads, {how}, medians of {given.rounds} turns")
    print("| example | µs | default µs | faster | vendor µs | vendor |")
    print("|---|--:|--:|--:|--:|---|")
    gains = [row(path, given.rounds, vendors=not given.no_vendor) for path in chosen]
    print(f"geometric mean {statistics.geometric_mean(gains):.2f} over {len(gains)}")


def identifier(path: Path) -> str:
    """Give the workload that an example is for."""
    return f"{path.parent.name}/{path.stem}"


def row(path: Path, rounds: int, *, vendors: bool) -> float:
    """Measure and print one example; give how much faster than the default it is."""
    workload = load_catalogue().workload(identifier(path))
    vendor = fastest(workload.id) if vendors else {}
    library = LIBRARY + vendor["name"] if vendor else ""
    medians = race([str(path), "default", *([library] if library else [])], workload.id, rounds)
    cells = [f"{medians[t]:,.1f}" if medians.get(t) else "" for t in (str(path), "default", library)]
    name = vendor.get("name", "") + (", a Python loop" if vendor.get("loop") else "")
    gain = medians["default"] / medians[str(path)]
    print(f"| {workload.id} | {cells[0]} | {cells[1]} | {gain:.2f} | {cells[2]} | {name} |", flush=True)
    return gain


def race(things: list[str], workload: str, rounds: int) -> dict[str, float]:
    """Let processes take turns; give the median turn of each, in microseconds a call."""
    turns: dict[str, list[float]] = {thing: [] for thing in things}
    with ExitStack() as stack:
        children = {thing: stack.enter_context(start(thing, workload)) for thing in things}
        for child in children.values():
            stack.callback(child.kill)  # one that rests does not see that its input has ended
            answer(child)
            rest(child.pid)
        for _ in range(rounds):
            for thing, child in children.items():
                time.sleep(REST_S)
                wake(child.pid)
                child.stdin.write("go\n")
                child.stdin.flush()
                turns[thing].append(float(answer(child)))
                rest(child.pid)
    return {thing: statistics.median(values) for thing, values in turns.items()}


def start(thing: str, workload: str) -> Any:
    command = [sys.executable, __file__, "--take-turns", thing, workload]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, process_group=0)


def answer(child: Any) -> str:
    line = child.stdout.readline()
    if not line:
        raise SystemExit(f"a child ended without an answer: {' '.join(child.args[2:])}")
    return str(line)


def take_turns(thing: str, workload_id: str) -> None:
    """Be one of the processes: prepare, then run for a while whenever a line comes."""
    workload = load_catalogue().workload(workload_id)
    run = vendor_run(thing, workload) if thing.startswith(LIBRARY) else kernel_run(thing, workload)
    run(1)
    before = clock()
    run(3)
    repeats = max(1, 3 * TURN_NS // max(clock() - before, 1))
    print("ready", flush=True)
    for _ in sys.stdin:
        before = clock()
        run(repeats)
        print((clock() - before) / repeats / 1e3, flush=True)


def kernel_run(thing: str, workload: Workload) -> Run:
    """Compile a text, or the default lowering."""
    from dataclasses import replace

    import numpy as np
    from timed import text_of

    from edgekernelbench.compiler.arrays import allocate_buffer, place_array
    from edgekernelbench.compiler.tvm.compiler import TvmCompiler
    from edgekernelbench.nest.build import build_nest
    from edgekernelbench.profiles.profile import load_profile

    profile = replace(load_profile("llvm"), threads=THREADS)
    nest = build_nest(text_of(thing, workload), "llvm", profile)
    executable = TvmCompiler().compile(nest, profile).executable
    assert executable is not None
    arrays = zip(nest.params, make_inputs(workload, 1), strict=True)
    params = [place_array(buffer, np.atleast_1d(array)) for buffer, array in arrays]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    executable.prepare(params)
    return lambda count: executable.time_batches([params], [outputs], repeats=count)


def vendor_run(thing: str, workload: Workload) -> Run:
    """Call a library."""
    from vendors import named_call

    call = named_call(thing.removeprefix(LIBRARY), workload)

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


if __name__ == "__main__":
    main()
