"""Numbers of loops that are one loop, in the order in which they stand in the nest."""

from dataclasses import replace

from edgekernelbench.nest.tree import Allocate, Guard, Let, Loop, Stmt, Store, Update


def renumber(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Number the marks of a nest from 1, so that they do not hang on the order of directives."""
    numbers: dict[int, int] = {}
    return tuple(_stmt(stmt, numbers) for stmt in body)


def _stmt(stmt: Stmt, numbers: dict[int, int]) -> Stmt:
    match stmt:
        case Loop(fused=fused):
            if fused is not None:
                stmt = replace(stmt, fused=numbers.setdefault(fused, len(numbers) + 1))
            return replace(stmt, body=tuple(_stmt(one, numbers) for one in stmt.body))
        case Let() | Guard() | Allocate():
            return replace(stmt, body=tuple(_stmt(one, numbers) for one in stmt.body))
        case Store() | Update():
            return stmt
