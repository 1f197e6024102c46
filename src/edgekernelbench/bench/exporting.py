"""A kernel as files that a C program can be linked with, and the proof that they compute the same.

```text
FOLDER/NAME.kir          the text
FOLDER/NAME.c  NAME.h    the kernel and its entry points: no TVM, no Python, no allocation
FOLDER/NAME_example.c    a program that runs it
FOLDER/export.json       hashes of all of them, sizes, and what was measured
```
"""

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pydantic import Field

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import CompileError, EkbError, PrerequisiteError, RecordError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.compiler.arrays import Array, place_array, stored_type
from edgekernelbench.compiler.c.build import PORTABLE, find_compiler
from edgekernelbench.compiler.c.facade import prepared_bytes, write_facade
from edgekernelbench.compiler.c.program import write_program
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.layers import layer_hash
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.schema import Record
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.limits import ROUNDOFF

ABOUT = "export.json"
BUILD_S, RUN_S = 300, 120
SEED = 7
LAYERS = (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY)
ROOM = 512
"""Roundings of the greatest value by which floats may differ: rounding, and nothing worse."""


class ExportRecord(Record):
    """What `export.json` says of a folder."""

    name: str
    """The kernel's name, and the beginning of the files'."""
    profile: str
    """The device that the kernel was lowered for."""
    checked: bool
    """Whether the entry points look at pointers, alignment and declared ranges."""
    workspace_bytes: int
    """What a run needs."""
    prepared_bytes: int
    """What is kept of the weights."""
    layers: Mapping[str, str]
    """Hash of each layer of the text."""
    files: Mapping[str, str]
    """Hash of each file."""
    measured: Mapping[str, float | str] = Field(default_factory=dict)
    """What the judge measured of this text: workload, device, nanoseconds a run, times the default."""


