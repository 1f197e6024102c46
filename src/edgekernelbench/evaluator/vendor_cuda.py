"""PyTorch on an NVIDIA GPU as a vendor: called plainly, or captured once as a CUDA graph.

A graph is what a practitioner ships when launches cost more than kernels do. Weights stay on the device, and
so do the inputs of timed runs: like a kernel's, what is timed has no transfer in it. TF32 is off, since the
judge would find it wrong.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import DeviceFault, PrerequisiteError
from edgekernelbench.compiler.gpu.clocks import believed
from edgekernelbench.evaluator.desk import Desk, serve_tokens
from edgekernelbench.evaluator.timing import Batches, BatchPlan, RunRound, copy_sets, set_count
from edgekernelbench.evaluator.vendor_torch import (
    NO_COST,
    fill_outputs,
    several,
    shapes_of,
    tensors_of,
    torch_function,
)
from edgekernelbench.records.outcome import Phase

NS_PER_MS = 1_000_000
WARM_UPS = 3
"""Calls before a graph is captured: libraries choose algorithms and reserve memory in the first ones."""

Start = Callable[[], Sequence[Any]]
"""Starts one run on tensors of the device and gives its results, which may not be there yet."""
Prepare = Callable[[Callable[..., Any], Sequence[Any]], Start]


def run_cuda(folder: Path) -> None:
    """Do the work of a worker in the role `torch-cuda`."""
    _serve(folder, plain_start)


def run_graph(folder: Path) -> None:
    """Do the work of a worker in the role `torch-cuda-graph`."""
    _serve(folder, graph_start)


def plain_start(function: Callable[..., Any], tensors: Sequence[Any]) -> Start:
    """Call the function as it is."""
    return lambda: several(function(*tensors))


def graph_start(function: Callable[..., Any], tensors: Sequence[Any]) -> Start:
    """Capture the function once, and replay what it launched."""
    import torch  # noqa: PLC0415

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UPS):
            function(*tensors)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = several(function(*tensors))

    def start() -> Sequence[Any]:
        graph.replay()
        return results

    return start


def _serve(folder: Path, prepare: Prepare) -> None:
    desk = Desk(folder)
    tempfile.tempdir = str(folder)
    try:
        with desk.phase(Phase.COMPILE):
            torch = _cuda()
            function = torch_function(desk.request)
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
        return
    shapes = shapes_of(desk.request)
    with torch.inference_mode():
        with desk.running():
            for sheet in desk.sheets():
                tensors = _on_device(tensors_of(sheet.arrays(sheet.layout.params), shapes))
                start = prepare(function, tensors)
                for slots in (sheet.layout.first, sheet.layout.again):
                    fill_outputs(sheet.arrays(slots), start())
        if desk.request["timing"] is not None:
            _time(desk, function, prepare)
    desk.reply(cost=NO_COST)


def _cuda() -> Any:
    import torch  # noqa: PLC0415

    if not torch.cuda.is_available():
        raise PrerequisiteError("this PyTorch has no CUDA device", "install a build of PyTorch with CUDA")
    torch.set_default_device("cuda")  # functions make tensors of their own
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return torch


def _on_device(tensors: Sequence[Any]) -> list[Any]:
    return [tensor.cuda() for tensor in tensors]


def _time(desk: Desk, function: Callable[..., Any], prepare: Prepare) -> None:
    import torch  # noqa: PLC0415

    fields = desk.request["timing"]
    shapes = shapes_of(desk.request)
    sheet = desk.timed_sheet()
    params = sheet.arrays(sheet.layout.params)
    rotated = [not const for const in fields["const"]]
    outputs = sum(slot.nbytes for slot in sheet.layout.first)
    size = outputs + sum(p.nbytes for p, turns in zip(params, rotated, strict=True) if turns)
    sets = copy_sets(params, rotated, set_count(size, fields["cache_bytes"]))
    held = _on_device(tensors_of(params, shapes))
    starts = []
    for arrays in sets:
        fresh = zip(tensors_of(arrays, shapes), held, rotated, strict=True)
        starts.append(prepare(function, [own.cuda() if turns else kept for own, kept, turns in fresh]))
    last: dict[int, Sequence[Any]] = {}

    def call(number: int) -> None:
        last[number] = starts[number]()

    def leave() -> None:
        fill_outputs(sheet.arrays(sheet.layout.first), last[0])
        fill_outputs(sheet.arrays(sheet.layout.again), last[max(last)])

    plan = BatchPlan(fields["batch_ns"], fields["cache_bytes"])
    batches = Batches(event_rounds(call, len(starts), torch.cuda), len(starts), plan)
    serve_tokens(desk, batches, cost=NO_COST, leave=leave)


def event_rounds(call: Callable[[int], object], sets: int, cuda: Any) -> RunRound:
    """Make a `RunRound` whose durations are those between two events of the device.

    Args:
        call: Starts a run on the set of a number.
        sets: How many sets there are.
        cuda: `torch.cuda`.
    """

    def run(count: int, repeats: int) -> list[int]:
        samples = []
        for _ in range(repeats):
            first, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
            begin = time.perf_counter_ns()
            first.record()
            for number in range(count):
                call(number % sets)
            end.record()
            try:
                end.synchronize()
            except RuntimeError as error:
                raise DeviceFault(f"the GPU failed while PyTorch ran: {error}") from error
            wall = time.perf_counter_ns() - begin
            samples.append(believed(wall, int(first.elapsed_time(end) * NS_PER_MS)))
        return samples

    return run


CUDA_ROLES = {"torch-cuda": run_cuda, "torch-cuda-graph": run_graph}
"""What workers of the server `torch` can be asked to do on a GPU."""
