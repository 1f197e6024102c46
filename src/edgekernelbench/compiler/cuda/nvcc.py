"""From CUDA C++ to a cubin, with what each kernel takes of the GPU; no GPU is needed for it."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from edgekernelbench.base.errors import CompileError, PrerequisiteError

REMEDY = "install NVIDIA's CUDA toolkit and put nvcc on the PATH"

_TIMEOUT_S = 120
_LINES = 6

_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers(.*)")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one kernel takes, by the assembler's own account.

    Attributes:
        kernel: Its function.
        registers: Registers of a thread.
        shared_bytes: Shared memory of a block.
        stack_bytes: Memory of a thread that is no register.
        spill_bytes: Bytes that one thread moves because registers ran out.
    """

    kernel: str
    registers: int
    shared_bytes: int
    stack_bytes: int
    spill_bytes: int

    def sentence(self) -> str:
        """Say it."""
        spills = f"{self.spill_bytes:,} B spilled" if self.spill_bytes else "no spills"
        return (
            f"{self.kernel}: {self.registers} registers, {self.shared_bytes:,} B of shared memory, "
            f"{self.stack_bytes:,} B of stack, {spills}"
        )


@dataclass(frozen=True, slots=True)
class Cubin:
    """Machine code of one architecture."""

    arch: str
    data: bytes
    usage: tuple[Usage, ...]


def find_nvcc() -> str:
    """Find NVIDIA's compiler.

    Raises:
        PrerequisiteError: When it is not on the PATH.
    """
    found = shutil.which("nvcc")
    if found is None:
        raise PrerequisiteError("there is no nvcc", REMEDY)
    return found


def compile_cubin(source: str, arch: str) -> Cubin:
    """Compile one file of kernels.

    Args:
        source: CUDA C++.
        arch: The architecture, such as `"sm_87"`.

    Returns:
        The machine code.

    Raises:
        CompileError: With what the compiler said.
        PrerequisiteError: When there is no compiler.
    """
    compiler = find_nvcc()
    with TemporaryDirectory(prefix="ekb-") as folder:
        file, made = Path(folder) / "kernel.cu", Path(folder) / "kernel.cubin"
        file.write_text(source, encoding="utf-8")
        options = ["-cubin", f"-arch={arch}", "-std=c++17", "-O3", "-w", "-Xptxas", "-v"]
        command = [compiler, *options, "-o", str(made), str(file)]
        try:
            done = subprocess.run(  # noqa: S603
                command, capture_output=True, timeout=_TIMEOUT_S, check=False, text=True, cwd=folder
            )
        except subprocess.TimeoutExpired:
            raise CompileError(f"nvcc took more than {_TIMEOUT_S} s") from None
        if done.returncode or not made.is_file():
            lines = [line.replace(f"{folder}/", "") for line in done.stderr.splitlines() if "error" in line]
            raise CompileError(f"nvcc refused the kernel: {'; '.join(lines[:_LINES]) or done.stderr[-500:]}")
        return Cubin(arch, made.read_bytes(), tuple(read_usage(done.stderr + done.stdout)))


def read_usage(log: str) -> Iterator[Usage]:
    """Read what the assembler says of each kernel."""
    kernel, stack, spilled = "", 0, 0
    for line in log.splitlines():
        if (found := _ENTRY.search(line)) is not None:
            kernel, stack, spilled = found[1], 0, 0
        elif (found := _SPILLS.search(line)) is not None:
            stack, spilled = int(found[1]), int(found[2]) + int(found[3])
        elif kernel and (found := _USED.search(line)) is not None:
            shared = _SHARED.search(found[2])
            yield Usage(kernel, int(found[1]), int(shared[1]) if shared else 0, stack, spilled)
            kernel = ""
