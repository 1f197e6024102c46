"""Running a whole model with our kernels in place, beside what its own framework gives."""

import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import Array
from edgekernelbench.compiler.linking import find_linker
from edgekernelbench.deploy.assembling import Assembled
from edgekernelbench.deploy.building import BUILD_S
from edgekernelbench.imports.record import MODULE_FILE, ImportedModel, Tensor
from edgekernelbench.imports.running import load_weights
from edgekernelbench.profiles.profile import Profile

ROUNDS = 9


class Stand:
    """Processes that each run one way of computing a model; all are here at one time and take turns."""

    def __init__(self, threads: int, inputs: Sequence[Array]) -> None:
        """Prepare.

        Args:
            threads: Threads of each.
            inputs: What the model is given.
        """
        self._threads = threads
        self._stack = ExitStack()
        self._place = Path(self._stack.enter_context(TemporaryDirectory(prefix="ekb-")))
        given: dict[str, Any] = {f"in{n}": array for n, array in enumerate(inputs)}
        np.savez(self._place / "in.npz", **given)
        self._children: dict[str, subprocess.Popen[str]] = {}

    def add(self, name: str, library: Path) -> tuple[Array, ...]:
        """Start a process, and give what its model computes.

        Args:
            name: What it is called among the others.
            library: A model that `build_library` built.

        Raises:
            CompileError: When the process ends.
        """
        found = self._place / f"{name}.npz"
        words = [str(library), str(self._place / "in.npz"), str(found), str(self._threads)]
        child = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "edgekernelbench.deploy.relax_child", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._stack.enter_context(child)
        self._stack.callback(child.kill)  # runs first: the other one waits for it
        self._answer(name, child)
        self._children[name] = child
        with np.load(found) as stored:
            return tuple(stored[f"out{n}"] for n in range(len(stored.files)))

    def times(self) -> Mapping[str, float]:
        """Let all of them run in turn; give the median time of a run of each, in nanoseconds."""
        turns: dict[str, list[float]] = {name: [] for name in self._children}
        for _ in range(ROUNDS):
            for name, child in self._children.items():
                if child.stdin is not None:
                    child.stdin.write("go\n")
                    child.stdin.flush()
                turns[name].append(float(self._answer(name, child)))
        return {name: statistics.median(values) for name, values in turns.items()}

    def _answer(self, name: str, child: "subprocess.Popen[str]") -> str:
        line = "" if child.stdout is None else child.stdout.readline()
        if not line:
            raise CompileError(f"the process that ran the model ({name}) ended with {child.wait(BUILD_S)}")
        return line

    def close(self) -> None:
        """End the processes."""
        self._stack.close()


def build_library(assembled: Assembled, folder: Path, profile: Profile, library: Path) -> None:
    """Build a model as a library of TVM's Relax, our kernels in place.

    Args:
        assembled: The model with its kernels; functions without one stay TVM's.
        folder: The folder of the imported model.
        profile: The device.
        library: The file.

    Raises:
        CompileError: When TVM or the linker refuses.
        PrerequisiteError: When one of them is missing.
    """
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(profile.threads)
    # Only now: importing these imports TVM.
    from edgekernelbench.compiler.tvm.relaxed import save_executable  # noqa: PLC0415
    from edgekernelbench.compiler.tvm.relaxed_whole import Original, whole_module  # noqa: PLC0415

    model = assembled.model
    original = Original(
        (folder / MODULE_FILE).read_text(encoding="utf-8"),
        tuple(call.function for call in model.calls),
        {t.name: (t.dtype, t.shape) for t in _tensors(model)},
        load_weights(folder),
    )
    module = whole_module(assembled.whole, assembled.nests, original, profile)
    save_executable(module, profile, library, find_linker(profile.triple))


def _tensors(model: ImportedModel) -> list[Tensor]:
    return [*model.inputs, *(tensor for call in model.calls for tensor in call.results)]
