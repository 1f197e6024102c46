"""Import a model: a child reads it, the parent proves and writes what was found."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.imports.programs import PREFIX
from edgekernelbench.imports.record import (
    LARGEST_COPY,
    MODULE_FILE,
    ONNX_FILE,
    PROBE_FILE,
    WEIGHTS_FILE,
    Call,
    Function,
    ImportedModel,
    Tensor,
    store_model,
)
from edgekernelbench.imports.walking import Lying
from edgekernelbench.imports.writing import Entry, write_catalogue

DEADLINE_S = 900.0
LARGEST_BYTES = 2 << 30
"""A file beyond which a model is no edge model; its weights would be held several times."""

LAST_LINES = 3


@dataclass(frozen=True, slots=True)
class Request:
    """What to import.

    Attributes:
        source: A file `.onnx` or `.py`, or `pkg:module:Class`.
        sizes: Values of sizes that are open.
        trusted: Whether code of others may run, in a child.
    """

    source: str
    sizes: Mapping[str, int]
    trusted: bool = False

    @property
    def kind(self) -> str:
        """`onnx`, or `torch` for what is a program."""
        return "onnx" if self.source.endswith(".onnx") else "torch"


def import_model(request: Request, out: Path) -> ImportedModel:
    """Import a model into a folder, whole or not at all.

    Args:
        request: What to import.
        out: A folder that does not exist yet, or is empty.

    Returns:
        What was imported.

    Raises:
        CatalogueError: When the model cannot be read, with the reason.
        PrerequisiteError: When something to read it with is not installed.
    """
    _check(request, out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".ekb-import-", dir=out.parent) as scratch:
        found = _read(request, Path(scratch))
        fresh = Path(scratch) / "catalogue"
        fresh.mkdir()
        model = _write(request, found, fresh)
        for name in (WEIGHTS_FILE, MODULE_FILE, PROBE_FILE):
            shutil.move(Path(scratch) / name, fresh / name)
        if request.kind == "onnx" and Path(request.source).stat().st_size <= LARGEST_COPY:
            shutil.copyfile(request.source, fresh / ONNX_FILE)
        if out.exists():
            out.rmdir()
        fresh.rename(out)
    return model


def _check(request: Request, out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CatalogueError(f"{out} exists and is not empty; name another folder with --out")
    path = Path(request.source)
    is_file = not request.source.startswith(PREFIX)
    if is_file and path.suffix not in (".onnx", ".py"):
        raise CatalogueError(
            f"expected a file .onnx or .py, or {PREFIX}module:Class, found {request.source!r}"
        )
    if is_file and not path.is_file():
        raise CatalogueError(f"no file {request.source}")
    if is_file and path.stat().st_size > LARGEST_BYTES:
        raise CatalogueError(
            f"{path.name}: expected at most {LARGEST_BYTES >> 30} GiB, found {path.stat().st_size:,}"
        )
    if request.kind == "torch" and not request.trusted:
        raise CatalogueError(
            f"{request.source} is a program of somebody's, and importing runs it; read it, then add --trust"
        )


def _read(request: Request, scratch: Path) -> dict[str, Any]:
    """Let a child read the model.

    Raises:
        CatalogueError: When it refused, crashed or did not come to an end.
        PrerequisiteError: When what it needs is not installed.
    """
    asked = scratch / "request.json"
    fields = {"kind": request.kind, "source": request.source, "sizes": dict(request.sizes)}
    asked.write_text(json.dumps(fields), encoding="utf-8")
    command = [sys.executable, "-m", "edgekernelbench.imports.child", str(asked), str(scratch)]
    error_file = scratch / "stderr.txt"
    with error_file.open("wb") as errors:
        child = subprocess.Popen(  # noqa: S603 - ourselves
            command,
            env=worker_environment(os.cpu_count() or 1),
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )
        try:
            status = child.wait(DEADLINE_S)
        except subprocess.TimeoutExpired as error:
            raise CatalogueError(f"{request.source}: reading it took more than {DEADLINE_S:.0f} s") from error
        finally:
            _end(child)
    refused, missing = scratch / "refused.txt", scratch / "missing.json"
    if missing.is_file():
        raise PrerequisiteError(*json.loads(missing.read_text(encoding="utf-8")))
    if refused.is_file():
        raise CatalogueError(refused.read_text(encoding="utf-8"))
    if status != 0:
        said = error_file.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-LAST_LINES:]
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        raise CatalogueError(
            f"{request.source}: the process that read it ended with {how}: {' / '.join(said)}"
        )
    found: dict[str, Any] = json.loads((scratch / "found.json").read_text(encoding="utf-8"))
    return found


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End the child and all that it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    child.wait()


def _write(request: Request, found: Mapping[str, Any], folder: Path) -> ImportedModel:
    name = family_of(request.source)
    path = Path(request.source)
    shown = request.source if request.source.startswith(PREFIX) else path.name
    runs = Counter(call["function"] for call in found["calls"])
    entries = [
        Entry(
            row["name"],
            row["text"],
            tuple(row["operators"]),
            sum(runs[function] for function in row["functions"]),
            tuple(Lying(**lies) for lies in row["lying"]),
        )
        for row in found["functions"]
    ]
    ids = write_catalogue(folder, name, shown, [entry for entry in entries if entry.text])
    functions = tuple(
        Function(
            name=row["name"],
            functions=tuple(row["functions"]),
            operators=tuple(row["operators"]),
            workload=ids.get(row["name"]),
            nodes=tuple(row["nodes"]),
            reason=row["reason"],
            runs=entry.runs,
        )
        for row, entry in zip(found["functions"], entries, strict=True)
    )
    model = ImportedModel(
        name=name,
        source=shown,
        source_hash=hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        kind="onnx" if request.kind == "onnx" else "torch",
        sizes=dict(request.sizes),
        framework=found["framework"],
        apart=found["apart"],
        inputs=tuple(Tensor.model_validate(value) for value in found["inputs"]),
        outputs=tuple(found["outputs"]),
        calls=tuple(
            Call(
                function=call["function"],
                args=tuple(call["args"]),
                results=tuple(Tensor.model_validate(value) for value in call["results"]),
            )
            for call in found["calls"]
        ),
        functions=functions,
    )
    store_model(model, folder)
    return model


def family_of(source: str) -> str:
    """Make the name of a family of the name of a model."""
    word = source.rpartition(":")[2] if source.startswith(PREFIX) else Path(source).stem
    name = re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_") or "model"
    return name if name[0].isalpha() else f"model_{name}"
