"""What running a launch plan on a device has in common, whatever starts the kernels."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np

from edgekernelbench.compiler.arrays import Array, check_arrays, stored_bytes, stored_type
from edgekernelbench.compiler.gpu.clocks import believed
from edgekernelbench.compiler.gpu.plan import HostLoop, Launch, Plan, Step
from edgekernelbench.nest.tree import Buffer, Nest

WORD_BYTES = 4
"""Buffers end at whole words: half bytes are stored by atomic operations on words."""


class Memory(Protocol):
    """Memory on a device."""

    @property
    def size(self) -> int:
        """Bytes."""


M = TypeVar("M", bound=Memory)
C = TypeVar("C")


class DeviceExecutable(ABC, Generic[M, C]):
    """Runs a plan; keeps prepared buffers, tables and workspace on the device.

    A `C` is one kernel with its arguments, ready to be started.
    """

    def __init__(self, nest: Nest, run: Plan, prepare: Plan) -> None:
        """Allocate what stays on the device; a subclass has made its device ready before."""
        self._nest = nest
        self._run, self._prepare = run, prepare
        self._kept = {b.name: self._memory(stored_bytes(b)) for b in (*nest.prepared, *nest.tables)}
        for table in nest.tables:
            values = np.array(table.values).reshape(table.shape).astype(stored_type(table.dtype))
            self._upload(self._kept[table.name], values)
        self._spare = {b.name: self._memory(stored_bytes(b)) for b in nest.outputs}
        self._slots = [self._memory(size) for size in run.slot_bytes]
        self._held: dict[int, M] = {}
        self.wall_ns: tuple[int, ...] = ()
        self.event_ns: tuple[int, ...] = ()

    @abstractmethod
    def _allocate(self, size: int) -> M:
        """Allocate some bytes, a multiple of a word."""

    @abstractmethod
    def _upload(self, memory: M, array: Array) -> None:
        """Copy an array to the device, and wait."""

    @abstractmethod
    def _download(self, memory: M, array: Array) -> None:
        """Fill an array from the device, and wait."""

    @abstractmethod
    def _calls(self, plan: Plan, memory: Mapping[str, M]) -> list[C]:
        """Make the kernels of a plan ready, in order."""

    @abstractmethod
    def _start(self, calls: Sequence[C]) -> None:
        """Start kernels one after the other."""

    @abstractmethod
    def _wait(self) -> None:
        """Wait until the device is done."""

    @abstractmethod
    def _round(self, calls: Sequence[C]) -> tuple[int, int]:
        """Start kernels and wait; give nanoseconds of the wall clock and between events of the device."""

    def prepare(self, params: Sequence[Array]) -> None:
        """Run the nest's `prepare` on the parameters."""
        check_arrays(self._nest.params, params, "parameters")
        if not self._prepare.steps:
            return
        slots = [self._memory(size) for size in self._prepare.slot_bytes]
        memory = {**self._kept, **self._spare, **self._named(self._nest.params, params)}
        memory |= {name: slots[slot] for name, slot in self._prepare.slots.items()}
        self._start(self._calls(self._prepare, memory))
        self._wait()

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`."""
        memory = self._arguments(params, outputs)
        self._start(self._calls(self._run, memory))
        self._wait()
        self._fetch(memory, outputs)

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set of buffers in turn, `repeats` rounds; transfers are outside of the clock.

        A duration is that between events of the device around a round; where it contradicts the wall clock,
        the wall clock's is given.
        """
        sets: dict[int, list[C]] = {}
        memories: dict[int, Mapping[str, M]] = {}
        for given, left in zip(params, outputs, strict=True):
            if id(left) not in sets:
                memories[id(left)] = self._arguments(given, left)
                sets[id(left)] = self._calls(self._run, memories[id(left)])
        calls = [call for left in outputs for call in sets[id(left)]]
        self._wait()
        rounds = [self._round(calls) for _ in range(repeats)]
        self.wall_ns = tuple(wall for wall, _ in rounds)
        self.event_ns = tuple(span for _, span in rounds)
        for left in {id(one): one for one in outputs}.values():
            self._fetch(memories[id(left)], left)
        return tuple(believed(wall, span) for wall, span in rounds)

    def _memory(self, size: int) -> M:
        return self._allocate(max(WORD_BYTES, -(-size // WORD_BYTES) * WORD_BYTES))

    def _arguments(self, params: Sequence[Array], outputs: Sequence[Array]) -> dict[str, M]:
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        memory = {**self._kept, **self._named(self._nest.params, params)}
        memory |= self._named(self._nest.outputs, outputs)
        return memory | {name: self._slots[slot] for name, slot in self._run.slots.items()}

    def _named(self, buffers: Sequence[Buffer], arrays: Sequence[Array]) -> dict[str, M]:
        """Put arrays on the device; outputs too, so that what is never written shows."""
        memory: dict[str, M] = {}
        for buffer, array in zip(buffers, arrays, strict=True):
            key = array.ctypes.data
            if key not in self._held or self._held[key].size < array.nbytes:
                self._held[key] = self._memory(array.nbytes)
            memory[buffer.name] = self._held[key]
            self._upload(memory[buffer.name], array)
        return memory

    def _fetch(self, memory: Mapping[str, M], outputs: Sequence[Array]) -> None:
        for buffer, array in zip(self._nest.outputs, outputs, strict=True):
            self._download(memory[buffer.name], array)


def unrolled(
    steps: Sequence[Step], values: Mapping[str, int] | None = None
) -> Iterator[tuple[Launch, Mapping[str, int]]]:
    """List the launches of a plan in order, loops of the host run out.

    Args:
        steps: Steps of a plan.
        values: Positions of the loops outside; none at the top.

    Yields:
        Each launch with the position of every host loop round it.
    """
    known = values or {}
    for step in steps:
        if isinstance(step, HostLoop):
            for number in range(step.extent):
                yield from unrolled(step.steps, {**known, step.var: number})
        else:
            yield step, known
