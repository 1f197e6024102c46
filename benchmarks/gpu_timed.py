"""Times one thing on a GPU: `python benchmarks/gpu_timed.py plain|default|dlight|torch WORKLOAD DEVICE`.

Prints one line of JSON with the median of the samples in microseconds, buffers rotated beyond the cache.
"""

import json
import statistics
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.evaluator.timing import set_count
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.sampling import STANDARD
from edgekernelbench.workloads.schema import Workload

SAMPLES = 20
SAMPLE_US = 2000.0


def kernel_us(workload: Workload, device: str, kind: str) -> float:
    """Time a kernel text through the compiler."""
    from edgekernelbench.compiler.tvm import TvmCompiler

    profile = load_profile(device)
    kernel: Kernel = workload.kernel()
    if kind == "default":
        kernel = default_lowering(verify_compute(kernel), profile.target, profile)
    nest = build_nest(verify_compute(kernel), profile.target, profile)
    executable = TvmCompiler().compile(nest, profile).executable
    assert executable is not None
    inputs = make_inputs(workload, 1, str(STANDARD[0]))
    arrays = [place_array(buffer, array) for buffer, array in zip(nest.params, inputs, strict=True)]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    size = sum(a.nbytes for a in (*arrays, *outputs))
    count = min(32, set_count(size, profile.cache_bytes[-1]))
    params = [[array.copy() if n else array for array in arrays] for n in range(count)]
    params = [[_aligned(array) for array in one] for one in params]
    left = [[_aligned(array) for array in outputs] for _ in range(count)]
    executable.prepare(params[0])
    first = executable.time_batches(params, left, repeats=2)[-1] / 1e3 / count
    rounds = max(1, min(200, int(SAMPLE_US / max(first * count, 1.0))))
    samples = executable.time_batches(params * rounds, left * rounds, repeats=SAMPLES)
    return statistics.median(samples) / 1e3 / (count * rounds)


def _aligned(array: Any) -> Any:
    from edgekernelbench.compiler.arrays import aligned_zeros

    held = aligned_zeros(array.shape, array.dtype)
    held[...] = array
    return held


def torch_us(workload: Workload) -> float:
    """Time the workload's PyTorch function on the GPU: eager, TF32 off, as it stands in the catalogue."""
    import torch

    from edgekernelbench.workloads.pytorch import to_tensor

    torch.set_default_device("cuda")  # functions make tensors of their own
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    inputs = make_inputs(workload, 1, str(STANDARD[0]))
    function = workload.torch_function()
    size = sum(np.asarray(a).nbytes for a in inputs)
    count = min(32, set_count(max(1, size), 62914560))
    sets = [[to_tensor(a).cuda() for a in inputs] for _ in range(count)]
    with torch.no_grad():
        return _events_us(lambda n: function(*sets[n % count]), torch)


def _events_us(call: Callable[[int], object], torch: Any) -> float:
    for number in range(5):
        call(number)
    samples = []
    runs = 1
    for turn in range(SAMPLES + 1):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        for number in range(runs):
            call(number)
        end.record()
        torch.cuda.synchronize()
        each = begin.elapsed_time(end) * 1e3 / runs
        if turn:
            samples.append(each)
        else:
            runs = max(1, min(2000, int(SAMPLE_US / max(each, 1.0))))
    return statistics.median(samples)


def main() -> None:
    what, name, device = sys.argv[1:4]
    workload = load_catalogue().workload(name)
    if what == "torch":
        found: float | None = torch_us(workload)
    elif what == "dlight":
        from dlight import dlight_us

        found = dlight_us(workload, device)
    else:
        found = kernel_us(workload, device, what)
    print(json.dumps({"us": found}))


if __name__ == "__main__":
    main()
