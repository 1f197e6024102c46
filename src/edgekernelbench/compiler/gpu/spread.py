"""Nests that bind nothing, such as those that pack weights, spread over blocks and threads."""

from dataclasses import replace

from edgekernelbench.compiler.rewrite import with_body
from edgekernelbench.ir.expr import Expr
from edgekernelbench.nest.gpu import BLOCK_THREADS, Dealing, deal_out
from edgekernelbench.nest.indices import conjunction
from edgekernelbench.nest.linear import number
from edgekernelbench.nest.tree import Allocate, Guard, Kind, Let, Loop, Mark, Stmt, Store, Update, walk_stmts


def spread(stmt: Stmt) -> Loop:
    """Bind a nest of the host's to blocks and threads.

    Args:
        stmt: A nest that binds no loop.

    Returns:
        A launch: its leading data loops are dealt out; where there is none, one thread runs it.
    """
    loops, body = _leading(stmt)
    ranges: dict[str, tuple[int, int]] = {
        s.var: (0, s.extent - 1) for s in walk_stmts((stmt,)) if isinstance(s, Loop)
    }
    if not loops:
        thread = Loop("only.thread", 1, (_private(stmt),), Kind.DATA, Mark.THREAD_X)
        return Loop("only.block", 1, (thread,), Kind.DATA, Mark.BLOCK_X)
    extents = {loop.var: loop.extent for loop in loops}
    for loop in loops:
        if loop.extent == 1:
            body = (Let(loop.var, number(0), body),)
    dealing = Dealing(loops[0].var, tuple(extents), (BLOCK_THREADS, 1, 1), blocks=True)
    (launch,) = deal_out(
        dealing, extents, ranges, lambda active: [_guarded(_private(one), active) for one in body]
    )
    if not isinstance(launch, Loop):
        raise TypeError(f"expected a loop over blocks, found {type(launch).__name__}")
    return launch


def _leading(stmt: Stmt) -> tuple[list[Loop], tuple[Stmt, ...]]:
    """Take the loops that stand directly in each other and whose iterations are independent."""
    loops: list[Loop] = []
    body: tuple[Stmt, ...] = (stmt,)
    while len(body) == 1 and isinstance(body[0], Loop):
        loop = body[0]
        if loop.kind not in (Kind.DATA, Kind.COPY) or loop.mark in (Mark.TENSOR, Mark.VECTOR):
            break
        loops.append(loop)
        body = loop.body
    return loops, body


def _private(stmt: Stmt) -> Stmt:
    """Give every thread its own copy of what is allocated inside."""
    fresh = with_body(stmt, tuple(_private(s) for s in stmt.body)) if hasattr(stmt, "body") else stmt
    if isinstance(fresh, Allocate):
        return replace(fresh, buffers=tuple(replace(b, scope="local") for b in fresh.buffers))
    return fresh


def _guarded(stmt: Stmt, active: tuple[Expr, ...]) -> Stmt:
    """Put conditions round the innermost statements."""
    if not active:
        return stmt
    match stmt:
        case Store() | Update():
            return Guard(conjunction(active), (stmt,))
        case Loop() | Let() | Guard() | Allocate():
            return with_body(stmt, tuple(_guarded(s, active) for s in stmt.body))
