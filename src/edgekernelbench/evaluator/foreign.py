"""A catalogue from elsewhere is checked in a child: its PyTorch functions are programs of others.

The child has no network, no standard input, limits of memory and files, and ends with this process. It can
read what its user can: so the command that comes here asks for `--trust` first.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from edgekernelbench.base.errors import CatalogueError, EkbError, PrerequisiteError
from edgekernelbench.evaluator.confine import confine
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.check import Finding, check_catalogue

LIMITS = Limits(deadline_s=3600.0, run_s=3600.0, memory_bytes=16 << 30)


def check_foreign(
    root: Path, chosen: Sequence[str], *, full_size: bool, progress: Callable[[str], None]
) -> tuple[Finding, ...]:
    """Check a catalogue as `check_catalogue` does, in a child.

    Args:
        root: The folder of the catalogue.
        chosen: Ids of the workloads to evaluate.
        full_size: Whether to evaluate the real sizes.
        progress: Called with the id of each workload before it is evaluated.

    Raises:
        CatalogueError: When a file is wrong, or a program of the catalogue ended the child.
        PrerequisiteError: When PyTorch is not installed.
    """
    asked = json.dumps({"root": str(root), "chosen": list(chosen), "full_size": full_size})
    read_end, write_end = os.pipe()
    with tempfile.TemporaryDirectory(prefix="ekb-foreign-") as folder, os.fdopen(read_end, "rb") as answers:
        child = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", __name__, asked, folder, str(write_end)],
            stdin=subprocess.DEVNULL,
            pass_fds=(write_end,),
        )
        try:
            os.close(write_end)
            return _read(answers, progress)
        finally:
            _end(child)


def _read(answers: IO[bytes], progress: Callable[[str], None]) -> tuple[Finding, ...]:
    for line in answers:
        said = json.loads(line)
        match said:
            case {"at": str(workload)}:
                progress(workload)
            case {"findings": [*rows]}:
                return tuple(Finding(str(row["place"]), str(row["message"])) for row in rows)
            case {"missing": str(missing), "remedy": str(remedy)}:
                raise PrerequisiteError(missing, remedy)
            case {"error": str(error)}:
                raise CatalogueError(error)
            case _:
                break
    raise CatalogueError("a program of the catalogue ended the process that checked it")


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End the child with all that it started: it leads a session of its own."""
    for end in (os.killpg, os.kill):
        try:
            end(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    child.wait()


def _answers(asked: dict[str, object], said: Callable[[str], None]) -> dict[str, object]:
    catalogue = load_catalogue(Path(str(asked["root"])))
    names = asked["chosen"]
    chosen = [catalogue.workload(name) for name in names] if isinstance(names, list) else []
    found = check_catalogue(catalogue, chosen, full_size=bool(asked["full_size"]), progress=said)
    return {"findings": [{"place": f.place, "message": f.message} for f in found]}


def _mapped() -> int:
    """Give the address space of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _lines(
    asked: dict[str, object], write: Callable[[dict[str, object]], None]
) -> Iterator[dict[str, object]]:
    try:
        yield _answers(asked, lambda workload: write({"at": workload}))
    except PrerequisiteError as error:
        yield {"missing": error.missing, "remedy": error.remedy}
    except EkbError as error:
        yield {"error": str(error)}


def main() -> None:
    """Be the child."""
    asked, folder, answer_end = sys.argv[1:]
    with os.fdopen(int(answer_end), "wb", buffering=0) as answers:

        def write(fields: dict[str, object]) -> None:
            answers.write(json.dumps(fields).encode() + b"\n")

        confine(Path(folder), LIMITS, mapped=_mapped())
        for line in _lines(json.loads(asked), write):
            write(line)


if __name__ == "__main__":
    main()
