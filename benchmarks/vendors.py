"""Which library is the vendor of each workload, and how fast all of them are.

    python benchmarks/vendors.py [--json] [PART OF A WORKLOAD'S NAME …]

Each library runs in a forked process of its own, on inputs that its trace has not seen; values are compared
as the judge does. TVM is never loaded here. A cell is microseconds, or why the library fell out; `loop` marks
Python loops. With EKB_CPU_TIME set it is the processor's time of one thread.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from clocks import THREADS, best_of

from edgekernelbench.evaluator.baselines import Contender, UnfitError
from edgekernelbench.evaluator.compare import compare, expect
from edgekernelbench.evaluator.environment import WORKER_COMMAND, scratch_root, worker_environment
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.evaluator.vendor_onnx import bind_call, open_session
from edgekernelbench.evaluator.vendor_torch import freeze_call, load_call
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.pytorch import from_tensor
from edgekernelbench.workloads.reference import compute_reference
from edgekernelbench.workloads.schema import Workload

LIMIT_S = 60
LOADED = (onnx, onnxruntime)
"""Loaded before the first fork; nothing runs in this process."""

Found = dict[str, Any]


def survey(workload: Workload, servers: dict[str, Supervisor]) -> Found:
    """Time all libraries on a workload; `name` is the fastest correct one, `us` its time."""
    times: dict[str, float] = {}
    fallen: dict[str, str] = {}
    loops: dict[str, bool] = {}
    for contender in VendorBaseline(bench_profile()).contenders:
        found = apart(
            lambda c=contender: measure(c, workload, servers), prepare(contender, workload, servers)
        )
        loops[contender.name] = contender.loops(workload)
        if "us" in found:
            times[contender.name] = found["us"]
        else:
            fallen[contender.name] = found["why"]
    name = min(times, key=lambda each: times[each], default=None)
    best = {} if name is None else {"us": times[name], "loop": loops[name]}
    return {"name": name, **best, "times": times, "fallen": fallen}


def prepare(contender: Contender, workload: Workload, servers: dict[str, Supervisor]) -> str:
    """Export where that is needed, from this process, whose child the server is; give why it cannot be."""
    try:
        contender.assignment(workload, Limits(), lambda name: server(servers, name))
    except UnfitError as error:
        return str(error)
    return ""


def server(servers: dict[str, Supervisor], name: str) -> Supervisor:
    if name not in servers:
        servers[name] = Supervisor([*WORKER_COMMAND, name], worker_environment(THREADS), scratch_root())
    return servers[name]


def apart(run: Callable[[], Found], unfit: str) -> Found:
    """Run in a fork; give what it found."""
    if unfit:
        return {"why": unfit}
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        import signal
        import warnings

        signal.alarm(LIMIT_S)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        warnings.simplefilter("ignore")
        try:
            found = run()
        except Exception as error:  # whatever a library raises is why it fell out
            found = {"why": f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"}
        os.write(send, json.dumps(found).encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else {"why": f"over {LIMIT_S} s, or dead"}


def measure(contender: Contender, workload: Workload, servers: dict[str, Supervisor]) -> Found:
    call, why = make_call(contender, workload, servers)

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return {"why": why} if why else {"us": best_of(run)}


def make_call(
    contender: Contender, workload: Workload, servers: dict[str, Supervisor]
) -> tuple[Callable[[], object], str]:
    """Prepare a library and run it once; the text says what is wrong with its values."""
    task = contender.assignment(workload, Limits(), lambda name: server(servers, name))
    request: Any = dict(task.fields)
    params, others = ([np.array(a, order="C") for a in make_inputs(workload, seed)] for seed in (1, 2))
    expected = compute_reference(workload, tuple(params))
    outputs: Sequence[Any] = [np.zeros_like(d) for d in expected.declared]
    if task.role == "onnx":
        call: Callable[[], object] = bind_call(request, open_session(request, params), params, outputs)
        call()
    else:
        library = load_call(request) if task.role == "torch" else freeze_call(request, params, others)
        outputs = [from_tensor(t) for t in library(params)]
        call = partial(library, params)
    triples = zip(expected.facts, expected.outputs, expected.declared, strict=True)
    for output, triple in zip(outputs, triples, strict=True):
        if output.dtype != triple[2].dtype:
            return call, f"wrong: {output.dtype} where {triple[2].dtype} is wanted"
        mismatch = compare(output, expect(*triple)).mismatch
        if mismatch is not None:
            return call, f"wrong: {mismatch.detail}"
    return call, ""


def named_call(name: str, workload: Workload) -> Callable[[], object]:
    """Prepare the library of a name; its model was exported before."""
    torch.set_num_threads(THREADS)
    contenders = VendorBaseline(bench_profile()).contenders
    return make_call(next(c for c in contenders if c.name == name), workload, {})[0]


def bench_profile() -> Profile:
    return replace(load_profile("llvm"), threads=THREADS)


def main() -> None:
    parts = [a for a in sys.argv[1:] if not a.startswith("--")]
    torch.set_num_threads(THREADS)
    servers: dict[str, Supervisor] = {}
    chosen = [w for w in load_catalogue().workloads if not parts or any(part in w.id for part in parts)]
    for workload in chosen:
        found = survey(workload, servers)
        if "--json" in sys.argv:
            print(json.dumps({"workload": workload.id, **found}), flush=True)
            continue
        mark = " (loop)" if found.get("loop") else ""
        rest = {**{k: f"{v:.1f}" for k, v in found["times"].items()}, **found["fallen"]}
        print(f"{workload.id:50} {found['name']}{mark}: " + "; ".join(f"{k} {v}" for k, v in rest.items()))
    for each in servers.values():
        with suppress(OSError):
            each.close()


if __name__ == "__main__":
    main()
