"""PyTorch as a vendor, in workers that have never seen the compiler: called plainly, frozen, or exported.

`torch` calls the function under `inference_mode`. `frozen` is traced with its weights bound and put through
PyTorch's own inference passes, which fold what depends on weights alone and pack weights for oneDNN. A trace
keeps what it saw of values, so it is made on other inputs than those it is run on.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from edgekernelbench.base.errors import InternalError, PrerequisiteError
from edgekernelbench.compiler.interface import Array
from edgekernelbench.evaluator.desk import Desk, serve_tokens
from edgekernelbench.evaluator.sheets import Sheet
from edgekernelbench.evaluator.timing import Batches, BatchPlan, call_rounds, copy_sets, set_count
from edgekernelbench.records.outcome import Phase
from edgekernelbench.workloads.pytorch import from_tensor, load_function, to_tensor

NO_COST: dict[str, object] = {"code_bytes": None, "workspace_bytes": {}}

Call = Callable[[Sequence[Array]], Sequence[Any]]

MODEL = "model.onnx"
EXAMPLES = "examples.npz"
OPSET = 18
"""The newest that PyTorch's tracing exporter writes."""


def run_torch(folder: Path) -> None:
    """Do the work of a worker in the role `torch`."""
    _serve(folder, lambda request, _params, _others: load_call(request))


def run_frozen(folder: Path) -> None:
    """Do the work of a worker in the role `frozen`."""
    _serve(folder, freeze_call)


Prepare = Callable[[dict[str, Any], Sequence[Array], Sequence[Array]], Call]
"""Makes a call for parameters whose constants stay; the last argument is another set, to trace with."""


def _serve(folder: Path, prepare: Prepare) -> None:
    desk = Desk(folder)
    tempfile.tempdir = str(folder)
    try:
        with desk.phase(Phase.COMPILE):
            calls = _calls(desk, prepare)
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
        return
    with desk.running():
        for sheet, call in calls:
            for slots in (sheet.layout.first, sheet.layout.again):
                fill_outputs(sheet.arrays(slots), call(sheet.arrays(sheet.layout.params)))
    if desk.request["timing"] is not None:
        _time(desk, prepare)
    desk.reply(cost=NO_COST)


def _calls(desk: Desk, prepare: Prepare) -> list[tuple[Sheet, Call]]:
    sheets = desk.sheets()
    params = [sheet.arrays(sheet.layout.params) for sheet in sheets]
    others = [*params[1:], params[0]]
    triples = zip(sheets, params, others, strict=True)
    return [(sheet, prepare(desk.request, own, other)) for sheet, own, other in triples]


def load_call(request: dict[str, Any]) -> Call:
    """Make a call of the function as it is.

    Args:
        request: The fields of a vendor's assignment.
    """
    import torch  # noqa: PLC0415

    function = torch_function(request)
    shapes = shapes_of(request)

    def call(params: Sequence[Array]) -> Sequence[Any]:
        with torch.inference_mode():
            return several(function(*tensors_of(params, shapes)))

    return call


def freeze_call(request: dict[str, Any], params: Sequence[Array], others: Sequence[Array]) -> Call:
    """Make a call of the traced, folded and packed function.

    Args:
        request: The fields of a vendor's assignment.
        params: Parameters whose constants stay.
        others: Parameters to trace with.
    """
    import torch  # noqa: PLC0415

    const: list[bool] = request["const"]
    shapes = shapes_of(request)
    own, other = tensors_of(params, shapes), tensors_of(others, shapes)
    module = _bind(torch_function(request), own, const)
    examples = tuple(t for t, held in zip(other, const, strict=True) if not held)
    with torch.no_grad():
        traced = torch.jit.trace(module, examples, check_trace=False)
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(traced.eval()))
    free = [n for n, held in enumerate(const) if not held]
    free_shapes = [shapes[n] for n in free]

    def call(given: Sequence[Array]) -> Sequence[Any]:
        with torch.inference_mode():
            return several(frozen(*tensors_of([given[n] for n in free], free_shapes)))

    return call


def _bind(function: Callable[..., Any], tensors: Sequence[Any], const: Sequence[bool]) -> Any:
    """Make a module of the parameters that are not constant; the others are its buffers."""
    import torch  # noqa: PLC0415

    class Bound(torch.nn.Module):  # type: ignore[misc]
        """The function with its weights."""

        def __init__(self) -> None:
            super().__init__()
            for number, (tensor, held) in enumerate(zip(tensors, const, strict=True)):
                if held:
                    self.register_buffer(f"p{number}", tensor.clone())

        def forward(self, *given: Any) -> Any:
            rest = iter(given)
            return function(*(getattr(self, f"p{n}") if c else next(rest) for n, c in enumerate(const)))

    return Bound().eval()


