"""Checks a run against a device: threads, memory of every scope."""

from collections.abc import Mapping
from math import prod

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.span import NOWHERE
from edgekernelbench.nest.footprint import Launch, launches, peak, threads_of
from edgekernelbench.nest.marks import THREADS, MarkDirective
from edgekernelbench.nest.problems import Directive, Problems
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.structure import Structure
from edgekernelbench.nest.tree import Buffer, Loop, Mark, Nest, walk_stmts, workspace
from edgekernelbench.profiles.profile import Profile

LANES = 32
"""Threads along `threadIdx.x` that run one matrix instruction together."""

MOST_ELEMENTS = 2**31 - 1
"""Indices are `i32`, so no buffer has more elements."""


def check_limits(
    nest: Nest, structure: Structure, profile: Profile, origins: Mapping[str, Directive], problems: Problems
) -> None:
    """Check a nest against a device [L01, L02, L03, L05].

    Args:
        nest: The nest.
        structure: For the places of directives.
        profile: The device.
        origins: The directive that each buffer comes from, where one does.
        problems: Where refusals go.
    """
    if structure.plan.is_gpu():
        for launch in launches(nest.body):
            _check_threads(launch, structure, profile, problems)
    for code, scope, there, what in (
        ("L02", "shared", profile.shared_bytes, "shared memory"),
        ("L03", "local", profile.local_bytes, "local memory a thread"),
        ("L05", "global", profile.workspace_bytes, "workspace"),
    ):
        found = peak(nest.body, scope)
        if found.total > there:
            biggest = sorted(found.buffers, key=buffer_bytes, reverse=True)[:5]
            names = ", ".join(f"{b.name} {buffer_bytes(b):,}" for b in biggest)
            message = f"{found.total:,} B of {what}, {there:,} B there: {names}"
            _refuse(code, message, biggest, origins, problems)
    for buffer in (*nest.params, *nest.outputs, *nest.prepared, *workspace(nest)):
        if prod(buffer.shape) > MOST_ELEMENTS:
            message = f"{buffer.name} has {prod(buffer.shape):,} elements, indices reach {MOST_ELEMENTS:,}"
            _refuse("L05", message, [buffer], origins, problems)


def _refuse(
    code: str, message: str, buffers: list[Buffer], origins: Mapping[str, Directive], problems: Problems
) -> None:
    """Report at the directive that the largest buffer comes from."""
    where = next((origins[b.name] for b in buffers if b.name in origins), None)
    problems.add(code, message, NOWHERE if where is None else where, layer=Layer.MEMORY)


def _check_threads(launch: Launch, structure: Structure, profile: Profile, problems: Problems) -> None:
    threads = threads_of(launch)
    if any(isinstance(s, Loop) and s.instruction.startswith("wmma") for s in walk_stmts((launch.loop,))):
        threads *= 1 if launch.threads[0] > 1 else LANES
    limit = profile.max_threads
    loop, directive = _widest(structure, launch.loop)
    where = NOWHERE if directive is None else directive
    if limit and threads > limit:
        word = structure.mark(loop.partition(" ")[0])
        origin = f": {word} comes from {loop}" if loop else ""
        message = f"{threads:,} threads a block, {profile.name} has {limit:,}{origin}"
        problems.add("L01", message, where)
        return
    threads_along = (launch.threads, profile.max_thread_dims, "threads")
    for found, dims, what in (threads_along, (launch.blocks, profile.max_block_dims, "blocks")):
        for count, there, letter in zip(found, dims, "xyz", strict=False):
            if count > there:
                message = f"{count:,} {what} along {letter}, {profile.name} has {there:,}"
                problems.add("L01", message, where)


def _widest(structure: Structure, launch: Loop) -> tuple[str, MarkDirective | None]:
    """Find the loops bound as one to threads that have the most iterations, and what bound them."""
    loops = {s.var: s for s in walk_stmts((launch,)) if isinstance(s, Loop) and s.mark in THREADS}
    together: dict[tuple[Mark, int | None], list[Loop]] = {}
    for loop in loops.values():
        if loop.var in structure.plan.marks:
            together.setdefault((loop.mark, structure.plan.marks[loop.var].number), []).append(loop)
    if not together:
        return "", None
    widest = max(together.values(), key=lambda found: prod(loop.extent for loop in found))
    directive = structure.plan.marks[widest[0].var].directive
    return " and ".join(loop.var for loop in widest), directive
