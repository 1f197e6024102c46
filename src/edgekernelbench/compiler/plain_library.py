"""A shared library with the entry points of an exported kernel, in this process."""

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from edgekernelbench.base.errors import InternalError, PrerequisiteError
from edgekernelbench.compiler.arrays import Array, aligned_zeros, check_arrays
from edgekernelbench.compiler.c.facade import ANSWERS
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.nest.tree import Nest


class PlainExecutable:
    """Runs a library that `ekb export` linked; keeps its workspace and what was prepared."""

    def __init__(self, library: Path, nest: Nest, const: Sequence[bool], *, sizes: tuple[int, int]) -> None:
        """Load a library.

        Args:
            library: The file.
            nest: What was exported: its parameters and outputs.
            const: Which parameters are weights.
            sizes: Bytes of the workspace, and of what is prepared.

        Raises:
            PrerequisiteError: When it is for another machine, or a library that it needs is missing.
        """
        try:
            loaded = ctypes.CDLL(str(library))
        except OSError as error:
            raise PrerequisiteError(
                f"{library.name} cannot be loaded here ({error})", "export it for this machine"
            ) from error
        name = f"ekb_{Names()[nest.name]}"
        self._run, self._prepare = getattr(loaded, name), getattr(loaded, f"{name}_prepare")
        self._nest, self._const = nest, tuple(const)
        # A workspace each: threads of Python may call one kernel at one time, but not this object.
        self._workspace, self._prepared = (aligned_zeros((max(1, n),), np.dtype(np.uint8)) for n in sizes)

    def prepare(self, params: Sequence[Array]) -> None:
        """Prepare the weights among the parameters."""
        check_arrays(self._nest.params, params, "parameters")
        weights = [array for array, const in zip(params, self._const, strict=True) if const]
        self._call(self._prepare, [*weights, self._prepared, self._workspace])

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`.

        Raises:
            ValueError: When a value is outside the range that its parameter declares.
        """
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        self._call(self._run, [*params, *outputs, self._prepared, self._workspace])

    def _call(self, function: Callable[..., int], arrays: list[Array]) -> None:
        answer = function(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        if answer == ANSWERS.index("OUT_OF_RANGE"):
            raise ValueError(f"{self._nest.name}: an input is outside the range that its text declares")
        if answer:
            raise InternalError(f"expected {self._nest.name} to answer 0, found {ANSWERS[answer]}")
