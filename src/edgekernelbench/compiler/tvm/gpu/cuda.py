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
from edgekernelbench.compiler.arrays import Array, check_arrays, stored_bytes, stored_type
from edgekernelbench.compiler.gpu.clocks import believed
from edgekernelbench.compiler.gpu.plan import HostLoop, Launch, Plan, Step, walk_launches
from edgekernelbench.nest.tree import Buffer, Nest

WORD_BYTES = 4
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


class CudaExecutable:
    """A cubin on this machine's GPU; keeps prepared buffers, tables and workspace there."""

    def __init__(self, cubin: bytes, run: Plan, prepare: Plan, nest: Nest) -> None:
        """Load machine code, made here or carried from elsewhere.

        Raises:
            DeviceFault: When the GPU cannot be used.
        """
        self._device = tvm.cuda(0)
        self._nest = nest
        self._run, self._prepare = run, prepare
        self._module = self._guarded(lambda: load_cubin(cubin, (*run.steps, *prepare.steps)))
        self._events = Events()
        self._kept = {b.name: self._memory(stored_bytes(b)) for b in (*nest.prepared, *nest.tables)}
        for table in nest.tables:
            values = np.array(table.values).reshape(table.shape).astype(stored_type(table.dtype))
            self._upload(self._kept[table.name], values)
        self._spare = {b.name: self._memory(stored_bytes(b)) for b in nest.outputs}
        self._slots = [self._memory(size) for size in run.slot_bytes]
        self._held: dict[int, _Memory] = {}
        self.wall_ns: tuple[int, ...] = ()
        self.event_ns: tuple[int, ...] = ()

    def prepare(self, params: Sequence[Array]) -> None:
        """Run the nest's `prepare` on the parameters."""
        check_arrays(self._nest.params, params, "parameters")
        plan = self._prepare
        if not plan.steps:
            return
        slots = [self._memory(size) for size in plan.slot_bytes]
        memory = {**self._kept, **self._spare, **self._named(self._nest.params, params)}
        memory |= {name: slots[slot] for name, slot in plan.slots.items()}
        self._start(self._starts(plan, memory))

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`."""
        memory = self._arguments(params, outputs)
        self._start(self._starts(self._run, memory))
        self._fetch(memory, outputs)

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set of buffers in turn, `repeats` rounds; transfers are outside of the clock.

        A duration is that between an event before the first kernel of a round and one after the last; where
        it contradicts the wall clock, the wall clock's is given.
        """
        starts: dict[int, list[Start]] = {}
        memories: dict[int, Mapping[str, _Memory]] = {}
        for given, left in zip(params, outputs, strict=True):
            if id(left) not in starts:
                memories[id(left)] = self._arguments(given, left)
                starts[id(left)] = self._starts(self._run, memories[id(left)])
        round_ = [start for left in outputs for start in starts[id(left)]]
        self._guarded(self._device.sync)
        walls, spans = [], []
        for _ in range(repeats):
            begin = time.perf_counter_ns()
            self._events.first()
            self._guarded(partial(_all, round_))
            self._events.last()
            self._guarded(self._device.sync)
            walls.append(time.perf_counter_ns() - begin)
            spans.append(self._events.between_ns())
        self.wall_ns, self.event_ns = tuple(walls), tuple(spans)
        for left in {id(one): one for one in outputs}.values():
            self._fetch(memories[id(left)], left)
        return tuple(believed(wall, span) for wall, span in zip(walls, spans, strict=True))

    def _memory(self, size: int) -> _Memory:
        whole = max(WORD_BYTES, -(-size // WORD_BYTES) * WORD_BYTES)
        tensor = self._guarded(lambda: tvm.runtime.empty((whole,), "uint8", self._device))
        return _Memory(tensor, ctypes.c_void_p(device_pointer(tensor)), whole)

    def _arguments(self, params: Sequence[Array], outputs: Sequence[Array]) -> dict[str, _Memory]:
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        memory = {**self._kept, **self._named(self._nest.params, params)}
        memory |= self._named(self._nest.outputs, outputs)
        return memory | {name: self._slots[slot] for name, slot in self._run.slots.items()}

    def _named(self, buffers: Sequence[Buffer], arrays: Sequence[Array]) -> dict[str, _Memory]:
        """Put arrays on the device; outputs too, so that what is never written shows."""
        memory: dict[str, _Memory] = {}
        for buffer, array in zip(buffers, arrays, strict=True):
            key = array.ctypes.data
            if key not in self._held or self._held[key].size < array.nbytes:
                self._held[key] = self._memory(array.nbytes)
            memory[buffer.name] = self._held[key]
            self._upload(memory[buffer.name], array)
        return memory

    def _upload(self, memory: _Memory, array: Array) -> None:
        flat = np.zeros(memory.size, np.uint8)
        flat[: array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._guarded(lambda: memory.tensor.copyfrom(flat))

    def _fetch(self, memory: Mapping[str, _Memory], outputs: Sequence[Array]) -> None:
        for buffer, array in zip(self._nest.outputs, outputs, strict=True):
            flat = self._guarded(memory[buffer.name].tensor.numpy)
            array.reshape(-1).view(np.uint8)[...] = flat[: array.nbytes]

    def _starts(self, plan: Plan, memory: Mapping[str, _Memory]) -> list[Start]:
        return [start for step in plan.steps for start in self._step(step, memory, {})]

    def _step(self, step: Step, memory: Mapping[str, _Memory], values: Mapping[str, int]) -> list[Start]:
        if isinstance(step, HostLoop):
            return [
                start
                for number in range(step.extent)
                for inner in step.steps
                for start in self._step(inner, memory, {**values, step.var: number})
            ]
        return [self._launch(step, memory, values)]

    def _launch(self, launch: Launch, memory: Mapping[str, _Memory], values: Mapping[str, int]) -> Start:
        function = self._module.get_function(launch.name)
        pointers = [memory[buffer.name].pointer for buffer in launch.buffers]
        scalars = [values[var] for var in launch.scalars]
        return partial(function, *pointers, *scalars, *launch.given_dims())

    def _start(self, starts: list[Start]) -> None:
        self._guarded(partial(_all, starts))
        self._guarded(self._device.sync)

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


def _all(starts: list[Start]) -> None:
    for start in starts:
        start()


def device_pointer(tensor: Any) -> int:
    """Give the address of a tensor on the device."""
    return int(tensor.data_ptr())
