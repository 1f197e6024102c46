"""Where workspace lies: offsets in one arena, shared where lifetimes are disjoint.

Buffers of the `local` scope that fit are left to the stack. Everything else gets an offset: what is allocated
inside a `parallel` loop in an area of its own for every thread, the rest in one area for the whole run.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from edgekernelbench.compiler.arrays import ALIGNMENT, stored_bytes
from edgekernelbench.compiler.rewrite import touched
from edgekernelbench.nest.tree import Allocate, Buffer, Guard, Let, Loop, Mark, Stmt, Store, Update


@dataclass(frozen=True, slots=True)
class Slot:
    """Where one buffer lies.

    Attributes:
        area: `"run"`, `"thread"` or `"stack"`.
        offset: Bytes from the start of the area; 0 on the stack.
        alone: Whether no other buffer ever uses these bytes.
    """

    area: str
    offset: int = 0
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Arena:
    """A plan.

    Attributes:
        slots: Where each workspace buffer lies, by name.
        run_bytes: Size of the area of the run.
        thread_bytes: Size of the area of one thread.
        stack_bytes: Most bytes of stack buffers that are alive together in one thread.
    """

    slots: Mapping[str, Slot]
    run_bytes: int
    thread_bytes: int
    stack_bytes: int

    def total(self, threads: int) -> int:
        """Give the size of the areas of the run and of all threads."""
        return self.run_bytes + threads * self.thread_bytes


@dataclass(frozen=True, slots=True)
class Life:
    """A buffer with the first and last moment at which its bytes must be kept."""

    buffer: Buffer
    area: str
    first: int
    last: int


def plan_arena(body: tuple[Stmt, ...], stack_limit: int) -> Arena:
    """Give every workspace buffer of a program a place.

    Args:
        body: The program.
        stack_limit: The largest `local` buffer that is left to the stack, in bytes.

    Returns:
        The plan; buffers whose lifetimes meet never share bytes.
    """
    survey = _Survey(stack_limit)
    survey.block(body, in_parallel=False)
    lives = survey.lives()
    slots: dict[str, Slot] = {}
    sizes: dict[str, int] = {}
    for area in ("run", "thread"):
        offsets, sizes[area] = assign_places([life for life in lives if life.area == area])
        slots |= {name: Slot(area, offset, alone) for name, (offset, alone) in offsets.items()}
    stack = [life for life in lives if life.area == "stack"]
    slots |= {life.buffer.name: Slot("stack") for life in stack}
    deepest = max((sum(_room(o) for o in stack if _meet(life, o)) for life in stack), default=0)
    return Arena(slots, sizes["run"], sizes["thread"], deepest)


def find_lifetimes(body: tuple[Stmt, ...]) -> dict[str, tuple[int, int]]:
    """Give the first and last moment, in leaf statements, at which a workspace buffer must be kept."""
    survey = _Survey(0)
    survey.block(body, in_parallel=False)
    return {life.buffer.name: (life.first, life.last) for life in survey.lives()}


class _Survey:
    """Numbers leaf statements and notes, for each buffer, when it is used.

    A use inside a loop that the buffer outlives lasts as long as the loop.
    """

    def __init__(self, stack_limit: int) -> None:
        self._limit = stack_limit
        self._tick = 0
        self._loops: list[int] = []
        self._found: dict[str, tuple[Buffer, str, int]] = {}
        self._uses: dict[str, list[tuple[int, int]]] = {}
        self._spans: list[tuple[int, int]] = []

    def block(self, body: tuple[Stmt, ...], *, in_parallel: bool) -> None:
        for stmt in body:
            match stmt:
                case Loop(body=inner, mark=mark):
                    self._spans.append((self._tick + 1, self._tick + 1))
                    number = len(self._spans) - 1
                    self._loops.append(number)
                    self.block(inner, in_parallel=in_parallel or mark is Mark.PARALLEL)
                    self._loops.pop()
                    self._spans[number] = (self._spans[number][0], self._tick)
                case Allocate(buffers=buffers, body=inner):
                    for buffer in buffers:
                        area = self._area(buffer, in_parallel=in_parallel)
                        self._found[buffer.name] = (buffer, area, len(self._loops))
                    self.block(inner, in_parallel=in_parallel)
                case Let(body=inner) | Guard(body=inner):
                    self._note(stmt)
                    self.block(inner, in_parallel=in_parallel)
                case Store() | Update():
                    self._note(stmt)

    def _area(self, buffer: Buffer, *, in_parallel: bool) -> str:
        if buffer.scope == "local" and stored_bytes(buffer) <= self._limit:
            return "stack"
        return "thread" if in_parallel else "run"

    def _note(self, stmt: Stmt) -> None:
        self._tick += 1
        for name in touched(stmt):
            if name in self._found:
                depth = self._found[name][2]
                span = self._loops[depth] if len(self._loops) > depth else -1
                self._uses.setdefault(name, []).append((span, self._tick))

    def lives(self) -> list[Life]:
        found = []
        for name, (buffer, area, _) in self._found.items():
            spans = [self._spans[n] if n >= 0 else (tick, tick) for n, tick in self._uses.get(name, [])]
            if spans:
                found.append(Life(buffer, area, min(s[0] for s in spans), max(s[1] for s in spans)))
            else:
                found.append(Life(buffer, area, 0, 0))
        return found


def _meet(a: Life, b: Life) -> bool:
    return a.first <= b.last and b.first <= a.last


def _room(life: Life) -> int:
    unit = max(ALIGNMENT, life.buffer.align)
    return -(-stored_bytes(life.buffer) // unit) * unit


def assign_places(lives: list[Life]) -> tuple[dict[str, tuple[int, bool]], int]:
    """Place the largest first, each at the lowest offset that is free for all its life.

    Returns:
        Where each buffer starts in the area, and whether nobody else ever uses its bytes; the area's size.
    """
    placed: list[tuple[Life, int]] = []
    for life in sorted(lives, key=lambda one: (-_room(one), one.first, one.buffer.name)):
        unit = max(ALIGNMENT, life.buffer.align)
        offset = 0
        taken = sorted((start, start + _room(other)) for other, start in placed if _meet(life, other))
        for start, stop in taken:
            if offset + _room(life) > start and stop > offset:
                offset = -(-stop // unit) * unit
        placed.append((life, offset))
    size = max((start + _room(life) for life, start in placed), default=0)
    spans = {life.buffer.name: (start, start + _room(life)) for life, start in placed}
    alone = {
        name: not any(a < d and c < b for other, (c, d) in spans.items() if other != name)
        for name, (a, b) in spans.items()
    }
    return {name: (start, alone[name]) for name, (start, _) in spans.items()}, size
