"""Times things on a GPU, workload after workload: a line of JSON in, a line of JSON out.

    echo '{"workload": ID, "what": ["default", "dlight"]}' | python benchmarks/gpu_timed.py DEVICE LOCK

`what` is `plain` (compute alone), `default` (the default lowering), `ahead` (the same, fetching ahead),
`dlight` (TVM's rules) or `torch`. Compiling is done beside other processes; whoever times holds the lock.
Launches of one round are captured as a CUDA graph where that is possible, so that no host is measured.
"""

import ctypes
import fcntl
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from edgekernelbench.base.errors import CompileError, DeviceFault, SourceError
from edgekernelbench.compiler.arrays import Array, aligned_zeros, allocate_buffer, place_array
from edgekernelbench.compiler.cuda.nvcc import compile_cubin
from edgekernelbench.compiler.tvm.compiler import start_tvm
from edgekernelbench.evaluator.timing import set_count
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lowering.choices import DEFAULT
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.sampling import STANDARD
from edgekernelbench.workloads.schema import Workload

start_tvm(1)

import tvm

from edgekernelbench.compiler.tvm.gpu.build import write_device_code
from edgekernelbench.compiler.tvm.gpu.cuda import CudaExecutable, Events, need_arch
from edgekernelbench.compiler.tvm.metaschedule.measure import agrees

SAMPLES = 12
ROUND_US = 1500.0
MOST_LAUNCHES = 1000
SLOW_NS = 5_000_000.0
"""A run that takes longer reads far more than any cache holds, and needs no graph."""
MOST_SETS = 16
_RELAXED = 2

Start = Callable[[], object]
Outputs = Mapping[str, Array]


class Graph:
    """Launches captured on a stream of their own, replayed and timed by events."""

    def __init__(self, starts: Sequence[Start]) -> None:
        self._device = tvm.cuda(0)
        self._runtime = ctypes.CDLL("libcudart.so.13")
        stream = self._device.create_raw_stream()
        self._stream = ctypes.c_void_p(int(getattr(stream, "value", stream)))
        graph, self._exec = ctypes.c_void_p(), ctypes.c_void_p()
        self._device.set_raw_stream(stream)
        try:
            self._check(self._runtime.cudaStreamBeginCapture(self._stream, _RELAXED))
            for start in starts:
                start()
            self._check(self._runtime.cudaStreamEndCapture(self._stream, ctypes.byref(graph)))
        finally:
            self._device.set_raw_stream(0)
        instantiate = self._runtime.cudaGraphInstantiate
        self._check(instantiate(ctypes.byref(self._exec), graph, ctypes.c_ulonglong(0)))
        self._pair = (ctypes.c_void_p(), ctypes.c_void_p())
        for event in self._pair:
            self._check(self._runtime.cudaEventCreate(ctypes.byref(event)))

    def round_ns(self) -> float:
        """Replay once; nanoseconds between the events round it."""
        runtime, (first, last) = self._runtime, self._pair
        self._check(runtime.cudaEventRecord(first, self._stream))
        self._check(runtime.cudaGraphLaunch(self._exec, self._stream))
        self._check(runtime.cudaEventRecord(last, self._stream))
        self._check(runtime.cudaEventSynchronize(last))
        passed = ctypes.c_float()
        self._check(runtime.cudaEventElapsedTime(ctypes.byref(passed), first, last))
        return float(passed.value) * 1e6

    def _check(self, status: int) -> None:
        if status:
            raise DeviceFault(f"CUDA's runtime answered with error {status}")


