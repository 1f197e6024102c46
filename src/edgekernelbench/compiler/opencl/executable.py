"""Runs OpenCL device code by its launch plan, and times it by the device's events and the wall clock."""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgekernelbench.base.errors import CompileError, DeviceFault
from edgekernelbench.compiler.arrays import Array
from edgekernelbench.compiler.gpu.executable import DeviceExecutable, unrolled
from edgekernelbench.compiler.gpu.plan import Launch, Plan, Step, walk_launches
from edgekernelbench.compiler.opencl.device import OpenClDevice, load_pyopencl
from edgekernelbench.nest.tree import Nest

LOG_LINES = 6


@dataclass(frozen=True, slots=True)
class _Call:
    """One launch with its buffers set."""

    kernel: Any
    everywhere: tuple[int, int, int]
    group: tuple[int, int, int]
    scalars: tuple[tuple[int, Any], ...]


class OpenClExecutable(DeviceExecutable[Any, _Call]):
    """Device code on an OpenCL device."""

    def __init__(self, source: str, run: Plan, prepare: Plan, nest: Nest, device: OpenClDevice) -> None:
        """Build the program.

        Raises:
            CompileError: When the device's compiler refuses it, or a block has more threads than it can have.
        """
        self._cl = load_pyopencl()
        self._device = device
        self._program = self._build(source) if source else None
        self._check_groups((*run.steps, *prepare.steps))
        super().__init__(nest, run, prepare)

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

    def _check_groups(self, steps: tuple[Step, ...]) -> None:
        """Refuse blocks larger than the device allows for these kernels."""
        cl = self._cl
        (device,) = self._device.context.devices
        for launch in walk_launches(steps):
            kernel = cl.Kernel(self._program, launch.name)
            most = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
            threads = launch.threads[0] * launch.threads[1] * launch.threads[2]
            if threads > most:
                raise CompileError(
                    f"{launch.name} has {threads:,} threads a block, {self._device.name} runs {most:,}"
                )

    def _allocate(self, size: int) -> Any:
        return self._cl.Buffer(self._device.context, self._cl.mem_flags.READ_WRITE, size)

    def _upload(self, memory: Any, array: Array) -> None:
        if array.nbytes:
            flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            self._guarded(lambda: self._cl.enqueue_copy(self._device.queue, memory, flat, is_blocking=True))

    def _download(self, memory: Any, array: Array) -> None:
        flat = array.reshape(-1).view(np.uint8)
        self._guarded(lambda: self._cl.enqueue_copy(self._device.queue, flat, memory, is_blocking=True))

    def _calls(self, plan: Plan, memory: Mapping[str, Any]) -> list[_Call]:
        kernels: dict[str, Any] = {}
        return [self._call(launch, memory, values, kernels) for launch, values in unrolled(plan.steps)]

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

    def _start(self, calls: Sequence[_Call]) -> None:
        for call in calls:
            self._enqueue(call)

    def _wait(self) -> None:
        self._guarded(self._device.queue.finish)

    def _round(self, calls: Sequence[_Call]) -> tuple[int, int]:
        start = time.perf_counter_ns()
        events = [self._enqueue(call) for call in calls]
        self._wait()
        wall = time.perf_counter_ns() - start
        if not events:
            return wall, wall
        return wall, int(events[-1].profile.end - events[0].profile.start)

    def _guarded(self, action: Any) -> None:
        """Do something that fails when a kernel before it broke the context."""
        try:
            action()
        except self._cl.Error as error:
            raise DeviceFault(f"{self._device.name} failed while a kernel ran: {error}") from error
