"""Problem files in the form of KernelBench: Python whose sizes stand as names at its top."""

import ast
from collections.abc import Mapping

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.lang.python_text import parse_python


def with_sizes(text: str, sizes: Mapping[str, int], name: str) -> str:
    """Give a file other sizes.

    Args:
        text: The file: a `Model`, `get_inputs`, and numbers that are bound to names at the top.
        sizes: New values of some of these names.
        name: What to call the file in messages.

    Returns:
        The text; as it was when there is nothing to change.

    Raises:
        CatalogueError: When it is no Python, or has no such name.
    """
    try:
        tree = parse_python(text, name=name)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise CatalogueError(f"{name}:{line}: expected Python, found: {error.args[0]}") from error
    if not sizes:
        return text
    named = {
        node.targets[0].id: node
        for node in tree.body
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    missing = sorted(set(sizes) - set(named))
    if missing:
        there = ", ".join(named) or "none"
        raise CatalogueError(f"{name}: no size {', '.join(missing)}; names at its top are {there}")
    for word, value in sizes.items():
        named[word].value = ast.copy_location(ast.Constant(value), named[word].value)
    return ast.unparse(tree) + "\n"