def timed_us(sets: Sequence[Sequence[Start]]) -> tuple[float, bool]:
    """Time one run: sets of buffers in turn, the median of rounds; say whether it was a graph."""
    device, events = tvm.cuda(0), Events()

    def plain_ns(starts: Sequence[Start]) -> float:
        events.first()
        for start in starts:
            start()
        events.last()
        device.sync()
        return float(events.between_ns())

    plain_ns(sets[0])
    if plain_ns(sets[0]) > SLOW_NS:
        return statistics.median(plain_ns(sets[0]) for _ in range(3)) / 1e3, False
    once = [start for one in sets for start in one]
    each = plain_ns(once) / 1e3 / len(sets)
    rounds = max(1, min(int(ROUND_US / max(each * len(sets), 0.5)), MOST_LAUNCHES // len(once)))
    starts = once * rounds
    try:
        graph = Graph(starts)
        run: Callable[[], float] = graph.round_ns
        run()
    except (DeviceFault, RuntimeError, ValueError, TypeError) as error:
        print(f"no graph: {str(error).strip().splitlines()[-1:]}", file=sys.stderr)
        run = partial(plain_ns, starts)
    samples = [run() for _ in range(SAMPLES)]
    return statistics.median(samples) / 1e3 / (len(sets) * rounds), run.__name__ == "round_ns"


class Tried(CudaExecutable):
    """An executable whose launches can be taken."""

    def starts(self, params: Sequence[Array], outputs: Sequence[Array]) -> tuple[list[Start], Any]:
        """Put buffers on the GPU; give the launches, and what fetches the outputs."""
        memory = self._arguments(params, outputs)
        return self._calls(self._run, memory), partial(self._fetch, memory, outputs)


def own(workload: Workload, profile: Profile, kind: str) -> tuple[Nest, Callable[[], Tried]]:
    """Compile a kernel text."""
    kernel: Kernel = workload.kernel()
    if kind != "plain":
        chosen = replace(DEFAULT, double=kind == "ahead")
        kernel = default_lowering(verify_compute(kernel), profile.target, profile, chosen)
    nest = build_nest(verify_compute(kernel), profile.target, profile)
    code = write_device_code(nest, profile)
    cubin = compile_cubin(code.source, profile.cpu)
    return nest, lambda: Tried(cubin.data, code.run, code.prepare, nest)


def own_us(
    workload: Workload, profile: Profile, kind: str, inputs: Sequence[Any], lock: str
) -> tuple[dict[str, Any], Outputs]:
    """Time a kernel text."""
    nest, load = own(workload, profile, kind)
    arrays = [place_array(b, a) for b, a in zip(nest.params, inputs, strict=True)]
    outputs = [allocate_buffer(b) for b in nest.outputs]
    count = sets_of((*arrays, *outputs), profile)
    with held(lock):
        executable = load()
        executable.prepare(arrays)
        others = [(_copies(arrays), _copies(outputs)) for _ in range(count - 1)]  # known by their addresses
        bound = [executable.starts(*one)[0] for one in others]
        starts, fetch = executable.starts(arrays, outputs)
        us, graph = timed_us([*bound, starts])
        fetch()
    return {"us": us, "graph": graph}, {b.name: a for b, a in zip(nest.outputs, outputs, strict=True)}


def _copies(arrays: Sequence[Array]) -> list[Array]:
    made = []
    for array in arrays:
        fresh = aligned_zeros(array.shape, array.dtype)
        fresh[...] = array
        made.append(fresh)
    return made


def sets_of(arrays: Sequence[Array], profile: Profile) -> int:
    """Count the sets of buffers that leave the cache behind."""
    return min(MOST_SETS, set_count(sum(a.nbytes for a in arrays), profile.cache_bytes[-1]))


def dlight_us(
    workload: Workload, profile: Profile, inputs: Sequence[Any], lock: str, expected: Outputs
) -> dict[str, Any]:
    """Time what dlight makes of a workload: the fastest right one of its ways."""
    import dlight  # type: ignore[import-not-found] # the file beside this one

    best: dict[str, Any] = {}
    for cuts in dlight.list_cuts(workload, profile):
        try:
            made = dlight.schedule(workload, cuts, profile)
            nest = made.whole.nest
            given = [place_array(b, a) for b, a in zip(nest.params, inputs, strict=True)]
            count = sets_of((*given, *expected.values()), profile)
            with held(lock):
                bound = [dlight.bind(made, given) for _ in range(count)]
                us, graph = timed_us([starts for starts, _ in bound])
                found = {name: tensor.numpy() for name, tensor in bound[0][1].items()}
        except CompileError as error:
            best.setdefault("why", str(error)[:200])
            continue
        wrong = [name for name, want in expected.items() if not agrees(_like(found[name], want), want)]
        if wrong:
            best.setdefault("why", f"{', '.join(wrong)} differ from ours")
        elif us < best.get("us", float("inf")):
            best = {"us": us, "graph": graph, "parts": len(cuts.parts)}
    return best


def _like(found: Any, wanted: Array) -> Array:
    return np.ascontiguousarray(found).reshape(-1).view(wanted.dtype).reshape(wanted.shape)


def torch_us(workload: Workload, inputs: Sequence[Any], lock: str) -> dict[str, Any]:
    """Time the workload's PyTorch function on the GPU: eager, TF32 off, as it stands in the catalogue."""
    import torch

    from edgekernelbench.workloads.pytorch import to_tensor

    torch.set_default_device("cuda")  # functions make tensors of their own
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    function = workload.torch_function()
    size = sum(np.asarray(a).nbytes for a in inputs)
    count = min(MOST_SETS, set_count(max(1, size), 62914560))
    with held(lock), torch.no_grad():
        sets = [[to_tensor(a).cuda() for a in inputs] for _ in range(count)]
        return {"us": _events_us(lambda n: function(*sets[n % count]), torch)}


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
            runs = max(1, min(2000, int(ROUND_US / max(each, 1.0))))
    return float(statistics.median(samples))


@contextmanager
def held(lock: str) -> Iterator[None]:
    """Have the GPU to oneself."""
    with open(lock, "w", encoding="utf-8") as file:  # noqa: PTH123
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def answer(workload: Workload, whats: Sequence[str], profile: Profile, lock: str) -> dict[str, Any]:
    """Time several things of one workload."""
    inputs = make_inputs(workload, 1, str(STANDARD[0]))
    found: dict[str, Any] = {}
    outputs: Outputs = {}
    for what in whats:
        try:
            if what == "torch":
                found[what] = torch_us(workload, inputs, lock)
            elif what == "dlight":
                found[what] = dlight_us(workload, profile, inputs, lock, outputs)
            else:
                found[what], outputs = own_us(workload, profile, what, inputs, lock)
        except (CompileError, SourceError) as error:
            found[what] = {"why": str(error)[:200]}
    return found


def main() -> None:
    device, lock = sys.argv[1:3]
    profile = load_profile(device)
    if profile.cpu in ("", "native"):
        profile = replace(profile, cpu=need_arch())
    catalogue = load_catalogue()
    for line in sys.stdin:
        asked = json.loads(line)
        workload = catalogue.workload(asked["workload"])
        print(json.dumps(answer(workload, asked["what"], profile, lock)), flush=True)
    os._exit(0)  # TVM may crash when it is taken down


if __name__ == "__main__":
    main()
