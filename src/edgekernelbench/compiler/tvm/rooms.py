"""Where TIR keeps workspace that the stack cannot hold: from TVM's allocator, or in what a caller gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import tvm
from tvm import tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import ALIGNMENT

Node = Any

_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Slot:
    """A buffer of TIR that needs room.

    Attributes:
        tir: The buffer.
        size: Bytes that it takes.
    """

    tir: Node
    size: int


@dataclass(frozen=True, slots=True)
class Task:
    """The thread that a statement is run by.

    Attributes:
        number: Its number, an expression of TIR.
        count: How many there are.
    """

    number: Node
    count: int


class Rooms(Protocol):
    """Gives buffers their room."""

    def hold(self, slots: Sequence[Slot], task: Task | None) -> list[Node]:
        """Write what makes buffers usable in the statements that follow.

        Args:
            slots: The buffers; all of them are alive together.
            task: The thread that they belong to; None for the whole run.

        Returns:
            Statements.
        """
        ...


class Allocator:
    """TVM's allocator."""

    def hold(self, slots: Sequence[Slot], task: Task | None) -> list[Node]:
        """Allocate each."""
        del task
        return [tirx.AllocBuffer(slot.tir) for slot in slots]


class Given:
    """Two areas of bytes that are parameters of the function: one of the run, one that the threads share out.

    Attributes:
        run_bytes: What the area of the run takes, as far as it was asked for.
        task_bytes: What the area of the threads takes.
    """

    def __init__(self) -> None:
        self.run_bytes = 0
        self.task_bytes = 0
        self._run, self._tasks = _bytes("workspace"), _bytes("lanes")

    @property
    def areas(self) -> tuple[Node, Node]:
        """The two areas, as buffers of TIR: of the run, of the threads."""
        return self._run, self._tasks

    def hold(self, slots: Sequence[Slot], task: Task | None) -> list[Node]:
        """Point into an area.

        Raises:
            CompileError: When an area takes 2**31 bytes or more, whose positions TVM would narrow.
        """
        start, base = (self.run_bytes, self._run) if task is None else (0, self._tasks)
        places, at = [], start
        for slot in slots:
            places.append(at)
            at += -(-slot.size // ALIGNMENT) * ALIGNMENT
        shift: Node = _number(0)
        if task is None:
            self.run_bytes = at
        else:
            self.task_bytes = max(self.task_bytes, task.count * at)
            shift = task.number * _number(at)
        if max(self.run_bytes, self.task_bytes) > _LARGEST:
            raise CompileError(f"exported kernels take at most {_LARGEST:,} B of workspace, found {at:,} B")
        return [
            tirx.DeclBuffer(slot.tir, data=_pointer(base, shift + _number(place), slot.tir.data.ty))
            for slot, place in zip(slots, places, strict=True)
        ]


def _bytes(name: str) -> Node:
    return tirx.decl_buffer((_LARGEST,), "uint8", name)


def _pointer(base: Node, place: Node, kind: Node) -> Node:
    address = tirx.address_of(tirx.BufferLoad(base, [place]))
    return tvm.tirx.call_intrin(kind, "tirx.reinterpret", address)


def _number(value: int) -> Node:
    return tirx.IntImm("int32", value)
