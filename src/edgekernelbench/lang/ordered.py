"""The line `for t in range(T):` of an ordered group [O01]."""

import ast

from edgekernelbench.lang.context import Context
from edgekernelbench.lang.numbers import size
from edgekernelbench.lang.scope import Scope

FORM = 'an ordered for is written "for t in range(T):"'


def read_range(node: ast.For, scope: Scope, ctx: Context) -> tuple[int, str]:
    """Read how often an ordered `for` steps.

    Args:
        node: The whole `for`.
        scope: The tensors.
        ctx: Constants and diagnostics.

    Returns:
        The number of steps, and its text.
    """
    axis = node.target.id if isinstance(node.target, ast.Name) else "t"
    if node.orelse:
        ctx.report("O01", f"{FORM}, without else", node.orelse[0])
    if not isinstance(node.target, ast.Name):
        ctx.report("O01", f"{FORM}, with one name: fors nest", node.target)
    match node.iter:
        case ast.Call(func=ast.Name(id="range"), args=[bound], keywords=[]):
            if _is_constant(bound, scope):
                return size(bound, ctx) or 1, ctx.text(bound)
            ctx.report("O01", f"{FORM}, where T is a constant", bound)
            return 1, "1"
        case ast.Call(func=ast.Name(id="range"), args=[start, stop], keywords=[]):
            return 1, _refuse_start(axis, start, stop, node, ctx)
        case ast.Call(func=ast.Name(id="range"), args=[start, _, ast.UnaryOp(op=ast.USub())]):
            count = ctx.text(start)
            count = count[:-4] if count.endswith(" - 1") else count
            message = f"{FORM}; to run backwards, index with {count} - 1 - {axis}"
            ctx.report("O01", message, node.iter, f"for {axis} in range({count}):")
            return 1, count
        case _:
            ctx.report("O01", f"{FORM}, found {ctx.quote(node.iter)}", node.iter)
            return 1, "1"


def _refuse_start(axis: str, start: ast.expr, stop: ast.expr, node: ast.For, ctx: Context) -> str:
    first, last = ctx.text(start), ctx.text(stop)
    message = f"{FORM}, from 0 on; reads of earlier steps are guarded: ... if {axis} >= {first} else ..."
    ctx.report("O01", message, node.iter, f"for {axis} in range({last}):")
    return last


def _is_constant(node: ast.expr, scope: Scope) -> bool:
    waiting: list[ast.AST] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ast.Name) and (current.id in scope.tensors or current.id[:1].islower()):
            return current.id in ("choose", "inf", "pi")
        waiting.extend(ast.iter_child_nodes(current))
    return True
