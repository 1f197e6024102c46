"""Building exported folders with the compilers of this machine, and running what comes of it."""

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.base.errors import CompileError, EkbError, PrerequisiteError
from edgekernelbench.compiler.c.build import PORTABLE, find_compiler
from edgekernelbench.compiler.linking import TOOLCHAINS, architecture, find_linker
from edgekernelbench.deploy.record import Exported, Form

BUILD_S, RUN_S = 300, 120
LINKED = ("-std=gnu11", "-O2", "-pthread")
"""Options for the entry points of object files: the kernels themselves are compiled already."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What builds and runs programs.

    Attributes:
        compiler: The C compiler.
        flags: More options for it.
        runner: What runs the program, such as an emulator with its options; empty runs it as it is.
    """

    compiler: str
    flags: tuple[str, ...] = ()
    runner: str = ""

    @classmethod
    def find(
        cls, triple: str, *, compiler: str | None = None, flags: Sequence[str] = (), runner: str = ""
    ) -> "Tools":
        """Find what an architecture needs: for another than this machine's, a cross compiler and an emulator.

        Args:
            triple: The machine and system that files were made for; empty for this machine.
            compiler: The C compiler, where one was named: then nothing else is found either.
            flags: More options for it.
            runner: What runs programs.

        Raises:
            PrerequisiteError: When there is none.
        """
        machine = architecture(triple)
        if compiler is not None:
            return cls(compiler, tuple(flags), runner)
        if machine == architecture(""):
            return cls(find_compiler(), tuple(flags), runner)
        tools = TOOLCHAINS.get(machine)
        compiler = find_linker(triple)
        emulator = (
            "" if tools is None else f"{tools.emulator} -L /usr/{Path(compiler).name.removesuffix('-gcc')}"
        )
        return cls(compiler, tuple(flags), runner or emulator)

    def run(self, program: Path, *words: str) -> str:
        """Run a program, and give what it prints.

        Raises:
            PrerequisiteError: When the runner is missing.
            CompileError: When it fails, or takes too long.
        """
        return call([*shlex.split(self.runner), str(program), *words], RUN_S)


def build_example(folder: Path, record: Exported, place: Path, tools: Tools) -> Path:
    """Build the example of an exported folder.

    Args:
        folder: The folder.
        record: What it says of itself.
        place: Where the program goes.
        tools: What builds it.

    Returns:
        The program.

    Raises:
        PrerequisiteError: When the compiler is missing.
        CompileError: When it refuses.
    """
    name, program = record.name, place.resolve() / record.name
    example, source = str(folder / f"{name}_example.c"), str(folder / f"{name}.c")
    match Form(record.form):
        case Form.C:
            options, files = [*PORTABLE], [source, example]
        case Form.SHARED:
            library = [str(folder / f"lib{name}.so"), f"-Wl,-rpath,{folder.resolve()}"]
            options, files = [*LINKED], [example, *library]
        case _:
            rest = [str(folder / f"{name}.o"), str(folder / "ekb_runtime.c")]
            options, files = [*LINKED], [source, example, *rest]
    compile_c([tools.compiler, *options, *tools.flags, *files, "-o", str(program), "-lm"])
    return program


def link_library(folder: Path, record: Exported, place: Path) -> Path:
    """Link the files of an exported folder to a shared library.

    Args:
        folder: The folder.
        record: What it says of itself.
        place: Where the library goes.

    Returns:
        The library.

    Raises:
        PrerequisiteError: When there is no compiler for its machine.
        CompileError: When it refuses.
    """
    name = record.name
    library = place / f"lib{name}.so"
    if record.form == Form.C:
        options, files = [*PORTABLE], [f"{name}.c"]
    else:
        options, files = [*LINKED], [f"{name}.c", "ekb_runtime.c", f"{name}.o"]
    sources = [str(folder / file) for file in files]
    compile_c([find_linker(record.triple), *options, "-shared", "-fPIC", *sources, "-o", str(library), "-lm"])
    return library


def compile_c(command: list[str]) -> None:
    """Run a C compiler.

    Raises:
        PrerequisiteError: When it is missing.
        CompileError: When it refuses.
    """
    try:
        call(command, BUILD_S)
    except PrerequisiteError:
        raise
    except EkbError as error:
        raise CompileError(f"the C compiler refused the export: {error}") from error


def call(command: list[str], limit_s: int) -> str:
    """Run a command, and give what it prints.

    Raises:
        PrerequisiteError: When there is no such command.
        CompileError: When it fails, or takes too long.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise PrerequisiteError(f"there is no {command[0]}", "install it, or name another") from error
    except subprocess.TimeoutExpired as error:
        raise CompileError(f"{Path(command[0]).name} took more than {limit_s} s") from error
    if done.returncode:
        raise CompileError(f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout
