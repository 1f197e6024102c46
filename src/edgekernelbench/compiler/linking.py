"""From an object file to a shared object, for this machine's architecture or another."""

import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.base.errors import CompileError, PrerequisiteError
from edgekernelbench.compiler.c.build import find_compiler

_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What an architecture needs besides LLVM.

    Attributes:
        compiler: Its cross compiler, which links too.
        package: What brings it on Debian.
        emulator: Runs its programs on another machine.
    """

    compiler: str
    package: str
    emulator: str


TOOLCHAINS = {
    "aarch64": Toolchain("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu", "qemu-aarch64"),
    "armv7l": Toolchain("arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf", "qemu-arm"),
    "x86_64": Toolchain("x86_64-linux-gnu-gcc", "gcc-x86-64-linux-gnu", "qemu-x86_64"),
    "riscv64": Toolchain("riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu", "qemu-riscv64"),
}
"""By the first part of a triple, as `uname -m` says it."""


def architecture(triple: str) -> str:
    """Give the architecture of a triple; that of this machine for the empty one."""
    return triple.partition("-")[0] or platform.machine()


def find_linker(triple: str) -> str:
    """Find what makes shared objects for an architecture.

    Args:
        triple: Such as `aarch64-linux-gnu`; empty for this machine.

    Raises:
        PrerequisiteError: When there is none, with the command that brings it.
    """
    machine = architecture(triple)
    if machine == platform.machine():
        return find_compiler()
    tools = TOOLCHAINS.get(machine)
    found = shutil.which(tools.compiler) if tools else None
    if tools is None or found is None:
        remedy = f"apt-get install {tools.package}" if tools else "link it on the board"
        raise PrerequisiteError(f"there is no linker for {machine} on this machine", remedy)
    return found


def link_shared(linker: str, objects: Path, shared: Path) -> None:
    """Link one object file.

    Args:
        linker: What `find_linker` gave.
        objects: The object file.
        shared: The shared object to write.

    Raises:
        CompileError: With what the linker said.
    """
    # Mathematics comes from the system's library; what a board has not is missed when it is loaded.
    command = [linker, "-shared", "-fPIC", "-o", str(shared), str(objects), "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False, text=True)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise CompileError(f"the linker took more than {_TIMEOUT_S} s") from None
    if done.returncode:
        raise CompileError(f"the linker refused what LLVM wrote: {done.stderr[-2000:]}")
