"""Checks a nest against a device: threads, memory of every scope."""

from dataclasses import dataclass
from math import prod

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.span import NOWHERE
from edgekernelbench.nest.marks import BLOCKS, THREADS, MarkDirective
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.structure import Structure
from edgekernelbench.nest.tree import Allocate, Buffer, Loop, Mark, Stmt, inner, walk_stmts
from edgekernelbench.profiles.profile import Profile

LETTERS = "xyz"


@dataclass(frozen=True, slots=True)
class _Peak:
    """The buffers of a scope that live together at the worst moment."""

    total: int = 0
    buffers: tuple[Buffer, ...] = ()


def peak(body: tuple[Stmt, ...], scope: str) -> _Peak:
    """Find the most bytes of a scope that live together."""
    worst = _Peak()
    for stmt in body:
        found = peak(inner(stmt), scope)
        if isinstance(stmt, Allocate):
            own = tuple(b for b in stmt.buffers if b.scope == scope)
            found = _Peak(found.total + sum(buffer_bytes(b) for b in own), (*own, *found.buffers))
        worst = found if found.total > worst.total else worst
    return worst


def check_limits(body: tuple[Stmt, ...], structure: Structure, profile: Profile, problems: Problems) -> None:
    """Check a run against a device [L01, L02, L03, L05].

    Args:
        body: The run.
        structure: For the places of directives.
        profile: The device.
        problems: Where refusals go.
    """
    if structure.plan.is_gpu():
        for launch in launches(body):
            _check_threads(launch, structure, profile, problems)
    for code, scope, there, what in (
        ("L02", "shared", profile.shared_bytes, "shared memory"),
        ("L03", "local", profile.local_bytes, "local memory a thread"),
        ("L05", "global", profile.workspace_bytes, "workspace"),
    ):
        found = peak(body, scope)
        if found.total > there:
            biggest = sorted(found.buffers, key=buffer_bytes, reverse=True)[:5]
            names = ", ".join(f"{b.name} {buffer_bytes(b):,}" for b in biggest)
            message = f"{found.total:,} B of {what}, {there:,} B there: {names}"
            problems.add(code, message, NOWHERE, layer=Layer.MEMORY)


def launches(body: tuple[Stmt, ...]) -> list[Loop]:
    """List the outermost loops that are bound to blocks."""
    found: list[Loop] = []
    for stmt in body:
        if isinstance(stmt, Loop) and stmt.mark in BLOCKS:
            found.append(stmt)
        else:
            found += launches(inner(stmt))
    return found


def thread_counts(launch: Loop) -> dict[Mark, int]:
    """Count the threads of a launch along each axis: the most that any statement has."""
    counts = dict.fromkeys((*THREADS, *BLOCKS), 1)

    def visit(stmts: tuple[Stmt, ...], along: dict[Mark, int], groups: dict[Mark, int | None]) -> None:
        for stmt in stmts:
            if isinstance(stmt, Loop) and stmt.mark in counts:
                together = stmt.mark in groups and groups[stmt.mark] == stmt.fused and stmt.fused is not None
                size = along.get(stmt.mark, 1) * stmt.extent if together else stmt.extent
                counts[stmt.mark] = max(counts[stmt.mark], size)
                visit(stmt.body, {**along, stmt.mark: size}, {**groups, stmt.mark: stmt.fused})
            else:
                visit(inner(stmt), along, groups)

    visit((launch,), {}, {})
    return counts


def _check_threads(launch: Loop, structure: Structure, profile: Profile, problems: Problems) -> None:
    counts = thread_counts(launch)
    threads = prod(counts[mark] for mark in THREADS)
    if any(isinstance(s, Loop) and s.instruction.startswith("wmma") for s in walk_stmts((launch,))):
        threads *= 1 if counts[Mark.THREAD_X] > 1 else 32
    limit = profile.max_threads
    if limit and threads > limit:
        loop, directive = _widest(structure, launch)
        where = f": {structure.mark(loop)} comes from {loop}" if loop else ""
        message = f"{threads:,} threads a block, {profile.name} has {limit:,}{where}"
        problems.add("L01", message, directive if directive is not None else NOWHERE, layer=Layer.SCHEDULE)
    for marks, dims, what in (
        (THREADS, profile.max_thread_dims, "threads"), (BLOCKS, profile.max_block_dims, "blocks"),
    ):  # fmt: skip
        for mark, there, letter in zip(marks, dims, LETTERS, strict=False):
            if counts[mark] > there and not (marks is THREADS and threads > limit > 0):
                message = f"{counts[mark]:,} {what} along {letter}, {profile.name} has {there:,}"
                problems.add("L01", message, NOWHERE, layer=Layer.SCHEDULE)


def _widest(structure: Structure, launch: Loop) -> tuple[str, MarkDirective | None]:
    """Find the thread loop of a launch with the most iterations, and what bound it."""
    loops = [s for s in walk_stmts((launch,)) if isinstance(s, Loop) and s.mark in THREADS]
    marked = [s for s in loops if s.var in structure.plan.marks]
    if not marked:
        return "", None
    widest = max(marked, key=lambda s: s.extent)
    return widest.var, structure.plan.marks[widest.var].directive
