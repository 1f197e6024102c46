"""Runs a cubin by its launch plan through TVM's CUDA runtime, and times it by events and the wall clock."""

import ctypes
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import tvm

from edgekernelbench.base.errors import DeviceFault, PrerequisiteError
from edgekernelbench.compiler.arrays import Array
from edgekernelbench.compiler.gpu.executable import DeviceExecutable, unrolled
from edgekernelbench.compiler.gpu.plan import Launch, Plan, Step, walk_launches
from edgekernelbench.nest.tree import Nest

_NS_PER_MS = 1_000_000

Start = Callable[[], object]
"""Starts one kernel."""


def find_arch() -> str | None:
    """Name the architecture of this machine's GPU, such as `"sm_90"`; None when TVM sees none."""
    device = tvm.cuda(0)
    if not device.exist:
        return None
    return f"sm_{str(device.compute_version).replace('.', '')}"


def need_arch() -> str:
    """Name the architecture of this machine's GPU.

    Raises:
        PrerequisiteError: When there is none.
    """
    found = find_arch()
    if found is None:
        raise PrerequisiteError(
            "TVM sees no NVIDIA GPU on this machine",
            "check the driver and CUDA 13's runtime, or name a profile",
        )
    return found


@dataclass(frozen=True, slots=True)
class _Memory:
    """Memory on the device.

    Attributes:
        tensor: Holds it.
        pointer: Where it is.
        size: In bytes.
    """

    tensor: Any
    pointer: ctypes.c_void_p
    size: int


class CudaExecutable(DeviceExecutable[_Memory, Start]):
    """A cubin on this machine's GPU."""

    def __init__(self, cubin: bytes, run: Plan, prepare: Plan, nest: Nest) -> None:
        """Load machine code, made here or carried from elsewhere.

        Raises:
            DeviceFault: When the GPU cannot be used.
        """
        self._device = tvm.cuda(0)
        self._module = self._guarded(lambda: load_cubin(cubin, (*run.steps, *prepare.steps)))
        self._events = Events()
        super().__init__(nest, run, prepare)

    def _allocate(self, size: int) -> _Memory:
        tensor = self._guarded(lambda: tvm.runtime.empty((size,), "uint8", self._device))
        return _Memory(tensor, ctypes.c_void_p(device_pointer(tensor)), size)

    def _upload(self, memory: _Memory, array: Array) -> None:
        flat = np.zeros(memory.size, np.uint8)
        flat[: array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._guarded(lambda: memory.tensor.copyfrom(flat))

    def _download(self, memory: _Memory, array: Array) -> None:
        flat = self._guarded(memory.tensor.numpy)
        array.reshape(-1).view(np.uint8)[...] = flat[: array.nbytes]

    def _calls(self, plan: Plan, memory: Mapping[str, _Memory]) -> list[Start]:
        return [self._call(launch, memory, values) for launch, values in unrolled(plan.steps)]

    def _call(self, launch: Launch, memory: Mapping[str, _Memory], values: Mapping[str, int]) -> Start:
        function = self._module.get_function(launch.name)
        pointers = [memory[buffer.name].pointer for buffer in launch.buffers]
        scalars = [values[var] for var in launch.scalars]
        return partial(function, *pointers, *scalars, *launch.given_dims())

    def _start(self, calls: Sequence[Start]) -> None:
        self._guarded(partial(_all, calls))

    def _wait(self) -> None:
        self._guarded(self._device.sync)

    def _round(self, calls: Sequence[Start]) -> tuple[int, int]:
        begin = time.perf_counter_ns()
        self._events.first()
        self._start(calls)
        self._events.last()
        self._wait()
        return time.perf_counter_ns() - begin, self._events.between_ns()

    def _guarded(self, action: Callable[[], Any]) -> Any:
        """Do something that fails when a kernel before it broke the context."""
        try:
            return action()
        except (RuntimeError, ValueError) as error:
            last = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
            raise DeviceFault(f"the GPU failed while a kernel ran: {last}") from error


def load_cubin(cubin: bytes, steps: tuple[Step, ...]) -> Any:
    """Make a module of TVM's runtime from machine code and what its kernels are given."""
    create = tvm.get_global_func("ffi.Module.create.cuda")
    return create(cubin, "cubin", describe_kernels(steps), {})


def describe_kernels(steps: tuple[Step, ...]) -> Any:
    """Tell TVM's runtime about kernels: the types of their arguments, and which sizes follow them."""
    functions = {
        launch.name: {
            "name": launch.name,
            "arg_types": ["handle"] * len(launch.buffers) + ["int32"] * len(launch.scalars),
            "launch_param_tags": list(launch.tags()),
        }
        for launch in walk_launches(steps)
    }
    text = json.dumps({"tvm_version": tvm.__version__, "func_info": functions})
    return tvm.get_global_func("runtime.LoadMetaDataFromJSON")(text)


class Events:
    """Two events of CUDA's runtime on the stream that TVM launches on, which is the default one."""

    def __init__(self) -> None:
        """Make the events.

        Raises:
            DeviceFault: When CUDA refuses.
        """
        # TVM's runtime has loaded it already.
        self._runtime = ctypes.CDLL("libcudart.so.13")
        self._pair = (ctypes.c_void_p(), ctypes.c_void_p())
        for event in self._pair:
            self._check(self._runtime.cudaEventCreate(ctypes.byref(event)))

    def first(self) -> None:
        """Record that the round begins."""
        self._check(self._runtime.cudaEventRecord(self._pair[0], None))

    def last(self) -> None:
        """Record that the round ends."""
        self._check(self._runtime.cudaEventRecord(self._pair[1], None))

    def between_ns(self) -> int:
        """Give the nanoseconds between the two, once both have happened."""
        passed = ctypes.c_float()
        self._check(self._runtime.cudaEventElapsedTime(ctypes.byref(passed), *self._pair))
        return int(passed.value * _NS_PER_MS)

    def _check(self, status: int) -> None:
        if status:
            raise DeviceFault(f"CUDA's runtime answered with error {status}")


def _all(starts: Sequence[Start]) -> None:
    for start in starts:
        start()


def device_pointer(tensor: Any) -> int:
    """Give the address of a tensor on the device."""
    return int(tensor.data_ptr())
