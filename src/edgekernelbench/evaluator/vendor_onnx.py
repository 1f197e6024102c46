"""ONNX Runtime as a vendor, in a worker that has never seen the compiler or PyTorch.

Constant parameters become initialisers of the graph before a session is made, so that the runtime folds what
depends on them and packs them. Inputs and outputs are bound by address: nothing is copied in a timed run.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import InternalError, PrerequisiteError
from edgekernelbench.compiler.interface import Array
from edgekernelbench.evaluator.desk import Desk, serve_tokens
from edgekernelbench.evaluator.timing import Batches, BatchPlan, call_rounds, copy_sets, set_count
from edgekernelbench.evaluator.vendor_torch import NO_COST
from edgekernelbench.records.outcome import Phase

LOUD_ONLY = 3
"""Severity of messages: errors."""


def run_onnx(folder: Path) -> None:
    """Do the work of a worker in the role `onnx`."""
    desk = Desk(folder)
    tempfile.tempdir = str(folder)
    try:
        with desk.phase(Phase.COMPILE):
            sheets = [
                (sheet, open_session(desk.request, sheet.arrays(sheet.layout.params)))
                for sheet in desk.sheets()
            ]
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
        return
    with desk.running():
        for sheet, session in sheets:
            for slots in (sheet.layout.first, sheet.layout.again):
                bind_call(desk.request, session, sheet.arrays(sheet.layout.params), sheet.arrays(slots))()
    if desk.request["timing"] is not None:
        _time(desk)
    desk.reply(cost=NO_COST)


def open_session(request: dict[str, Any], params: Sequence[Array]) -> Any:
    """Make a session that holds the constant parameters.

    Args:
        request: The fields of a vendor's assignment, with the path of a model.
        params: All parameters.

    Raises:
        PrerequisiteError: When ONNX Runtime is not installed.
    """
    try:
        import onnx  # noqa: PLC0415
        import onnxruntime  # noqa: PLC0415
    except ImportError as error:
        remedy = "pip install 'edgekernelbench[vendor]'"
        raise PrerequisiteError("ONNX Runtime is not installed", remedy) from error
    model = onnx.load_model(request["model"])
    rows = zip(request["params"], request["const"], params, request["shapes"], strict=True)
    held = {name: array.reshape(shape) for name, const, array, shape in rows if const}
    for place in [info for info in model.graph.input if info.name in held]:
        value = onnx.numpy_helper.from_array(held[place.name], place.name)
        model.graph.initializer.append(value)
        model.graph.input.remove(place)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = request["threads"]
    settings.inter_op_num_threads = 1
    settings.log_severity_level = LOUD_ONLY
    # While another holds the token, threads of this pool must sleep.
    settings.add_session_config_entry("session.force_spinning_stop", "1")
    data = model.SerializeToString()
    return onnxruntime.InferenceSession(data, settings, providers=["CPUExecutionProvider"])


def bind_call(
    request: dict[str, Any], session: Any, params: Sequence[Array], outputs: Sequence[Array]
) -> Callable[[], object]:
    """Give a call that reads and writes these arrays.

    Args:
        request: The fields of a vendor's assignment.
        session: Of `open_session`.
        params: All parameters.
        outputs: Where outputs go.
    """
    import onnx  # noqa: PLC0415

    binding = session.io_binding()
    by_name = dict(zip(request["params"], zip(params, request["shapes"], strict=True), strict=True))
    kind_of = onnx.helper.np_dtype_to_tensor_dtype
    for place in session.get_inputs():
        array, shape = by_name[place.name]
        binding.bind_input(place.name, "cpu", 0, kind_of(array.dtype), shape, array.ctypes.data)
    for place, output, wanted in zip(session.get_outputs(), outputs, request["outputs"], strict=True):
        known = all(isinstance(extent, int) for extent in place.shape)
        shape = place.shape if known else wanted
        if math.prod(shape) != output.size:
            raise InternalError(f"expected {output.size} elements of ONNX Runtime, found the shape {shape}")
        binding.bind_output(place.name, "cpu", 0, kind_of(output.dtype), shape, output.ctypes.data)
    held = (*params, *outputs)

    def call() -> int:
        session.run_with_iobinding(binding)
        return len(held)  # bound by address: they live as long as the call

    return call


def _time(desk: Desk) -> None:
    fields = desk.request["timing"]
    sheet = desk.timed_sheet()
    params, outputs = sheet.arrays(sheet.layout.params), sheet.arrays(sheet.layout.first)
    session = open_session(desk.request, params)
    rotated = [*(not c for c in fields["const"]), *(True for _ in outputs)]
    size = sum(a.nbytes for a, turns in zip([*params, *outputs], rotated, strict=True) if turns)
    sets = copy_sets([*params, *outputs], rotated, set_count(size, fields["cache_bytes"]))
    count = len(params)
    calls = [bind_call(desk.request, session, each[:count], each[count:]) for each in sets]

    batches = Batches(
        call_rounds(lambda number: calls[number](), len(sets)),
        len(sets),
        BatchPlan(fields["batch_ns"], fields["cache_bytes"]),
    )

    def leave() -> None:
        last = min(batches.runs, len(sets)) - 1
        for slots, each in ((sheet.layout.first, sets[0]), (sheet.layout.again, sets[last])):
            for array, left in zip(sheet.arrays(slots), each[count:], strict=True):
                array[...] = left

    serve_tokens(desk, batches, cost=NO_COST, leave=leave)
