"""Is an exported kernel as fast as what was measured? `python benchmarks/exported.py [--rounds N] [PART …]`

Every workload of the `quick` suite by the default lowering, and every hand-written example: one process runs
TVM's function, as the judge does, another the entry point of the library that `ekb export --format shared`
wrote, checks included, in a loop of C. Both have the same threads and take turns; who has no turn is stopped.
A row gives the medians of their turns, and the ratio of their times: below 1 the exported one is faster. With
EKB_CPU_TIME set, one thread and the processor's time are used: ratios then survive a busy machine.
"""

import argparse
import ctypes
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from clocks import CPU, THREADS, clock
from timed import text_of

from edgekernelbench.compiler.arrays import aligned_zeros, allocate_buffer, place_array
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.deploy.building import LINKED, compile_c
from edgekernelbench.deploy.kernels import Wish, export_kernel
from edgekernelbench.deploy.record import Form
from edgekernelbench.evaluator.resting import rest, wake
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload
from examples import KERNELS, REST_S, TURN_NS, answer, identifier, kernel_run

SLOWER = 1.05
LOOP = """
#include "{name}.h"
void turn(long count, void **p) {{
    for (long n = 0; n < count; ++n) ekb_{c_name}({pointers});
}}
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("parts", nargs="*")
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--take-turns", nargs=3, metavar=("HOW", "WHAT", "WORKLOAD"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.take_turns:
        take_turns(*given.take_turns)
        return
    quick = [("default", w.id) for w in load_catalogue().select((), suite="quick")]
    examples = [(str(path), identifier(path)) for path in sorted(KERNELS.glob("*/*.kir"))]
    chosen = [
        pair for pair in quick + examples if not given.parts or any(part in pair[1] for part in given.parts)
    ]
    how = "processor's time" if CPU else "time"
    print(f"{THREADS} threads, {how}, medians of {given.rounds} turns, exported with checks")
    print("| workload | text | measured µs | exported µs | ratio |")
    print("|---|---|--:|--:|--:|")
    ratios = [row(what, workload, given.rounds) for what, workload in chosen]
    slow = sum(ratio > SLOWER for ratio in ratios)
    mean, most = statistics.geometric_mean(ratios), max(ratios)
    print(f"{len(ratios)} kernels: geometric mean {mean:.3f}, greatest {most:.3f}, {slow} above {SLOWER}")


def row(what: str, workload: str, rounds: int) -> float:
    """Measure and print one kernel; give exported over measured."""
    measured, exported = race(what, workload, rounds)
    ratio = exported / measured
    text = "default" if what == "default" else "example"
    print(f"| {workload} | {text} | {measured:,.1f} | {exported:,.1f} | {ratio:.3f} |", flush=True)
    return ratio


def race(what: str, workload: str, rounds: int) -> tuple[float, float]:
    """Let both processes take turns; give the median turn of each, in microseconds a call."""
    turns: dict[str, list[float]] = {"measured": [], "exported": []}
    with ExitStack() as stack:
        children = {}
        for how in turns:
            command = [sys.executable, __file__, "--take-turns", how, what, workload]
            pipe = subprocess.PIPE
            child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, process_group=0)
            children[how] = stack.enter_context(child)
            stack.callback(child.kill)  # one that rests does not see that its input has ended
            answer(child)
            rest(child.pid)
        for _ in range(rounds):
            for how, child in children.items():
                time.sleep(REST_S)
                wake(child.pid)
                assert child.stdin is not None
                child.stdin.write("go\n")
                child.stdin.flush()
                turns[how].append(float(answer(child)))
                rest(child.pid)
    return statistics.median(turns["measured"]), statistics.median(turns["exported"])


def take_turns(how: str, what: str, workload_id: str) -> None:
    """Be one of the processes: prepare, then run for a while whenever a line comes."""
    workload = load_catalogue().workload(workload_id)
    run = kernel_run(what, workload) if how == "measured" else library_run(what, workload)
    run(1)
    before = clock()
    run(3)
    repeats = max(1, 3 * TURN_NS // max(clock() - before, 1))
    print("ready", flush=True)
    for _ in sys.stdin:
        before = clock()
        run(repeats)
        print((clock() - before) / repeats / 1e3, flush=True)


def library_run(what: str, workload: Workload) -> Callable[[int], object]:
    """Export a kernel as a library, and call its entry point from a loop of C."""
    profile = replace(load_profile("llvm"), threads=THREADS)
    facts = text_of(what, workload)
    nest = build_nest(facts, "llvm", profile)
    names = Names()
    c_name = names[nest.name]
    arrays = zip(nest.params, make_inputs(workload, 1), strict=True)
    params = [place_array(buffer, np.atleast_1d(array)) for buffer, array in arrays]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    with TemporaryDirectory(prefix="ekb-") as place:
        folder = Path(place) / "out"
        record = export_kernel(facts.kernel, profile, folder, Wish(Form.SHARED))
        sizes = record.workspace_bytes, record.prepared_bytes
        workspace, prepared = (aligned_zeros((max(1, size),), np.dtype(np.uint8)) for size in sizes)
        every = [*params, *outputs, prepared, workspace]
        pointers = ", ".join(f"p[{number}]" for number in range(len(every)))
        loop = folder / "loop.c"
        loop.write_text(LOOP.format(name=nest.name, c_name=c_name, pointers=pointers), encoding="utf-8")
        kernel = folder / f"lib{nest.name}.so"
        linked = [
            f"-I{folder}",
            str(loop),
            str(kernel),
            f"-Wl,-rpath,{folder}",
            "-o",
            str(folder / "loop.so"),
        ]
        compile_c(["cc", *LINKED, "-shared", "-fPIC", *linked])
        driver, library = ctypes.CDLL(str(folder / "loop.so")), ctypes.CDLL(str(kernel))
    const = [array for array, param in zip(params, facts.kernel.params, strict=True) if param.const]
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (*const, prepared, workspace)]
    assert getattr(library, f"ekb_{c_name}_prepare")(*addresses) == 0
    table = (ctypes.c_void_p * len(every))(*(array.ctypes.data for array in every))
    first = [ctypes.c_void_p(array.ctypes.data) for array in every]
    assert getattr(library, f"ekb_{c_name}")(*first) == 0
    kept = every  # the table holds addresses only

    def run(count: int) -> object:
        return driver.turn(ctypes.c_long(count), table) and kept

    return run


if __name__ == "__main__":
    main()
