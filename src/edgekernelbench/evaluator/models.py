"""ONNX models of patterns, exported once and kept: an export takes a second, a look at a file none."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from edgekernelbench.base.hashing import canonical_json, hash_text
from edgekernelbench.compiler.arrays import stored_type
from edgekernelbench.evaluator.baselines import FindServer, UnfitError
from edgekernelbench.evaluator.trial import Assignment, excuse, last_words
from edgekernelbench.evaluator.vendor_torch import EXAMPLES, MODEL
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload
from edgekernelbench.workloads.vendor_forms import Forms

EXAMPLE_SEED = 20_260_101
"""A trace keeps what it saw of values: it is made on inputs on which nothing is ever judged."""

EXPORT_S = 120.0
LAYOUT = 1
"""Raised when models are made in another way."""


def default_store(given: Mapping[str, str] = os.environ) -> Path:
    """Say where exported models are kept: in the user's cache."""
    home = given.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "edgekernelbench" / "onnx"


class ModelStore:
    """A folder of models, and of the reasons why there is none."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def model(self, workload: Workload, forms: Forms, plain: Assignment, find_server: FindServer) -> Path:
        """Give the model of a workload; export it when it is not there yet.

        Args:
            workload: The workload.
            forms: What it is exported from.
            plain: What the worker that exports is told.
            find_server: Gives the server with PyTorch.

        Returns:
            The file.

        Raises:
            UnfitError: When it cannot be exported, now or when that was last tried.
            ServerLost: When no worker can be started.
        """
        path = self._root / f"{workload.pattern.name}-{_key(workload, forms)}.onnx"
        refusal = path.with_suffix(".json")
        if path.is_file():
            return path
        if refusal.is_file():
            raise UnfitError(json.loads(refusal.read_text(encoding="utf-8"))["why"])
        self._root.mkdir(parents=True, exist_ok=True)
        data = _export(workload, plain, find_server)
        if isinstance(data, str):
            _write(refusal, json.dumps({"why": data}).encode())
            raise UnfitError(data)
        _write(path, data)
        return path


def _key(workload: Workload, forms: Forms) -> str:
    sources = {path: path.read_text(encoding="utf-8") for path in (forms.torch_path, forms.onnx_path) if path}
    return hash_text(
        canonical_json(
            {
                "layout": LAYOUT,
                "sizes": {name: str(value) for name, value in workload.sizes.items()},
                "kernel": workload.pattern.source_text,
                "sources": sorted(sources.values()),
                "packages": [_version(name) for name in ("torch", "onnx")],
            }
        )
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _export(workload: Workload, plain: Assignment, find_server: FindServer) -> bytes | str:
    """Export in a worker; give the model, or why there is none.

    Raises:
        UnfitError: When something is missing that may be there another time.
    """
    server = find_server("torch")
    folder = server.folder()
    kinds = [stored_type(dtype) for dtype, _ in plain.param_forms]
    given = zip(make_inputs(workload, EXAMPLE_SEED), kinds, strict=True)
    arrays = {f"p{n}": np.ascontiguousarray(a).view(f"V{kind.itemsize}") for n, (a, kind) in enumerate(given)}
    np.savez(folder / EXAMPLES, allow_pickle=False, **arrays)
    limits = replace(plain.limits, deadline_s=EXPORT_S)
    request = {**plain.fields, "kinds": [kind.name for kind in kinds]}
    with server.start("export", request, folder=folder, limits=limits) as worker:
        ended = worker.wait()
        reply = worker.reply()
        missing = excuse(reply)
        if missing is not None:
            raise UnfitError(missing.detail)
        if ended.timed_out:
            raise UnfitError(f"the export took over {limits.deadline_s:.0f} s")
        if reply is None or ended.exit_code != 0:
            return "not exportable: " + (last_words(worker.stderr_tail()) or "the export was ended")
        return (folder / MODEL).read_bytes()


def _write(path: Path, data: bytes) -> None:
    """Write whole or not at all: other runs read the same folder."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as draft:
        draft.write(data)
    Path(name).replace(path)
