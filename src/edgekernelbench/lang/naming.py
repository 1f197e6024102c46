"""What names may be, and that each means one thing."""

import ast

from edgekernelbench.lang.context import MAX_NAME_CHARS, Context, Node
from edgekernelbench.lang.guesses import free_letter
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.words import NAME, RESERVED


def check_name(name: str, node: Node, what: str, ctx: Context) -> bool:
    """Check how a name is written, and that it is no word of the language [P02, C05].

    Args:
        name: The name.
        node: Where it is defined.
        what: What has it, such as `"parameter"`.
        ctx: Where a complaint is noted.

    Returns:
        Whether it may be used.
    """
    if len(name) > MAX_NAME_CHARS:
        message = f"the name of a {what} has {len(name):,} characters, at most {MAX_NAME_CHARS} are allowed"
        ctx.report("P03", message, node)
        return False
    if name in RESERVED:
        ctx.report("C05", f"{name} is a word of the language: rename the {what}", node, f"{name}_")
        return False
    if NAME.match(name) is None:
        message = f"the {what} {name}: names are lower case, capitals are constants"
        ctx.report("P02", message, node, name.lower() if NAME.match(name.lower()) else None)
        return False
    return True


def check_axis(name: str, node: ast.Name, scope: Scope, ctx: Context) -> None:
    """Check the name of an axis; what is wrong with it is said once a text.

    Args:
        name: The name.
        node: Where it is defined.
        scope: The tensors.
        ctx: Where a complaint is noted.
    """
    if name in ctx.refused_names:
        return
    if name in scope.tensors:
        ctx.refused_names.add(name)
        message = f"{name} is a tensor already, a name means one thing"
        ctx.report("C05", message, node, f"rename the axis, for example {free_letter(scope, taken=ctx.axes)}")
    elif name not in ctx.axes:
        ctx.axes.add(name)
        if not check_name(name, node, "axis", ctx):
            ctx.refused_names.add(name)
