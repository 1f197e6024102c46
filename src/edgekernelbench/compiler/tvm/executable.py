"""Machine code that TVM made, in this process."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import tvm

from edgekernelbench.compiler.arrays import Array, allocate_buffer, check_arrays
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Buffer, Nest

_BYTES: dict[DType, np.dtype[np.generic]] = {DType.BOOL: np.dtype(np.uint8), DType.BF16: np.dtype(np.uint16)}


class TvmExecutable:
    """Runs the functions `run` and `prepare` of a module; keeps prepared buffers and tables."""

    def __init__(self, module: Any, nest: Nest) -> None:
        runtime = tvm.runtime.Executable(module)
        self._nest = nest
        self._prepare, self._run = runtime["prepare"], runtime["run"]
        self._kept = [allocate_buffer(b) for b in (*nest.prepared, *nest.tables)]
        for buffer, array in zip(nest.tables, self._kept[len(nest.prepared) :], strict=True):
            array[...] = np.array(buffer.values).reshape(buffer.shape).astype(array.dtype)
        kept = zip((*nest.prepared, *nest.tables), self._kept, strict=True)
        self._kept_tensors = [as_tensor(b, a) for b, a in kept]
        self._spare = [as_tensor(b, allocate_buffer(b)) for b in nest.outputs]

    def prepare(self, params: Sequence[Array]) -> None:
        """Run the nest's `prepare` on the parameters."""
        check_arrays(self._nest.params, params, "parameters")
        self._prepare(*self._tensors(params), *self._spare, *self._kept_tensors)

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`."""
        self._run(*self._arguments(params, outputs))

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set of buffers in turn, `repeats` rounds; arguments are made before the clock starts."""
        sets = [self._arguments(p, o) for p, o in zip(params, outputs, strict=True)]
        run, clock = self._run, time.perf_counter_ns
        spent = []
        for _ in range(repeats):
            start = clock()
            for arguments in sets:
                run(*arguments)
            spent.append(clock() - start)
        return tuple(spent)

    def _arguments(self, params: Sequence[Array], outputs: Sequence[Array]) -> list[Any]:
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        written = [as_tensor(b, a) for b, a in zip(self._nest.outputs, outputs, strict=True)]
        return [*self._tensors(params), *written, *self._kept_tensors]

    def _tensors(self, params: Sequence[Array]) -> list[Any]:
        return [as_tensor(b, a) for b, a in zip(self._nest.params, params, strict=True)]


def as_tensor(buffer: Buffer, array: Array) -> Any:
    """Show an array to TVM without a copy, as one dimension of its stored type.

    Args:
        buffer: Which buffer it holds.
        array: Its elements, contiguous and aligned.
    """
    dtype: np.dtype[np.generic] = _BYTES.get(buffer.dtype, array.dtype)
    flat: Array = array.reshape(-1).view(dtype)
    if not flat.flags.writeable:
        # DLPack has no way to say so; the kernel only reads its parameters.
        flat = np.lib.stride_tricks.as_strided(flat, writeable=True)
    return tvm.runtime.from_dlpack(flat)
