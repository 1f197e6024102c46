"""A kernel as files that a program can be linked with.

```text
FOLDER/NAME.kir                  the text
FOLDER/NAME.o                    LLVM's code of it: the code that the judge measures
FOLDER/NAME.c  NAME.h            its entry points; with --format c the kernel itself
FOLDER/ekb_runtime.c  …h         the threads of parallel loops; not with --format c
FOLDER/NAME_example.c            a program that runs it
FOLDER/libNAME.so                all of it linked, with --format shared
FOLDER/export.json               hashes of all of them, sizes, and what was measured
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.hashing import hash_bytes
from edgekernelbench.compiler.c.build import PORTABLE
from edgekernelbench.compiler.c.facade import Core, prepared_bytes, write_facade
from edgekernelbench.compiler.c.glue import runtime_texts, write_glue
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.compiler.c.program import write_program
from edgekernelbench.compiler.linking import find_linker
from edgekernelbench.deploy.building import link_library
from edgekernelbench.deploy.record import ExportRecord, Form, layer_hashes, new_folder
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute


@dataclass(frozen=True, slots=True)
class Wish:
    """How a kernel is to be exported.

    Attributes:
        form: What is written.
        checked: Whether entry points look at what they are given.
        measured: What is known of its speed.
    """

    form: Form = Form.OBJECT
    checked: bool = True
    measured: Mapping[str, int | float | str] = field(default_factory=dict)


def export_kernel(kernel: Kernel, profile: Profile, folder: Path, wish: Wish) -> ExportRecord:
    """Write a kernel into a new or empty folder.

    Args:
        kernel: The kernel.
        profile: The device, a CPU.
        folder: Where to.
        wish: What is to be written.

    Returns:
        What was written.

    Raises:
        RecordError: When the folder holds something.
        PrerequisiteError: When the device is no CPU, or TVM or a linker is missing.
        CompileError: When LLVM or the linker refuses.
        SourceError: When the kernel is refused for the device.
    """
    if profile.target != "llvm":
        raise PrerequisiteError(
            f"kernels are exported for CPUs, {profile.name} is none", "name a CPU with --profile"
        )
    new_folder(folder)
    nest = build_nest(verify_compute(kernel), "llvm", profile)
    name = kernel.name
    written, workspace_bytes = _files(nest, kernel, profile, wish)
    written[f"{name}.kir"] = print_kernel(kernel).encode()
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in written.items():
        (folder / file).write_bytes(data)
    record = ExportRecord(
        name=name,
        form=str(wish.form),
        profile=profile.name,
        triple=profile.triple,
        threads=1 if wish.form is Form.C else profile.threads,
        checked=wish.checked,
        workspace_bytes=workspace_bytes,
        prepared_bytes=prepared_bytes(nest),
        layers=layer_hashes(kernel),
        files={file: hash_bytes(data) for file, data in written.items()},
        measured=dict(wish.measured),
    )
    if wish.form in (Form.SHARED, Form.RELAX):
        shared = wish.form is Form.SHARED
        library = link_library(folder, record, folder) if shared else _relax(nest, profile, folder)
        hashed = {**record.files, library.name: hash_bytes(library.read_bytes())}
        record = record.model_copy(update={"files": hashed})
    record.write(folder)
    return record


def _files(nest: Nest, kernel: Kernel, profile: Profile, wish: Wish) -> tuple[dict[str, bytes], int]:
    """Write what a C program is linked with, by file name, and count its workspace; nothing for Relax."""
    if wish.form is Form.RELAX:
        return {}, 0
    core, besides = _core(nest, profile, wish.form)
    facade = write_facade(nest, core, kernel.params, checked=wish.checked)
    texts = {".c": facade.source, ".h": facade.header, "_example.c": facade.example}
    return {
        f"{nest.name}{ending}": text.encode() for ending, text in texts.items()
    } | besides, core.workspace_bytes


def _relax(nest: Nest, profile: Profile, folder: Path) -> Path:
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(profile.threads)
    # Only now: importing it imports TVM.
    from edgekernelbench.compiler.tvm.relaxed import kernel_module, save_executable  # noqa: PLC0415

    library = folder / f"{nest.name}_relax.so"
    save_executable(kernel_module(nest, profile), profile, library, find_linker(profile.triple))
    return library


def _core(nest: Nest, profile: Profile, form: Form) -> tuple[Core, dict[str, bytes]]:
    """Compile a nest; give what stands behind the entry points, and the files that belong to it."""
    if form is Form.C:
        program = write_program(nest, threads=1, stack_limit=profile.stack_bytes)
        sources = f"{nest.name}.c {nest.name}_example.c -o {nest.name}_example -lm"
        build = (f"cc {' '.join(PORTABLE)} -march=…", sources)
        return Core(program.text, program.workspace_bytes, 1, build), {}
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(profile.threads)
    # Only now: importing it imports TVM.
    from edgekernelbench.compiler.tvm.plain import write_object  # noqa: PLC0415

    prefix = f"ekb_{Names()[nest.name]}"
    made = write_object({prefix: nest}, profile)
    besides = {file: text.encode() for file, text in runtime_texts(profile.threads).items()}
    return write_glue(made.kernels[prefix]), {f"{nest.name}.o": made.code, **besides}
