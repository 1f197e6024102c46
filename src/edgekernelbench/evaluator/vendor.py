"""The pattern's PyTorch function as a baseline, in a process that has never seen the compiler.

It is what the catalogue's file says, called eagerly on tensors that stay in place: a library's kernels with a
practitioner's call. Weights are passed as they are; a library that packs them does so inside each call.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import InternalError, PrerequisiteError
from edgekernelbench.compiler.interface import Array
from edgekernelbench.evaluator.desk import Desk, serve_tokens
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.sheets import Form
from edgekernelbench.evaluator.timing import Batches, BatchPlan, call_rounds, copy_sets, set_count
from edgekernelbench.evaluator.trial import Assignment
from edgekernelbench.ir.dtype import DType
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.outcome import Phase
from edgekernelbench.workloads.pytorch import from_tensor, load_function, to_tensor
from edgekernelbench.workloads.schema import Workload

WHOLE = {DType.I4: DType.I8, DType.U4: DType.U8}
"""4-bit parameters are given to PyTorch with a byte each: it has no such type."""


class TorchBaseline:
    """The PyTorch function of a workload's pattern."""

    name = "torch"
    server = "torch"
    required = False

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def assignment(self, workload: Workload, limits: Limits) -> Assignment:
        """Say what its worker is to do."""
        kernel = workload.kernel()
        forms: list[Form] = [(WHOLE.get(p.dtype, p.dtype), p.shape) for p in kernel.params]
        fields = {
            "path": str(workload.pattern.torch_path),
            "name": workload.pattern.name,
            "sizes": {
                name: v if isinstance(v, int | float) else str(v) for name, v in workload.sizes.items()
            },
            "shapes": [p.shape for p in kernel.params],
            "threads": self._profile.threads,
        }
        return Assignment(
            role="torch",
            fields=fields,
            param_forms=tuple(forms),
            const=tuple(p.const for p in kernel.params),
            limits=limits,
            cache_bytes=self._profile.cache_bytes[-1] if self._profile.cache_bytes else 0,
        )


def run_torch(folder: Path) -> None:
    """Do the work of a worker in the role `torch`."""
    desk = Desk(folder)
    tempfile.tempdir = str(folder)
    try:
        with desk.phase(Phase.COMPILE):
            call = _load(desk.request)
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
        return
    with desk.running():
        for sheet in desk.sheets():
            for slots in (sheet.layout.first, sheet.layout.again):
                _fill(sheet.arrays(slots), call(sheet.arrays(sheet.layout.params)))
    if desk.request["timing"] is not None:
        _time(desk, call)
    desk.reply(cost={"code_bytes": None, "workspace_bytes": {}})


Call = Callable[[Sequence[Array]], Sequence[Any]]


def _load(request: dict[str, Any]) -> Call:
    function = load_function(Path(request["path"]), request["name"], request["sizes"])
    import torch  # noqa: PLC0415

    torch.set_num_threads(request["threads"])
    return partial(_call, function, [tuple(shape) for shape in request["shapes"]])


def _call(
    function: Callable[..., Any], shapes: Sequence[tuple[int, ...]], params: Sequence[Array]
) -> Sequence[Any]:
    import torch  # noqa: PLC0415

    with torch.inference_mode():
        result = function(*(to_tensor(p.reshape(shape)) for p, shape in zip(params, shapes, strict=True)))
    return result if isinstance(result, tuple) else (result,)


def _fill(outputs: Sequence[Array], tensors: Sequence[Any]) -> None:
    for output, tensor in zip(outputs, tensors, strict=True):
        values = from_tensor(tensor)
        if values.dtype != output.dtype or values.size != output.size:
            found = f"{values.dtype}{list(values.shape)}"
            raise InternalError(f"expected {output.dtype}{list(output.shape)} of PyTorch, found {found}")
        output[...] = values.reshape(output.shape)


def _time(desk: Desk, call: Call) -> None:
    fields = desk.request["timing"]
    sheet = desk.timed_sheet()
    params = sheet.arrays(sheet.layout.params)
    rotated = [not const for const in fields["const"]]
    outputs = sum(slot.nbytes for slot in sheet.layout.first)
    size = outputs + sum(p.nbytes for p, turns in zip(params, rotated, strict=True) if turns)
    sets = copy_sets(params, rotated, set_count(size, fields["cache_bytes"]))
    plan = BatchPlan(fields["batch_ns"], fields["cache_bytes"])
    last: dict[int, Sequence[Any]] = {}

    def run(number: int) -> None:
        last[number] = call(sets[number])

    def leave() -> None:
        _fill(sheet.arrays(sheet.layout.first), last[0])
        _fill(sheet.arrays(sheet.layout.again), last[max(last)])

    batches = Batches(call_rounds(run, len(sets)), len(sets), plan)
    serve_tokens(desk, batches, cost={"code_bytes": None, "workspace_bytes": {}}, leave=leave)
