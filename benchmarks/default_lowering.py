"""How good the default lowering is: against the plain text and against the vendors, per workload.

Each timed thing runs in a process of its own with the same number of threads; the best of several batches counts, and
the table gives ratios. Run it on an idle machine: `python benchmarks/default_lowering.py [WORKLOAD …] [--plain] [--no-vendor]`.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import replace

CPU = "EKB_CPU_TIME" in os.environ
"""On a busy machine: one thread, and the processor's time in place of the clock's."""
THREADS = 1 if CPU else 2
ROUNDS = 7
clock = time.process_time_ns if CPU else time.perf_counter_ns


def time_call(call, budget_s: float = 0.25) -> float:
    """Best mean of several rounds, in microseconds."""
    call()
    start = clock()
    call()
    once = max(clock() - start, 200)
    repeats = max(1, int(budget_s * 1e9 / ROUNDS / once))
    best = math.inf
    for _ in range(ROUNDS):
        start = clock()
        for _ in range(repeats):
            call()
        best = min(best, (clock() - start) / repeats)
    return best / 1e3


def run_kernel(workload_id: str, kind: str, check: bool) -> dict:
    os.environ["TVM_NUM_THREADS"] = str(THREADS)
    import numpy as np

    from edgekernelbench.compiler.arrays import aligned_zeros, allocate_buffer, place_array
    from edgekernelbench.compiler.tvm.compiler import TvmCompiler
    from edgekernelbench.lang.parse import parse
    from edgekernelbench.lang.printing import print_kernel
    from edgekernelbench.lowering.default import default_lowering
    from edgekernelbench.nest.build import build_nest
    from edgekernelbench.profiles.profile import load_profile
    from edgekernelbench.verify.compute import verify_compute
    from edgekernelbench.workloads.catalogue import load_catalogue
    from edgekernelbench.workloads.inputs import make_inputs

    workload = load_catalogue().workload(workload_id)
    profile = replace(load_profile("llvm"), threads=THREADS)
    facts = verify_compute(workload.kernel())
    if kind == "default":
        facts = replace(facts, kernel=default_lowering(facts, "llvm", profile))
    elif kind != "plain":
        facts = verify_compute(parse(open(kind).read()))
    nest = build_nest(facts, "llvm", profile)
    start = time.process_time()
    artifact = TvmCompiler().compile(nest, profile)
    built = time.process_time() - start
    inputs = make_inputs(workload, 1)
    params = [place_array(b, np.atleast_1d(a)) for b, a in zip(nest.params, inputs, strict=True)]
    outputs = [allocate_buffer(b) for b in nest.outputs]
    run = artifact.executable
    run.prepare(params)
    run.run(params, outputs)
    result = {"build_s": built}
    if check:
        from edgekernelbench.workloads.reference import compute_reference

        reference = compute_reference(workload, inputs)
        worst = 0.0
        for got, want in zip(outputs, reference.outputs, strict=True):
            got, want = np.asarray(got, np.float64).ravel(), np.asarray(want, np.float64).ravel()
            ok = np.isfinite(want)
            scale = np.sqrt(np.mean(want[ok] ** 2)) + 1e-30
            if not np.array_equal(got[~ok], want[~ok], equal_nan=True):
                worst = math.inf
            worst = max(worst, float(np.max(np.abs(got[ok] - want[ok]), initial=0.0) / scale))
        result["error"] = worst
    times = [min(run.time_batches([params], [outputs], repeats=1)) for _ in range(2)]
    repeats = max(1, int(0.03e9 / max(times[-1], 200)))
    best = math.inf
    for _ in range(ROUNDS):
        start = clock()
        run.time_batches([params], [outputs], repeats=repeats)
        best = min(best, (clock() - start) / repeats)
    result["us"] = best / 1e3
    return result


def run_torch(workload_id: str) -> dict:
    import torch

    from edgekernelbench.workloads.catalogue import load_catalogue
    from edgekernelbench.workloads.inputs import make_inputs
    from edgekernelbench.workloads.pytorch import to_tensor

    torch.set_num_threads(THREADS)
    workload = load_catalogue().workload(workload_id)
    tensors = [to_tensor(a) for a in make_inputs(workload, 1)]
    function = workload.torch_function()
    with torch.inference_mode():
        return {"us": time_call(lambda: function(*tensors))}


def child(*args: str) -> dict:
    done = subprocess.run(
        [sys.executable, __file__, "--child", *args], capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        return {
            "failed": done.stderr.strip().splitlines()[-1][:150]
            if done.stderr.strip()
            else str(done.returncode)
        }
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--no-vendor", action="store_true")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--child", nargs="*")
    args = parser.parse_args()
    if args.child:
        kind, workload_id = args.child[:2]
        result = (
            run_torch(workload_id)
            if kind == "torch"
            else run_kernel(workload_id, kind, "check" in args.child)
        )
        print(json.dumps(result))
        return
    from edgekernelbench.workloads.catalogue import load_catalogue

    rows = [w.id for w in load_catalogue().workloads]
    chosen = [r for r in rows if not args.workloads or any(a in r for a in args.workloads)]
    ratios, gains = [], []
    print(
        f"{'workload':52} {'default us':>11} {'plain us':>11} {'torch us':>11} {'gain':>7} {'vs torch':>8} {'build s':>7} {'error':>8}"
    )
    for row in chosen:
        ours = child("default", row, *([] if args.no_check else ["check"]))
        plain = child("plain", row) if args.plain else {}
        vendor = {} if args.no_vendor else child("torch", row)
        if "us" in ours and "us" in plain:
            gains.append(plain["us"] / ours["us"])
        if "us" in ours and "us" in vendor:
            ratios.append(ours["us"] / vendor["us"])
        cell = lambda d, k="us", f="11.1f": format(d[k], f) if k in d else format("-", f">{f.split('.')[0]}")  # noqa: E731
        gain = f"{gains[-1]:7.1f}" if "us" in plain and "us" in ours else "      -"
        ratio = f"{ratios[-1]:8.2f}" if "us" in vendor and "us" in ours else "       -"
        print(
            f"{row:52} {cell(ours)} {cell(plain)} {cell(vendor)} {gain} {ratio} {cell(ours, 'build_s', '7.2f')} {cell(ours, 'error', '8.1e')} {ours.get('failed', '')} {vendor.get('failed', '')}",
            flush=True,
        )
    for name, values in (("plain / default", gains), ("default / torch", ratios)):
        if values:
            print(
                f"{name}: geometric mean {math.exp(sum(map(math.log, values)) / len(values)):.2f} over {len(values)}"
            )


if __name__ == "__main__":
    main()
