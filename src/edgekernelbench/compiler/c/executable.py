"""A shared object made from C, in this process."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from edgekernelbench.compiler.arrays import Array, aligned_zeros, allocate_buffer, check_arrays
from edgekernelbench.compiler.c.program import CProgram
from edgekernelbench.nest.tree import Nest


class CExecutable:
    """Runs a `CProgram`; keeps its workspace and its prepared buffers."""

    def __init__(self, shared: Path, program: CProgram, nest: Nest) -> None:
        library = ctypes.CDLL(str(shared))
        self._nest = nest
        self._prepare = getattr(library, f"{program.name}_prepare_buffers")
        self._run = getattr(library, f"{program.name}_run_buffers")
        self._time = getattr(library, f"{program.name}_time")
        for function in (self._prepare, self._run, self._time):
            function.restype = None
        self._prepared = [allocate_buffer(b) for b in nest.prepared]
        self._workspace = aligned_zeros((max(1, program.workspace_bytes),), np.dtype(np.uint8), align=4096)

    def prepare(self, params: Sequence[Array]) -> None:
        """Run the nest's `prepare` on the parameters."""
        check_arrays(self._nest.params, params, "parameters")
        self._prepare(_pointers([*params, *self._prepared]), _pointer(self._workspace))

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`."""
        self._run(_pointers(self._buffers(params, outputs)), _pointer(self._workspace))

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set of buffers in turn, `repeats` rounds, all inside C."""
        every = [a for p, o in zip(params, outputs, strict=True) for a in self._buffers(p, o)]
        spent = (ctypes.c_int64 * repeats)()
        counts = (ctypes.c_int64(len(params)), ctypes.c_int64(repeats))
        self._time(_pointers(every), *counts, spent, _pointer(self._workspace))
        return tuple(spent)

    def _buffers(self, params: Sequence[Array], outputs: Sequence[Array]) -> list[Array]:
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        return [*params, *outputs, *self._prepared]


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _pointers(arrays: Sequence[Array]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
