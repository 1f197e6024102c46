"""From C to a shared object, with the system's compiler."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from edgekernelbench.base.errors import CompileError, PrerequisiteError

FLAGS = (
    "-std=gnu11",
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fwrapv",
    "-fno-unswitch-loops",
)
"""No flag here changes a result beyond rounding: nothing is reassociated, infinities and NaNs behave.

GCC 12.2 gives wrong values where it unswitches a loop that it vectorises for AVX-512 (padded 8-bit sums over
few channels, counts of bits), hence the last one.
"""

PORTABLE = tuple(flag for flag in FLAGS if not flag.startswith("-march"))
"""The same for any machine."""

_TIMEOUT_S = 120


def find_compiler() -> str:
    """Find the C compiler of this machine: `$CC`, else `cc`, `gcc` or `clang`.

    Raises:
        PrerequisiteError: When there is none.
    """
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise PrerequisiteError("there is no C compiler", "install gcc or clang, or set CC")


@lru_cache(maxsize=4)
def has_openmp(compiler: str) -> bool:
    """Whether a compiler can build and link OpenMP."""
    with TemporaryDirectory(prefix="ekb-") as folder:
        source = Path(folder) / "try.c"
        source.write_text(
            "#include <omp.h>\nint threads(void) { return omp_get_max_threads(); }\n", encoding="utf-8"
        )
        command = [compiler, "-fopenmp", "-shared", "-fPIC", str(source), "-o", str(Path(folder) / "try.so")]
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603
        return done.returncode == 0


def build_shared(
    text: str, folder: Path, *, flags: Sequence[str] = FLAGS, openmp: bool, assembly: bool
) -> Path:
    """Compile one file.

    Args:
        text: The C source.
        folder: Where to put what is made.
        flags: Options of the compiler.
        openmp: Whether the source uses OpenMP.
        assembly: Whether to write `kernel.s` too.

    Returns:
        The shared object.

    Raises:
        CompileError: With what the compiler said.
        PrerequisiteError: When there is no compiler.
    """
    compiler = find_compiler()
    source, shared = folder / "kernel.c", folder / "kernel.so"
    source.write_text(text, encoding="utf-8")
    options = [*flags, *(["-fopenmp"] if openmp else ["-Wno-unknown-pragmas"]), "-shared", "-fPIC", "-w"]
    _run([compiler, *options, str(source), "-o", str(shared), "-lm"])
    if assembly:
        _run([compiler, *options, "-S", str(source), "-o", str(folder / "kernel.s")])
    return shared


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False, text=True)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise CompileError(f"the C compiler took more than {_TIMEOUT_S} s") from None
    if done.returncode:
        raise CompileError(f"the C compiler refused what was written for it: {done.stderr[-2000:]}")
