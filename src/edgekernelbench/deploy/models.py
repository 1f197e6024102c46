"""A whole model as a C program: its kernels in one object file, its weights in one file, entry points.

```text
FOLDER/NAME.o              all kernels: LLVM's code
FOLDER/NAME.c  NAME.h      entry points that call them in order
FOLDER/NAME.weights        the weights, one after another, aligned
FOLDER/NAME_example.c      a program that loads the weights and runs the model
FOLDER/ekb_runtime.c  …h   the threads of parallel loops
FOLDER/libNAME.so          all of it linked, with --format shared
FOLDER/NAME_relax.so       the model for TVM's virtual machine, with --format relax, in place of all these
FOLDER/kernels/*.kir       the texts
FOLDER/probe.npz           inputs, and what the model's own framework gave for them
FOLDER/export.json         hashes of all of them, sizes, and what was measured
```
"""

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.hashing import hash_bytes
from edgekernelbench.compiler.c.glue import runtime_texts
from edgekernelbench.compiler.c.whole import write_whole
from edgekernelbench.compiler.whole import Layout, lay_out
from edgekernelbench.deploy.assembling import Assembled
from edgekernelbench.deploy.building import link_library
from edgekernelbench.deploy.kernels import Wish
from edgekernelbench.deploy.probes import load_probe
from edgekernelbench.deploy.proving import build_library
from edgekernelbench.deploy.record import Form, KernelNote, ModelRecord, layer_hashes, new_folder
from edgekernelbench.imports.record import PROBE_FILE
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import Profile

KERNELS = "kernels"

Measured = Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model comes from.

    Attributes:
        folder: The folder of the imported model.
        assembled: The model with its kernels.
        measured: What is known of each kernel's speed, by name.
        whole: What is known of the speed of the whole.
    """

    folder: Path
    assembled: Assembled
    measured: Mapping[str, Measured]
    whole: Measured


def export_model(source: Source, profile: Profile, folder: Path, wish: Wish) -> ModelRecord:
    """Write a model into a new or empty folder.

    Args:
        source: The model with a text for each of its functions; for Relax, some may stay with TVM.
        profile: The device, a CPU.
        folder: Where to.
        wish: What is to be written; the source says what was measured.

    Returns:
        What was written.

    Raises:
        RecordError: When the folder holds something, or the model has no probe.
        PrerequisiteError: When the device is no CPU, a function stays with TVM, or TVM is missing.
        CompileError: When LLVM or a linker refuses.
    """
    if profile.target != "llvm":
        raise PrerequisiteError(
            f"models are exported for CPUs, {profile.name} is none", "name a CPU with --profile"
        )
    new_folder(folder)
    assembled = source.assembled
    probe = load_probe(assembled.model, source.folder)
    if wish.form is Form.RELAX:
        files, sizes = dict[str, bytes](), (0, 0, 0)
    else:
        files, sizes = _program(assembled, profile, wish)
    texts = {f"{KERNELS}/{k}.kir": print_kernel(kernel) for k, kernel in assembled.kernels.items()}
    written = files | {file: text.encode() for file, text in texts.items()}
    (folder / KERNELS).mkdir(parents=True, exist_ok=True)
    for file, data in written.items():
        (folder / file).write_bytes(data)
    shutil.copyfile(source.folder / PROBE_FILE, folder / PROBE_FILE)
    written[PROBE_FILE] = (folder / PROBE_FILE).read_bytes()
    record = ModelRecord(
        name=assembled.model.name,
        form=str(wish.form),
        profile=profile.name,
        triple=profile.triple,
        threads=profile.threads,
        checked=wish.checked,
        workspace_bytes=sizes[0],
        prepared_bytes=sizes[1],
        weights_bytes=sizes[2],
        against=probe.against,
        kernels=_notes(source),
        files={file: hash_bytes(data) for file, data in written.items()},
        measured=dict(source.whole),
    )
    record = _linked(record, source, profile, folder)
    record.write(folder)
    return record


def _linked(record: ModelRecord, source: Source, profile: Profile, folder: Path) -> ModelRecord:
    """Link what was written to a library, where that was asked for."""
    match Form(record.form):
        case Form.SHARED:
            library = link_library(folder, record, folder)
        case Form.RELAX:
            library = folder / f"{record.name}_relax.so"
            build_library(source.assembled, source.folder, profile, library)
        case _:
            return record
    return record.model_copy(
        update={"files": {**record.files, library.name: hash_bytes(library.read_bytes())}}
    )


def _program(
    assembled: Assembled, profile: Profile, wish: Wish
) -> tuple[dict[str, bytes], tuple[int, int, int]]:
    """Write what a C program is linked with, and count workspace, prepared weights and weights."""
    if wish.form is Form.C:
        raise PrerequisiteError(
            "models are not exported as C source", "take --format object, shared or relax"
        )
    if assembled.stays:
        named = ", ".join(function.name for function in assembled.stays)
        raise PrerequisiteError(
            f"{named} of {assembled.model.name} stay with TVM and have no code without it",
            "export with --format relax",
        )
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(profile.threads)
    # Only now: importing it imports TVM.
    from edgekernelbench.compiler.tvm.plain import write_object  # noqa: PLC0415

    name = assembled.model.name
    prefixes = {k: f"ekb_{name}_{k}" for k in assembled.nests}
    made = write_object({prefixes[k]: nest for k, nest in assembled.nests.items()}, profile)
    kernels = {k: made.kernels[prefix] for k, prefix in prefixes.items()}
    layout = lay_out(assembled.whole, kernels)
    facade = write_whole(assembled.whole, kernels, layout, checked=wish.checked)
    texts = {
        f"{name}.c": facade.source,
        f"{name}.h": facade.header,
        f"{name}_example.c": facade.example,
        **runtime_texts(profile.threads),
    }
    files = {file: text.encode() for file, text in texts.items()}
    files |= {f"{name}.o": made.code, f"{name}.weights": _weights(assembled, layout)}
    return files, (layout.workspace_bytes, layout.prepared_bytes, layout.weights_bytes)


def _notes(source: Source) -> dict[str, KernelNote]:
    runs = Counter(call.kernel for call in source.assembled.whole.calls)
    return {
        name: KernelNote(
            runs=runs[name], layers=layer_hashes(kernel), measured=dict(source.measured.get(name, {}))
        )
        for name, kernel in source.assembled.kernels.items()
    }


def _weights(assembled: Assembled, layout: Layout) -> bytes:
    held = np.zeros(layout.weights_bytes, np.uint8)
    for name, array in assembled.weights.items():
        at = layout.weights[name]
        data = np.frombuffer(array.tobytes(), np.uint8)
        held[at : at + data.size] = data
    return held.tobytes()
