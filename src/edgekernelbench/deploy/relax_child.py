"""The process that runs a Relax library: `… -m edgekernelbench.deploy.relax_child LIBRARY IN OUT THREADS`.

It runs `main` on the arrays of IN, writes what came out to OUT, and then times a run whenever a line comes.
TVM's threads spin and are pinned: what else is timed must be in another process.
"""

import sys
import time
from pathlib import Path

import numpy as np

from edgekernelbench.compiler.tvm.compiler import start_tvm

TURN_NS = 50_000_000


def main(library: str, given: str, found: str, threads: str) -> int:
    """Run a library.

    Args:
        library: The file.
        given: Arrays `in0`, `in1`, … as NumPy stores several.
        found: Where `out0`, `out1`, … go.
        threads: How many TVM uses.
    """
    start_tvm(int(threads))
    from edgekernelbench.compiler.tvm.relaxed import RelaxLibrary  # noqa: PLC0415

    loaded = RelaxLibrary(Path(library))
    with np.load(given) as stored:
        inputs = loaded.tensors([stored[f"in{number}"] for number in range(len(stored.files))])
    outputs = loaded.call("main", inputs)
    np.savez(found, **{f"out{number}": tensor.numpy() for number, tensor in enumerate(outputs)})
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _ in sys.stdin:
        begun, turns = time.perf_counter_ns(), 0
        while time.perf_counter_ns() - begun < TURN_NS:
            loaded.call("main", inputs)
            turns += 1
        sys.stdout.write(f"{(time.perf_counter_ns() - begun) / turns}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
