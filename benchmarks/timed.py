"""One timed thing in a process of its own: `python benchmarks/timed.py WHAT WORKLOAD`, one line of JSON.

WHAT is `default`, `plain` or the path of a kernel text; `vendors.py` times libraries. With EKB_CPU_TIME set,
one thread and the processor's time are used in place of all threads and the clock: ratios then survive a busy
machine.
"""

import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from clocks import THREADS, best_of

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.tvm.compiler import TvmCompiler
from edgekernelbench.lang.parse import parse
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.reference import compute_reference
from edgekernelbench.workloads.schema import Workload


def text_of(what: str, workload: Workload) -> Facts:
    """Give the kernel that is meant, verified."""
    if what in ("default", "plain"):
        facts = verify_compute(workload.kernel())
        profile = replace(load_profile("llvm"), threads=THREADS)
        lowered = default_lowering(facts, "llvm", profile) if what == "default" else facts.kernel
        return replace(facts, kernel=lowered)
    return verify_compute(parse(Path(what).read_text(encoding="utf-8")))


def time_kernel(what: str, workload: Workload) -> dict[str, float]:
    """Compile, run, compare and time a kernel."""
    profile = replace(load_profile("llvm"), threads=THREADS)
    nest = build_nest(text_of(what, workload), "llvm", profile)
    start = time.process_time()
    run = TvmCompiler().compile(nest, profile).executable
    built = time.process_time() - start
    inputs = make_inputs(workload, 1)
    params = [place_array(b, np.atleast_1d(a)) for b, a in zip(nest.params, inputs, strict=True)]
    outputs = [allocate_buffer(b) for b in nest.outputs]
    assert run is not None
    run.prepare(params)
    run.run(params, outputs)
    error = max(map(relative_error, outputs, compute_reference(workload, inputs).outputs))
    us = best_of(lambda n: run.time_batches([params], [outputs], repeats=n))
    return {"us": us, "build_s": built, "error": error}


def relative_error(found: Any, wanted: Any) -> float:
    """Give the greatest difference in units of the root mean square of what is wanted."""
    found, wanted = (np.asarray(a, np.float64).ravel() for a in (found, wanted))
    finite = np.isfinite(wanted)
    if not np.array_equal(found[~finite], wanted[~finite], equal_nan=True):
        return math.inf
    scale = float(np.sqrt(np.mean(wanted[finite] ** 2))) if finite.any() else 1.0
    return float(np.max(np.abs(found[finite] - wanted[finite]), initial=0.0)) / (scale or 1.0)


if __name__ == "__main__":
    chosen = load_catalogue().workload(sys.argv[2])
    print(json.dumps(time_kernel(sys.argv[1], chosen)))
