"""What a run takes of a device: bytes of every scope, blocks and threads of every launch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from edgekernelbench.ir.memory import SCOPES
from edgekernelbench.nest.lifetimes import overlay
from edgekernelbench.nest.marks import BLOCKS, THREADS
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.tree import Allocate, Buffer, Loop, Mark, Stmt, inner


@dataclass(frozen=True, slots=True)
class Peak:
    """The most bytes of a scope that live together, and the buffers."""

    total: int = 0
    buffers: tuple[Buffer, ...] = ()


def peak(body: tuple[Stmt, ...], scope: str) -> Peak:
    """Find the most bytes of a scope that live together; whole workspace overlaps where lifetimes allow."""
    worst = Peak()
    for stmt in body:
        found = peak(inner(stmt), scope)
        if isinstance(stmt, Allocate):
            own = tuple(b for b in stmt.buffers if b.scope == scope)
            held = sum(buffer_bytes(b) for b in own)
            if scope == "global":
                held = overlay(replace(stmt, buffers=own)).total
            found = Peak(found.total + held, (*own, *found.buffers))
        worst = found if found.total > worst.total else worst
    return worst


def scope_bytes(body: tuple[Stmt, ...]) -> Mapping[str, int]:
    """Count the peak bytes of every scope that a run uses."""
    found = {scope: peak(body, scope).total for scope in SCOPES}
    return {scope: total for scope, total in found.items() if total}


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch: its outermost loop, and its blocks and threads along x, y, z."""

    loop: Loop
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]


def launches(body: tuple[Stmt, ...]) -> list[Launch]:
    """List the launches of a run; those that the host repeats once."""
    found: list[Launch] = []
    for stmt in body:
        if isinstance(stmt, Loop) and stmt.mark in BLOCKS:
            counts = _counts(stmt)
            x, y, z = (counts[mark] for mark in BLOCKS)
            threads = tuple(counts[mark] for mark in THREADS)
            found.append(Launch(stmt, (x, y, z), (threads[0], threads[1], threads[2])))
        else:
            found += launches(inner(stmt))
    return found


def _counts(launch: Loop) -> dict[Mark, int]:
    """Count blocks and threads along each axis: the most that any statement has."""
    counts = dict.fromkeys((*THREADS, *BLOCKS), 1)

    def visit(stmts: tuple[Stmt, ...], along: dict[Mark, int], numbers: dict[Mark, int | None]) -> None:
        for stmt in stmts:
            if isinstance(stmt, Loop) and stmt.mark in counts:
                together = stmt.fused is not None and numbers.get(stmt.mark) == stmt.fused
                size = along.get(stmt.mark, 1) * stmt.extent if together else stmt.extent
                counts[stmt.mark] = max(counts[stmt.mark], size)
                visit(stmt.body, {**along, stmt.mark: size}, {**numbers, stmt.mark: stmt.fused})
            else:
                visit(inner(stmt), along, numbers)

    visit((launch,), {}, {})
    return counts


def threads_of(launch: Launch) -> int:
    """Count the threads of a block."""
    return prod(launch.threads)
