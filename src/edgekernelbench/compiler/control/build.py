"""From a stranger's C text to a program that runs it and nothing else, with a look at every step.

```text
kernel.c ─ screen ─ preprocess ─ screen ─ compile ─ look at the files it read, at the assembler
         ─ assemble ─ look at the object ─ hide all names but one ─ link with the runner
```
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import PrerequisiteError, SourceError
from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.compiler.c.build import FLAGS, find_compiler, has_openmp
from edgekernelbench.compiler.control.objects import object_problems
from edgekernelbench.compiler.control.prototype import FUNCTION, HEADER, Prototype, entry_source
from edgekernelbench.compiler.control.screen import INCLUDES, screen_expanded, screen_text
from edgekernelbench.compiler.elf import count_code_bytes

SOURCE = "kernel.c"
RUNNER = "runner"

TEXT_FLAGS = (
    *FLAGS, "-DNDEBUG", "-fPIE", "-fno-ident",
    "-Werror=implicit-function-declaration", "-Werror=int-conversion", "-Werror=incompatible-pointer-types",
)  # fmt: skip
"""What a stranger's text is compiled with, besides `-fopenmp`: the flags of our own C back end, which change
no result beyond rounding, and as errors what C forgives and nobody means."""

LINK_FLAGS = ("-pie", "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack")
"""Tables of the linker are filled before the first call and cannot be written to after it."""

TIMEOUT_S = 60
MOST_PROBLEMS = 20
_COMPLAINT = re.compile(rf"^(?:\S*/)?{re.escape(SOURCE)}:(\d+):(\d+): (?:fatal )?error: (.*)$", re.MULTILINE)
_ASSEMBLER = re.compile(r"^\s*(?:#|//|@|##)\s?(?:APP|InlineAsm Start)|^\s*\.incbin", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Built:
    """A runner with a stranger's kernel in it.

    Attributes:
        program: The executable.
        code_bytes: Machine code of the kernel alone.
        compiler: Which compiler, in its own words.
        flags: What it was called with.
    """

    program: Path
    code_bytes: int | None
    compiler: str
    flags: tuple[str, ...]


def build_runner(text: str, prototype: Prototype, folder: Path) -> Built:
    """Build a text.

    Args:
        text: The C text.
        prototype: What it must define.
        folder: Where everything is put.

    Returns:
        The program.

    Raises:
        SourceError: With what is wrong with the text.
        PrerequisiteError: When a tool is missing.
    """
    compiler = find_compiler()
    flags = (*TEXT_FLAGS, *(("-fopenmp",) if has_openmp(compiler) else ("-Wno-unknown-pragmas",)))
    _refuse(screen_text(text), text)
    (folder / SOURCE).write_text(text, encoding="utf-8")
    (folder / HEADER).write_text(prototype.header, encoding="utf-8")
    asked = [compiler, *flags, "-include", HEADER]
    expanded = _run([*asked, "-E", SOURCE], folder, text)
    _refuse(screen_expanded(expanded, SOURCE), text)
    _run([*asked, "-MD", "-MF", "kernel.d", "-S", SOURCE, "-o", "kernel.s"], folder, text)
    _check_files((folder / "kernel.d").read_text(encoding="utf-8"), compiler, text)
    if _ASSEMBLER.search((folder / "kernel.s").read_text(encoding="utf-8", errors="replace")):
        _refuse([Diagnostic("X03", "expected C, found assembler in what was compiled")], text)
    _run([compiler, "-c", "kernel.s", "-o", "kernel.o"], folder, text)
    _refuse([Diagnostic("X03", problem) for problem in object_problems(folder / "kernel.o")], text)
    # Functions beside the one that is asked for are the text's own: they replace none of the library.
    _run([find_objcopy(), f"--keep-global-symbol={FUNCTION}", "kernel.o"], folder, text)
    _link(compiler, prototype, folder, text)
    return Built(
        folder / RUNNER, count_code_bytes(folder / "kernel.o"), compiler_name(compiler), (*flags, "-lm")
    )


def _link(compiler: str, prototype: Prototype, folder: Path, text: str) -> None:
    runner = files(__package__) / "data" / "runner.c"
    (folder / "runner.c").write_text(runner.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "entry.c").write_text(entry_source(prototype.pointers), encoding="utf-8")
    openmp = ["-fopenmp"] if has_openmp(compiler) else []
    ours = ["runner.c", "entry.c", "kernel.o", "-o", RUNNER, "-lm"]
    _run([compiler, "-O2", "-fPIE", "-w", *openmp, *LINK_FLAGS, *ours], folder, text)


def find_objcopy() -> str:
    """Find the tool that hides names of an object.

    Raises:
        PrerequisiteError: When there is none.
    """
    for name in ("objcopy", "llvm-objcopy"):
        found = shutil.which(name)
        if found:
            return found
    raise PrerequisiteError("there is no objcopy", "install binutils")


@lru_cache(maxsize=4)
def compiler_name(compiler: str) -> str:
    """Give the first line in which a compiler says what it is."""
    return _said([compiler, "--version"], Path.cwd()).partition("\n")[0].strip() or Path(compiler).name


@lru_cache(maxsize=4)
def _allowed_files(compiler: str) -> frozenset[str]:
    """List all files that are read where every header of the list is included, by their real paths."""
    lines = [f"#if __has_include(<{name}>)\n#include <{name}>\n#endif" for name in INCLUDES]
    with TemporaryDirectory(prefix="ekb-") as place:
        (Path(place) / "all.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
        openmp = ["-fopenmp"] if has_openmp(compiler) else []
        return frozenset(_depended(_said([compiler, *TEXT_FLAGS, *openmp, "-M", "all.c"], Path(place))))


def _said(command: list[str], folder: Path) -> str:
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    return done.stdout


def _depended(rules: str) -> list[str]:
    words = rules.replace("\\\n", " ").partition(":")[2].split()
    return [os.path.realpath(word) if "/" in word else word for word in words]


def _check_files(rules: str, compiler: str, text: str) -> None:
    known = _allowed_files(compiler) | {SOURCE, HEADER}
    strange = [name for name in _depended(rules) if name not in known]
    if strange:
        _refuse([Diagnostic("X02", f"the compiler read files that are on no list: {len(strange)}")], text)


def _refuse(problems: Sequence[Diagnostic], text: str) -> None:
    if problems:
        raise SourceError(list(problems)[:MOST_PROBLEMS], text)


def _run(command: list[str], folder: Path, text: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603
            command,
            cwd=folder,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)},
        )
    except subprocess.TimeoutExpired:
        raise SourceError([Diagnostic("X01", f"building took more than {TIMEOUT_S} s")], text) from None
    if done.returncode:
        raise SourceError(_complaints(done.stderr), text)
    return done.stdout


def _complaints(said: str) -> list[Diagnostic]:
    """Read what a compiler complains of; of what it quotes nothing is told, which the text has anyway."""
    found = [
        Diagnostic("X01", message[:400], Span(int(line), int(column), int(line), int(column) + 1))
        for line, column, message in _COMPLAINT.findall(said)
    ]
    if found:
        return found[:MOST_PROBLEMS]
    last = [line for line in said.splitlines() if "error" in line or "undefined" in line][-1:]
    detail = re.sub(r"\S*/", "", last[0])[:300] if last else "it gave no reason"
    return [Diagnostic("X01", f"the C compiler refuses the text: {detail}", NOWHERE)]
