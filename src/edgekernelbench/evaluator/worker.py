"""What a forked child does for the judge: compile, run, and be timed. It reports; it judges nothing."""

import errno
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from edgekernelbench.base.errors import CompileError, DeviceFault, PrerequisiteError
from edgekernelbench.compiler.interface import Array, Artifact, Compiler, Cost, Executable
from edgekernelbench.compiler.parcel import Parcel
from edgekernelbench.compiler.tvm.parcels import make_parcel, open_parcel
from edgekernelbench.evaluator.compilers import import_compiler, import_runtime, load_compiler
from edgekernelbench.evaluator.control.role import control_role
from edgekernelbench.evaluator.desk import Desk, serve_tokens
from edgekernelbench.evaluator.environment import CONTROL, TUNER
from edgekernelbench.evaluator.peak_worker import peaks_role
from edgekernelbench.evaluator.server import Role, decline, serve
from edgekernelbench.evaluator.sheets import Sheet
from edgekernelbench.evaluator.timing import Batches, BatchPlan, copy_sets, set_count
from edgekernelbench.evaluator.vendor_cuda import CUDA_ROLES
from edgekernelbench.evaluator.vendor_onnx import run_onnx
from edgekernelbench.evaluator.vendor_torch import ROLES
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import profile_from_json
from edgekernelbench.records.outcome import Phase
from edgekernelbench.verify.compute import verify_compute

BOARD = "board"
"""Names the server of a board, of which nothing but parcels is run."""


def kernel_role(find_compiler: Callable[[str], Compiler]) -> Role:
    """Make the role that compiles a text, runs it on every sheet, and is timed when asked to.

    Args:
        find_compiler: Gives the compiler of a name.
    """
    return artifact_role(partial(_compile, find_compiler))


def artifact_role(make: Callable[[Desk], Artifact]) -> Role:
    """Make the role that runs what some compiler made on every sheet, and is timed when asked to.

    Args:
        make: Compiles what a request names.
    """
    return partial(_work, make)


def _work(make: Callable[[Desk], Artifact], folder: Path) -> None:
    _work_at(folder, lambda desk: _run(desk, make))


def _work_at(folder: Path, work: Callable[[Desk], None]) -> None:
    desk = Desk(folder)
    tempfile.tempdir = str(folder)
    os.environ["POCL_CACHE_DIR"] = str(folder)
    try:
        work(desk)
    except CompileError as error:
        desk.reply(refused=str(error))
    except PrerequisiteError as error:
        desk.reply(missing=str(error))
    except DeviceFault as error:
        desk.reply(faulted=str(error))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        desk.reply(full=str(error))


def _compile(find_compiler: Callable[[str], Compiler], desk: Desk) -> Artifact:
    profile = profile_from_json(desk.request["profile"])
    facts = verify_compute(parse(desk.request["text"]))
    nest = build_nest(facts, profile.target, profile)
    return find_compiler(desk.request["compiler"]).compile(nest, profile)


def build_role(folder: Path) -> None:
    """Compile a text for a device that is elsewhere, and leave the parcel in the folder."""
    _work_at(folder, _build)


def carried_role(folder: Path) -> None:
    """Open the parcel in the folder, run it on every sheet, and be timed when asked to."""
    _work(_open, folder)


def _build(desk: Desk) -> None:
    with desk.phase(Phase.COMPILE):
        profile = profile_from_json(desk.request["profile"])
        facts = verify_compute(parse(desk.request["text"]))
        parcel = make_parcel(build_nest(facts, profile.target, profile), profile)
        parcel.write(desk.folder)
    desk.reply(cost=_cost_fields(parcel.cost))


def _open(desk: Desk) -> Artifact:
    parcel, profile = Parcel.read(desk.folder), profile_from_json(desk.request["profile"])
    executable = open_parcel(parcel, profile, desk.folder)
    return Artifact("parcel", parcel.nest, profile, parcel.cost, {}, executable)


def _run(desk: Desk, make: Callable[[Desk], Artifact]) -> None:
    with desk.phase(Phase.COMPILE):
        artifact = make(desk)
    if artifact.executable is None:
        raise PrerequisiteError(
            f"{artifact.compiler} built nothing that runs on this machine", "judge it on its own device"
        )
    with desk.running():
        for sheet in desk.sheets():
            run_sheet(artifact.executable, sheet)
    if desk.request["timing"] is not None:
        time_kernel(desk, artifact, artifact.executable)
    desk.reply(cost=_cost_fields(artifact.cost))


