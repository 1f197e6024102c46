"""What is said of expressions that the language does not have, with the line that was probably meant."""

import ast

from edgekernelbench.ir.expr import Expr
from edgekernelbench.lang.context import Context
from edgekernelbench.lang.scope import Scope


def refuse_form(node: ast.expr, scope: Scope, ctx: Context) -> None:
    ctx.report("C15", f"{ctx.quote(node)} is not in the language", node)


def refuse_call(node: ast.Call, scope: Scope, ctx: Context) -> None:
    ctx.report("C15", f"no function {ctx.quote(node.func)}", node)


def refuse_reduction(node: ast.Call, scope: Scope, ctx: Context) -> None:
    ctx.report("C14", "sum(… for …) must be the whole right side of a stage", node)


def refuse_power(node: ast.BinOp, exponent: Expr, ctx: Context) -> None:
    ctx.report("C15", "in e ** n, n is a literal from 2 to 8", node)


def refuse_indices(name: str, node: ast.expr, parts: list[ast.expr], scope: Scope, ctx: Context) -> None:
    ctx.report("C12", f"{name} needs other indices", node)