def export_onnx(folder: Path) -> None:
    """Do the work of a worker in the role `export`: leave an ONNX model in the folder."""
    desk = Desk(folder)
    tempfile.tempdir = str(folder)
    request = desk.request
    try:
        with desk.phase(Phase.COMPILE):
            if request["onnx_path"] is None:
                _export(folder, request)
            else:
                _parse(folder, request)
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
        return
    desk.reply(model=MODEL)


def _parse(folder: Path, request: dict[str, Any]) -> None:
    import onnx  # noqa: PLC0415

    text = load_function(Path(request["onnx_path"]), f"{request['name']}_onnx", request["sizes"])()
    model = onnx.parser.parse_model(text)
    (folder / MODEL).write_bytes(model.SerializeToString())


def _export(folder: Path, request: dict[str, Any]) -> None:
    import torch  # noqa: PLC0415

    with np.load(folder / EXAMPLES) as held:
        arrays = [held[f"p{n}"].view(kind) for n, kind in enumerate(request["kinds"])]
    tensors = tensors_of(arrays, shapes_of(request))
    function = torch_function(request)

    class Plain(torch.nn.Module):  # type: ignore[misc]
        """The function, its weights among the inputs."""

        def forward(self, *given: Any) -> Any:
            return function(*given)

    with torch.no_grad():
        torch.onnx.export(
            Plain().eval(),
            tuple(tensors),
            str(folder / MODEL),
            input_names=request["params"],
            dynamo=False,
            opset_version=OPSET,
            do_constant_folding=True,
        )


def torch_function(request: dict[str, Any]) -> Callable[..., Any]:
    """Load the function of a request, and give PyTorch its threads."""
    function = load_function(Path(request["path"]), request["name"], request["sizes"])
    import torch  # noqa: PLC0415

    torch.set_num_threads(request["threads"])
    return function


def shapes_of(request: dict[str, Any]) -> list[tuple[int, ...]]:
    """Give the shape of each parameter of a request."""
    return [tuple(shape) for shape in request["shapes"]]


def tensors_of(arrays: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """Make tensors that share the memory of arrays."""
    return [to_tensor(a.reshape(shape)) for a, shape in zip(arrays, shapes, strict=True)]


def several(result: Any) -> Sequence[Any]:
    """Give the results of a function, also of one that has a single one."""
    return result if isinstance(result, tuple) else (result,)


def fill_outputs(outputs: Sequence[Array], tensors: Sequence[Any]) -> None:
    """Copy results to where the judge reads them.

    Raises:
        InternalError: When their type or size is another.
    """
    for output, tensor in zip(outputs, tensors, strict=True):
        values = from_tensor(tensor)
        if values.dtype != output.dtype or values.size != output.size:
            found = f"{values.dtype}{list(values.shape)}"
            raise InternalError(f"expected {output.dtype}{list(output.shape)} of PyTorch, found {found}")
        output[...] = values.reshape(output.shape)


def _time(desk: Desk, prepare: Prepare) -> None:
    fields = desk.request["timing"]
    sheet = desk.timed_sheet()
    params = sheet.arrays(sheet.layout.params)
    other = desk.sheets()[0]
    call = prepare(desk.request, params, other.arrays(other.layout.params))
    rotated = [not const for const in fields["const"]]
    outputs = sum(slot.nbytes for slot in sheet.layout.first)
    size = outputs + sum(p.nbytes for p, turns in zip(params, rotated, strict=True) if turns)
    sets = copy_sets(params, rotated, set_count(size, fields["cache_bytes"]))
    plan = BatchPlan(fields["batch_ns"], fields["cache_bytes"])
    last: dict[int, Sequence[Any]] = {}

    def run(number: int) -> None:
        last[number] = call(sets[number])

    def leave() -> None:
        fill_outputs(sheet.arrays(sheet.layout.first), last[0])
        fill_outputs(sheet.arrays(sheet.layout.again), last[max(last)])

    batches = Batches(call_rounds(run, len(sets)), len(sets), plan)
    serve_tokens(desk, batches, cost=NO_COST, leave=leave)


ROLES = {"torch": run_torch, "frozen": run_frozen, "export": export_onnx}
"""What workers of the server `torch` can be asked to do."""