def run_sheet(executable: Executable, sheet: Sheet) -> None:
    """Run twice on one input set, each time into fresh outputs."""
    params = sheet.arrays(sheet.layout.params)
    executable.prepare(params)
    executable.run(params, sheet.arrays(sheet.layout.first))
    executable.run(params, sheet.arrays(sheet.layout.again))


def time_kernel(desk: Desk, artifact: Artifact, executable: Executable) -> None:
    """Serve tokens: say that the sheets are done, calibrate, measure, leave the timed outputs behind.

    What is left are the outputs of the first set as timing left them, and those of the last set, poisoned and
    filled once more.
    """
    fields = desk.request["timing"]
    sheet = desk.timed_sheet()
    const: list[bool] = fields["const"]
    params, outputs = sheet.arrays(sheet.layout.params), sheet.arrays(sheet.layout.first)
    rotated = [*(not c for c in const), *(True for _ in outputs)]
    size = sum(a.nbytes for a, turns in zip([*params, *outputs], rotated, strict=True) if turns)
    sets = copy_sets([*params, *outputs], rotated, set_count(size, fields["cache_bytes"]))
    given = [each[: len(params)] for each in sets]
    left = [each[len(params) :] for each in sets]

    def rounds(count: int, repeats: int) -> Sequence[int]:
        turn = [number % len(sets) for number in range(count)]
        return executable.time_batches([given[n] for n in turn], [left[n] for n in turn], repeats=repeats)

    def leave() -> int | None:
        last = min(batches.runs, len(sets)) - 1
        _copy(left[0], sheet.arrays(sheet.layout.first))
        # Once more with fresh poison: whoever works only the first time it sees a buffer was timed idle.
        _copy(sheet.arrays(sheet.layout.again), left[last])
        executable.time_batches([given[last]], [left[last]], repeats=1)
        _copy(left[last], sheet.arrays(sheet.layout.again))
        # Only now, when nothing is timed any more.
        return artifact.count_code() if desk.request.get("sized") and artifact.count_code else None

    executable.prepare(given[0])
    batches = Batches(rounds, len(sets), BatchPlan(fields["batch_ns"], fields["cache_bytes"]))
    serve_tokens(desk, batches, cost=_cost_fields(artifact.cost), leave=leave)


def _copy(from_arrays: Sequence[Array], to_arrays: Sequence[Array]) -> None:
    for source, target in zip(from_arrays, to_arrays, strict=True):
        target[...] = source


def _cost_fields(cost: Cost) -> dict[str, object]:
    return {"code_bytes": cost.code_bytes, "workspace_bytes": dict(cost.workspace_bytes)}


def main() -> None:
    """Run a fork server: `python -m edgekernelbench.evaluator.worker WHAT DESCRIPTOR`.

    What is a compiler, `board`, `tuner`, `control`, `torch` or `onnx`.
    """
    what, descriptor = sys.argv[1:]
    if what == "torch":
        # PyTorch and TVM each have a thread pool and rules for it: they never share a process.
        with suppress(ImportError):
            import torch  # noqa: F401, PLC0415
        serve({**ROLES, **CUDA_ROLES}, int(descriptor))
        return
    if what == "onnx":
        with suppress(ImportError):
            import onnx  # noqa: F401, PLC0415
            import onnxruntime  # noqa: F401, PLC0415
        serve({"onnx": run_onnx}, int(descriptor))
        return
    try:
        if what == TUNER:
            # Only there: it imports TVM's scheduler.
            from edgekernelbench.evaluator.trace_roles import trace_roles  # noqa: PLC0415

            serve(trace_roles(), int(descriptor))
            return
        if what == BOARD:
            import_runtime()
            serve({"carried": carried_role}, int(descriptor))
            return
        if what == CONTROL:
            serve({CONTROL: control_role(_work_at)}, int(descriptor))
            return
        import_compiler(what)
    except PrerequisiteError as error:
        decline(error, int(descriptor))
        return
    roles = {
        "kernel": kernel_role(load_compiler),
        "peaks": peaks_role(load_compiler),
        "build": build_role,
        "carried": carried_role,
    }
    serve(roles, int(descriptor))


if __name__ == "__main__":
    main()