def export_kernel(
    kernel: Kernel,
    profile: Profile,
    folder: Path,
    *,
    checked: bool,
    measured: Mapping[str, float | str] | None = None,
) -> ExportRecord:
    """Write a kernel as C into a new or empty folder.

    Args:
        kernel: The kernel.
        profile: The device, a CPU; one thread.
        folder: Where to.
        checked: Whether entry points look at what they are given.
        measured: What is known of its speed.

    Returns:
        What was written.

    Raises:
        RecordError: When the folder holds something.
        PrerequisiteError: When the device is no CPU.
        SourceError: When the kernel is refused for the device.
    """
    if profile.target != "llvm":
        raise PrerequisiteError(
            f"kernels are exported as C for CPUs, {profile.name} is none", "name a CPU with --profile"
        )
    if folder.exists() and any(folder.iterdir()):
        raise RecordError(f"{folder} is not empty: export to a new folder")
    nest = build_nest(verify_compute(kernel), "llvm", profile)
    program = write_program(nest, threads=1, stack_limit=profile.stack_bytes)
    facade = write_facade(nest, program, kernel.params, checked=checked)
    texts = {
        f"{kernel.name}.kir": print_kernel(kernel),
        f"{kernel.name}.c": facade.source,
        f"{kernel.name}.h": facade.header,
        f"{kernel.name}_example.c": facade.example,
    }
    record = ExportRecord(
        name=kernel.name,
        profile=profile.name,
        checked=checked,
        workspace_bytes=program.workspace_bytes,
        prepared_bytes=prepared_bytes(nest),
        layers={str(layer): layer_hash(kernel, layer, "llvm") for layer in LAYERS},
        files={name: hash_text(text) for name, text in texts.items()},
        measured=dict(measured or {}),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / ABOUT).write_text(json.dumps(record.model_dump(mode="json"), indent=2) + "\n", encoding="utf-8")
    return record


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found of an exported folder.

    Attributes:
        flaws: What does not agree, a sentence each; empty when everything does.
        said: What the example says of its time.
    """

    flaws: tuple[str, ...]
    said: str = ""


def verify_export(
    folder: Path, *, compiler: str | None = None, flags: Sequence[str] = (), runner: str = ""
) -> Verified:
    """Build an exported folder, run it, and hold its outputs against the interpreter.

    Args:
        folder: The folder.
        compiler: The C compiler; None takes the system's.
        flags: More options for it.
        runner: What runs the program, such as an emulator with its options; empty runs it as it is.

    Raises:
        RecordError: When it is no exported folder.
        PrerequisiteError: When the compiler or the runner is missing.
        CompileError: When the compiler refuses.
    """
    about = folder / ABOUT
    if not about.is_file():
        raise RecordError(f"{folder} has no {ABOUT}: it is no exported folder")
    record = ExportRecord.read(about.read_text(encoding="utf-8"), str(about))
    changed = [n for n, h in record.files.items() if not _is_same(folder / n, h)]
    if changed:
        return Verified(tuple(f"{name} is not what was exported" for name in changed))
    kernel = parse((folder / f"{record.name}.kir").read_text(encoding="utf-8"))
    with TemporaryDirectory(prefix="ekb-") as place:
        program = _build(folder, record.name, Path(place), compiler, flags)
        said = _call([*shlex.split(runner), str(program)], RUN_S).strip()
        flaws = _compare(kernel, load_profile(record.profile), program, runner)
    return Verified(flaws, said)


def _is_same(path: Path, digest: str) -> bool:
    return path.is_file() and hash_text(path.read_text(encoding="utf-8")) == digest


def _build(folder: Path, name: str, place: Path, compiler: str | None, flags: Sequence[str]) -> Path:
    program = place / name
    sources = [str(folder / f"{name}.c"), str(folder / f"{name}_example.c")]
    command = [compiler or find_compiler(), *PORTABLE, *flags]
    try:
        _call([*command, *sources, "-o", str(program), "-lm"], BUILD_S)
    except EkbError as error:
        if isinstance(error, PrerequisiteError):
            raise
        raise CompileError(f"the C compiler refused the export: {error}") from error
    return program


def _compare(kernel: Kernel, profile: Profile, program: Path, runner: str) -> tuple[str, ...]:
    facts = verify_compute(kernel)
    nest = build_nest(facts, "llvm", profile)
    generator = np.random.default_rng(SEED)
    inputs = {p.name: draw(p, generator) for p in kernel.params}
    expected = evaluate(facts, inputs, "declared")
    given, found = program.with_suffix(".in"), program.with_suffix(".out")
    given.write_bytes(b"".join(place_array(b, inputs[b.name]).tobytes() for b in nest.params))
    _call([*shlex.split(runner), str(program), str(given), str(found)], RUN_S)
    data, at, flaws = found.read_bytes(), 0, []
    for buffer, right in zip(nest.outputs, expected, strict=True):
        like = place_array(buffer, right)
        own = np.frombuffer(data, like.dtype, like.size, at).reshape(like.shape)
        at += like.nbytes
        flaws += _differences(buffer.name, own, like, buffer.dtype)
    return tuple(flaws)


def draw(param: Param, generator: np.random.Generator) -> Array:
    """Draw values for a parameter: its declared range, small integers, or floats around 0."""
    values: Array
    if param.bounds is not None:
        values = generator.integers(*param.bounds, size=param.shape)
    elif param.dtype.is_float:
        values = generator.standard_normal(param.shape)
    elif param.dtype is DType.BOOL:
        values = generator.integers(0, 2, size=param.shape)
    elif param.dtype in (DType.I4, DType.U4):
        values = generator.integers(-8 if param.dtype is DType.I4 else 0, 8, size=param.shape)
    else:
        values = generator.integers(0, 100, size=param.shape)
    return np.asarray(values).astype(_whole(param.dtype))


def _whole(dtype: DType) -> np.dtype[np.generic]:
    return np.dtype(np.int8) if dtype is DType.I4 else stored_type(dtype)


def _differences(name: str, found: Array, right: Array, dtype: DType) -> list[str]:
    if dtype not in ROUNDOFF:
        wrong = found != right
    else:
        a, b = found.astype(np.float64), right.astype(np.float64)
        finite = np.abs(b[np.isfinite(b)])
        room = ROOM * ROUNDOFF[dtype] * max(1e-30, float(finite.max(initial=0.0)))
        wrong = ~(np.isclose(a, b, rtol=0, atol=room, equal_nan=True))
    if not wrong.any():
        return []
    first = int(np.argmax(wrong.reshape(-1)))
    pair = f"expected {right.reshape(-1)[first]}, found {found.reshape(-1)[first]}"
    return [f"{name}: {int(wrong.sum()):,} of {found.size:,} elements differ; element {first}: {pair}"]


def _call(command: list[str], limit_s: int) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise PrerequisiteError(f"there is no {command[0]}", "install it, or name another") from error
    except subprocess.TimeoutExpired as error:
        raise CompileError(f"{Path(command[0]).name} took more than {limit_s} s") from error
    if done.returncode:
        raise CompileError(f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout
