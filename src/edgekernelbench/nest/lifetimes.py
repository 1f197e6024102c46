"""When the workspace of a run is live, and a plan that lets what is never live together overlap."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.tree import Allocate, Guard, Let, Loop, Stmt, Store, Update, walk_stmts


@dataclass(frozen=True, slots=True)
class Overlay:
    """Places of buffers in one block of memory.

    Attributes:
        offsets: Byte offset of each buffer, a multiple of its alignment.
        total: Bytes of the block.
    """

    offsets: Mapping[str, int]
    total: int


def overlay(allocate: Allocate) -> Overlay:
    """Plan the buffers of an `Allocate`: two that are live during one statement of its body do not overlap.

    Args:
        allocate: Usually the outermost of a run; its body is a list of root nests.

    Returns:
        Offsets for its own buffers, largest placed first; nested `Allocate`s are not looked at.
    """
    spans = lifetimes(allocate)
    placed: list[tuple[int, int, tuple[int, int]]] = []
    offsets: dict[str, int] = {}
    for buffer in sorted(allocate.buffers, key=buffer_bytes, reverse=True):
        span = spans.get(buffer.name)
        size = buffer_bytes(buffer)
        taken = sorted((o, o + s) for o, s, other in placed if span is not None and _meet(span, other))
        start = 0
        for low, high in taken:
            if start + size <= low:
                break
            start = max(start, -(-high // buffer.align) * buffer.align)
        offsets[buffer.name] = start
        if span is not None:
            placed.append((start, size, span))
    return Overlay(offsets, max((o + s for o, s, _ in placed), default=0))


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def lifetimes(allocate: Allocate) -> dict[str, tuple[int, int]]:
    """Find, for each buffer of an `Allocate`, the first and the last statement of its body that names it."""
    own = {buffer.name for buffer in allocate.buffers}
    found: dict[str, tuple[int, int]] = {}
    for place, stmt in enumerate(allocate.body):
        for name in names_of(stmt) & own:
            found[name] = (found.get(name, (place, place))[0], place)
    return found


def names_of(stmt: Stmt) -> set[str]:
    """Name the buffers that a statement reads or writes, inside it too."""
    found: set[str] = set()
    for one in walk_stmts((stmt,)):
        if isinstance(one, Store | Update):
            found.add(one.buffer)
        if isinstance(one, Update) and one.best:
            found.add(one.best)
        for root in _expressions(one):
            found.update(node.tensor for node in walk(root) if isinstance(node, Read))
    return found


def _expressions(stmt: Stmt) -> Iterator[Expr]:
    match stmt:
        case Let(value=value):
            yield value
        case Guard(condition=condition):
            yield condition
        case Store(indices=indices, value=value):
            yield from (*indices, value)
        case Update(indices=indices, value=value, position=position):
            yield from (*indices, value)
            if position is not None:
                yield position
        case Loop() | Allocate():
            pass
