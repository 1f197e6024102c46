"""What is true where statements are written, and the little that writing a loop needs to know."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from edgekernelbench.ir.expr import Axis, Expr
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.indices import TRUE, conjunction
from edgekernelbench.nest.storage import Storage
from edgekernelbench.nest.tree import Guard, Kind, Loop, Mark, Stmt


@dataclass(frozen=True, slots=True)
class Scene:
    """What is true where statements are written.

    Attributes:
        storages: Where each tensor is read: its storage, or the innermost cache.
        active: Conditions that every innermost statement needs.
        threaded: Whether a thread loop is round; True on llvm, where nothing hangs on it.
    """

    storages: Mapping[str, Storage]
    active: tuple[Expr, ...] = ()
    threaded: bool = True


Rest = Callable[[Scene], list[Stmt]]
"""Writes what stands inside a loop."""


def names_in(node: Expr) -> frozenset[str]:
    """Name the variables of an expression."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Axis))


def guarded(conditions: Sequence[Expr], body: list[Stmt]) -> list[Stmt]:
    """Put statements behind conditions, tested in order."""
    condition = conjunction(conditions)
    return body if condition == TRUE or not body else [Guard(condition, tuple(body))]


def one_thread(body: list[Stmt], scene: Scene, name: str) -> list[Stmt]:
    """Let one thread of the block do what no thread loop is round."""
    if scene.threaded or not body:
        return body
    return [Loop(f"{name}.one", 1, tuple(body), Kind.DATA, Mark.THREAD_X)]
