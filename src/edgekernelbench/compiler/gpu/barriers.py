"""Where threads of a block have to wait for each other.

A nest is a serial program, and data loops of one nest write different elements: what a thread reads of what
the same thread loops wrote, it wrote itself. So two accesses need a barrier between them only when they are
of one buffer, one of them writes, and *different* thread loops deal them out; or when a serial loop round the
thread loops has come round in between. All threads of a block pass a barrier: none stands where they have
parted ways.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from edgekernelbench.compiler.gpu.across import find_crossing
from edgekernelbench.compiler.gpu.ahead import Ahead, find_ahead
from edgekernelbench.compiler.rewrite import expressions, reads_of, written
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.tree import Allocate, Guard, Kind, Let, Loop, Mark, Stmt, Store, Update, inner

Mapped = tuple[int, ...]
"""Which thread loops deal a statement out: the loop of each axis, or 0; other numbers for what is special."""

NOBODY: Mapped = (0, 0, 0)

Before = Literal[0, 1, 2]
"""0 for this round; 1 for an earlier one; 2 for an earlier one of a data loop, whose rounds write apart."""


@dataclass(frozen=True, slots=True)
class Access:
    """One access to memory that threads share.

    Attributes:
        memory: The buffer, or what holds several that share bytes.
        buffer: The buffer itself.
        writes: Whether it writes.
        mapped: Which thread loops deal it out.
        source: The statement.
        before: Whether it was in an earlier round of a serial loop.
    """

    memory: str
    buffer: str
    writes: bool
    mapped: Mapped
    source: int
    before: "Before" = 0


Pending = frozenset[Access]
"""The accesses since the last barrier."""


class Barriers:
    """Decides barriers for one launch."""

    def __init__(self, shared: Mapping[str, str]) -> None:
        """Take what threads share.

        Args:
            shared: For each buffer that more than one thread sees, the name of the memory that holds it.
        """
        self.shared = shared

    def needed(self, stmt: Stmt, mapped: Mapped, pending: Pending) -> bool:
        """Say whether something in a statement must wait for what came before."""
        found = frozenset(self.accesses(stmt, mapped))
        return any(_conflict(one, other) for one in pending for other in found)

    def after(self, body: tuple[Stmt, ...], mapped: Mapped, pending: Pending) -> Pending:
        """Give the accesses since the last barrier after some statements."""
        for stmt in body:
            if self.needed(stmt, mapped, pending):
                pending = frozenset()
            pending = self._after(stmt, mapped, pending)
        return pending

    def entry(self, loop: Loop, mapped: Mapped, pending: Pending) -> Pending:
        """Give what is pending at the start of some iteration of a serial loop."""
        held = pending
        while True:
            come = self.after(loop.body, mapped, held)
            own = {id(s) for s in _thread_loops(loop.body)}
            before: Before = 2 if loop.kind in (Kind.DATA, Kind.COPY) else 1
            fresh = held | {_earlier(access, own, before) for access in come}
            if fresh == held:
                return held
            held = fresh

    def _after(self, stmt: Stmt, mapped: Mapped, pending: Pending) -> Pending:
        match stmt:
            case Loop() if stmt.mark in THREADS:
                if find_crossing(stmt) is not None:
                    return self.crossed(stmt, mapped)
                return self.after(stmt.body, enter(stmt, mapped), pending)
            case Loop(mark=Mark.AHEAD) if self.begins_together(stmt):
                ahead = find_ahead(stmt)
                pending = self.after(ahead.work, mapped, self.lets_after(ahead, mapped))
                return pending | self.fetched(ahead, mapped)
            case Loop():
                if stmt.extent == 1:
                    return self.after(stmt.body, mapped, pending)
                return self.after(stmt.body, mapped, self.entry(stmt, mapped, pending))
            case Let(body=body) | Guard(body=body):
                return self.after(body, mapped, pending | frozenset(self._own(stmt, mapped)))
            case Allocate(body=body):
                return self.after(body, mapped, pending)
            case Store() | Update():
                return pending | frozenset(self._own(stmt, mapped))
            case _:
                assert_never(stmt)

    def begins_together(self, loop: Loop) -> bool:
        """Say whether each iteration of a loop that fetches ahead begins with a barrier.

        It does where threads share what is fetched: the barrier says that all have what they fetched for this
        iteration, and that nobody reads any more what is fetched over.
        """
        return bool(written(find_ahead(loop).fetches) & self.shared.keys())

    def lets_after(self, ahead: Ahead, mapped: Mapped) -> Pending:
        """Give what the first positions of an iteration read."""
        return frozenset(a for let in ahead.lets for a in self._own(let, mapped))

    def fetched(self, ahead: Ahead, mapped: Mapped) -> Pending:
        """Give the accesses of what is fetched, which go on until the next iteration begins."""
        return frozenset(a for stmt in ahead.fetches for a in self.accesses(stmt, mapped))

    def accesses(self, stmt: Stmt, mapped: Mapped) -> Iterator[Access]:
        """List what a statement does to shared memory, inside it too."""
        yield from self._own(stmt, mapped)
        inside = mapped
        if isinstance(stmt, Loop) and stmt.mark in THREADS:
            inside = enter(stmt, mapped)
            crossing = find_crossing(stmt)
            if crossing is not None:
                special = (-id(stmt), 0, 0)
                for update in crossing.updates:
                    for name in (update.buffer, update.best):
                        if name in self.shared:
                            yield Access(
                                self.shared[name], name, writes=True, mapped=special, source=id(stmt)
                            )
        for one in inner(stmt):
            yield from self.accesses(one, inside)

    def crossed(self, loop: Loop, mapped: Mapped) -> Pending:
        """Give what is pending after a reduction across threads, which has barriers of its own."""
        return frozenset(a for a in self.accesses(loop, mapped) if a.mapped[0] < 0)

    def noted(self, stmt: Stmt, mapped: Mapped, pending: Pending) -> Pending:
        """Add what a statement does by itself."""
        return pending | frozenset(self._own(stmt, mapped))

    def _own(self, stmt: Stmt, mapped: Mapped) -> Iterator[Access]:
        for expr in expressions(stmt):
            for name in reads_of(expr):
                if name in self.shared:
                    yield Access(self.shared[name], name, writes=False, mapped=mapped, source=id(stmt))
        if isinstance(stmt, Store | Update):
            for name in (stmt.buffer, stmt.best if isinstance(stmt, Update) else ""):
                if name in self.shared:
                    yield Access(self.shared[name], name, writes=True, mapped=mapped, source=id(stmt))


def enter(loop: Loop, mapped: Mapped) -> Mapped:
    """Give the mapping inside a thread loop."""
    place = THREADS.index(loop.mark)
    return (*mapped[:place], id(loop), *mapped[place + 1 :])


def _conflict(a: Access, b: Access) -> bool:
    if a.memory != b.memory or not (a.writes or b.writes):
        return False
    if a.buffer != b.buffer:
        return True  # other threads may still be busy with what lay there before
    if a.source == b.source and a.writes and b.writes and {a.before, b.before} == {0, 2}:
        return False
    return a.mapped != b.mapped or a.before != b.before


def _earlier(access: Access, own: set[int], before: Before) -> Access:
    """Mark an access of a thread loop inside the serial loop as one of an earlier iteration."""
    inside = any(abs(number) in own for number in access.mapped) or access.mapped == NOBODY
    return replace(access, before=1 if access.before == 1 else before) if inside else access


def _thread_loops(body: tuple[Stmt, ...]) -> Iterator[Loop]:
    for stmt in body:
        if isinstance(stmt, Loop) and stmt.mark in THREADS:
            yield stmt
        yield from _thread_loops(inner(stmt))


__all__ = ["NOBODY", "Access", "Barriers", "Mapped", "Mark", "Pending", "enter"]
