"""Runs OpenCL device code by its launch plan, and times it by the device's events and the wall clock."""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgekernelbench.base.errors import CompileError, DeviceFault
from edgekernelbench.compiler.arrays import Array, check_arrays, stored_bytes, stored_type
from edgekernelbench.compiler.gpu.clocks import believed
from edgekernelbench.compiler.gpu.plan import HostLoop, Launch, Plan, Step, walk_launches
from edgekernelbench.compiler.opencl.device import OpenClDevice, load_pyopencl
from edgekernelbench.nest.tree import Buffer, Nest

WORD_BYTES = 4
"""Buffers end at whole words: half bytes are stored by atomic operations on words."""

LOG_LINES = 6


@dataclass(frozen=True, slots=True)
class _Call:
    """One launch with its buffers set."""

    kernel: Any
    everywhere: tuple[int, int, int]
    group: tuple[int, int, int]
    scalars: tuple[tuple[int, Any], ...]


class OpenClExecutable:
    """Device code on an OpenCL device; keeps prepared buffers, tables and workspace there."""

    def __init__(self, source: str, run: Plan, prepare: Plan, nest: Nest, device: OpenClDevice) -> None:
        """Build the program.

        Raises:
            CompileError: When the device's compiler refuses it, or a block has more threads than it can have.
        """
        self._cl = load_pyopencl()
        self._device, self._nest = device, nest
        self._run, self._prepare = run, prepare
        self._program = self._build(source) if source else None
        self._check_groups()
        self._kept = {b.name: self._memory(stored_bytes(b)) for b in (*nest.prepared, *nest.tables)}
        for table in nest.tables:
            values = np.array(table.values).reshape(table.shape).astype(stored_type(table.dtype))
            self._upload(self._kept[table.name], values)
        self._spare = {b.name: self._memory(stored_bytes(b)) for b in nest.outputs}
        self._slots = [self._memory(size) for size in run.slot_bytes]
        self._held: dict[int, Any] = {}
        self.wall_ns: tuple[int, ...] = ()
        self.event_ns: tuple[int, ...] = ()

    def prepare(self, params: Sequence[Array]) -> None:
        """Run the nest's `prepare` on the parameters."""
        check_arrays(self._nest.params, params, "parameters")
        if not self._prepare.steps:
            return
        slots = [self._memory(size) for size in self._prepare.slot_bytes]
        memory = {**self._kept, **self._spare, **self._named(self._nest.params, params)}
        memory |= {name: slots[slot] for name, slot in self._prepare.slots.items()}
        self._finish(self._calls(self._prepare, memory))

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`."""
        memory = self._arguments(params, outputs)
        self._finish(self._calls(self._run, memory))
        self._fetch(memory, outputs)

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set of buffers in turn, `repeats` rounds; transfers are outside of the clock.

        A duration is that between the events of the first and the last kernel of a round; where it
        contradicts the wall clock, the wall clock's is given.
        """
        sets: dict[int, list[_Call]] = {}
        memories: dict[int, Mapping[str, Any]] = {}
        for given, left in zip(params, outputs, strict=True):
            if id(left) not in sets:
                memories[id(left)] = self._arguments(given, left)
                sets[id(left)] = self._calls(self._run, memories[id(left)])
        calls = [call for left in outputs for call in sets[id(left)]]
        self._guarded(self._device.queue.finish)
        walls, spans = [], []
        for _ in range(repeats):
            wall, span = self._round(calls)
            walls.append(wall)
            spans.append(span)
        self.wall_ns, self.event_ns = tuple(walls), tuple(spans)
        for left in {id(one): one for one in outputs}.values():
            self._fetch(memories[id(left)], left)
        return tuple(believed(wall, span) for wall, span in zip(walls, spans, strict=True))

    def _round(self, calls: list[_Call]) -> tuple[int, int]:
        queue = self._device.queue
        start = time.perf_counter_ns()
        events = [self._enqueue(call) for call in calls]
        self._guarded(queue.finish)
        wall = time.perf_counter_ns() - start
        if not events:
            return wall, wall
        return wall, int(events[-1].profile.end - events[0].profile.start)

    def _build(self, source: str) -> Any:
        program = self._cl.Program(self._device.context, source)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", self._cl.CompilerWarning)  # drivers say what they please
                return program.build(options=list(self._device.options))
        except self._cl.Error as error:
            lines = [line.strip() for line in str(error).splitlines() if "error" in line.lower()]
            log = "; ".join(lines[:LOG_LINES]) or str(error).strip().splitlines()[0]
            raise CompileError(
                f"the OpenCL compiler of {self._device.name} refused the kernel: {log}"
            ) from error

    def _check_groups(self) -> None:
        """Refuse blocks larger than the device allows for these kernels."""
        cl = self._cl
        (device,) = self._device.context.devices
        for plan in (self._run, self._prepare):
            for launch in walk_launches(plan.steps):
                kernel = cl.Kernel(self._program, launch.name)
                most = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
                threads = launch.threads[0] * launch.threads[1] * launch.threads[2]
                if threads > most:
                    raise CompileError(
                        f"{launch.name} has {threads:,} threads a block, {self._device.name} runs {most:,}"
                    )

    def _memory(self, size: int) -> Any:
        whole = max(WORD_BYTES, -(-size // WORD_BYTES) * WORD_BYTES)
        return self._cl.Buffer(self._device.context, self._cl.mem_flags.READ_WRITE, whole)

    def _arguments(self, params: Sequence[Array], outputs: Sequence[Array]) -> dict[str, Any]:
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        memory = {**self._kept, **self._named(self._nest.params, params)}
        memory |= self._named(self._nest.outputs, outputs)
        return memory | {name: self._slots[slot] for name, slot in self._run.slots.items()}

    def _named(self, buffers: Sequence[Buffer], arrays: Sequence[Array]) -> dict[str, Any]:
        """Put arrays on the device; outputs too, so that what is never written shows."""
        memory: dict[str, Any] = {}
        for buffer, array in zip(buffers, arrays, strict=True):
            key = array.ctypes.data
            if key not in self._held or self._held[key].size < array.nbytes:
                self._held[key] = self._memory(array.nbytes)
            memory[buffer.name] = self._held[key]
            self._upload(memory[buffer.name], array)
        return memory

    def _upload(self, memory: Any, array: Array) -> None:
        if array.nbytes:
            flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            self._guarded(lambda: self._cl.enqueue_copy(self._device.queue, memory, flat, is_blocking=True))

    def _fetch(self, memory: Mapping[str, Any], outputs: Sequence[Array]) -> None:
        for buffer, array in zip(self._nest.outputs, outputs, strict=True):
            flat = array.reshape(-1).view(np.uint8)
            self._guarded(
                lambda flat=flat, name=buffer.name: self._cl.enqueue_copy(
                    self._device.queue, flat, memory[name], is_blocking=True
                )
            )

    def _calls(self, plan: Plan, memory: Mapping[str, Any]) -> list[_Call]:
        kernels: dict[str, Any] = {}
        return [call for step in plan.steps for call in self._step(step, memory, {}, kernels)]

    def _step(
        self, step: Step, memory: Mapping[str, Any], values: Mapping[str, int], kernels: dict[str, Any]
    ) -> list[_Call]:
        if isinstance(step, HostLoop):
            return [
                call
                for number in range(step.extent)
                for inner in step.steps
                for call in self._step(inner, memory, {**values, step.var: number}, kernels)
            ]
        return [self._call(step, memory, values, kernels)]

    def _call(
        self, launch: Launch, memory: Mapping[str, Any], values: Mapping[str, int], kernels: dict[str, Any]
    ) -> _Call:
        if launch.name not in kernels:
            kernel = self._cl.Kernel(self._program, launch.name)
            for place, buffer in enumerate(launch.buffers):
                kernel.set_arg(place, memory[buffer.name])
            kernels[launch.name] = kernel
        first = len(launch.buffers)
        scalars = tuple((first + n, np.int32(values[var])) for n, var in enumerate(launch.scalars))
        x, y, z = (b * t for b, t in zip(launch.blocks, launch.threads, strict=True))
        return _Call(kernels[launch.name], (x, y, z), launch.threads, scalars)

    def _enqueue(self, call: _Call) -> Any:
        for place, value in call.scalars:
            call.kernel.set_arg(place, value)
        try:
            return self._cl.enqueue_nd_range_kernel(
                self._device.queue, call.kernel, call.everywhere, call.group
            )
        except self._cl.Error as error:
            raise DeviceFault(f"{self._device.name} did not start a kernel: {error}") from error

    def _finish(self, calls: list[_Call]) -> None:
        for call in calls:
            self._enqueue(call)
        self._guarded(self._device.queue.finish)

    def _guarded(self, action: Any) -> None:
        """Do something that fails when a kernel before it broke the context."""
        try:
            action()
        except self._cl.Error as error:
            raise DeviceFault(f"{self._device.name} failed while a kernel ran: {error}") from error
