"""Guesses for hints: which axis was meant, which size, which name is free."""

import ast
from collections.abc import Iterable, Iterator

from edgekernelbench.lang.context import Context
from edgekernelbench.lang.scope import Declared, Scope

LETTERS = "nijkmpqrstuvwbcdefghlaoxyz"


def free_letter(scope: Scope, wanted: str = "", taken: Iterable[str] = ()) -> str:
    """Give a name that nothing has.

    Args:
        scope: What is named.
        wanted: The name to take if it is free.
        taken: More names that are not free.

    Returns:
        A letter, or a letter with a number.
    """
    used: set[str] = {*scope.axes, *scope.tensors, *taken}
    numbered = [f"i{number}" for number in range(len(used) + 1)]
    names: list[str] = [wanted, *list(LETTERS), *numbered]
    for name in names:
        if name and name not in used:
            return name
    return "i"


def reads(node: ast.AST) -> Iterator[tuple[str, list[ast.expr]]]:
    """List the reads below a node, without going deep into hostile ones."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ast.Subscript) and isinstance(current.value, ast.Name):
            index = current.slice
            yield current.value.id, index.elts if isinstance(index, ast.Tuple) else [index]
        waiting.extend(ast.iter_child_nodes(current))


def size_of(axis: str, node: ast.AST, scope: Scope, ctx: Context) -> str | None:
    """Find the size of an axis from the reads that use just it as an index.

    Args:
        axis: The name.
        node: Where to look.
        scope: What names stand for.
        ctx: For the text of sizes.

    Returns:
        The text of a size, or None.
    """
    if axis in scope.axes:
        return ctx.text(scope.axes[axis])
    for name, parts in reads(node):
        known = scope.tensors.get(name)
        if known is None or len(known.sizes) != len(parts):
            continue
        for part, size in zip(parts, known.sizes, strict=True):
            if isinstance(part, ast.Name) and part.id == axis:
                return ctx.text(size)
    return None


def dtype_of(node: ast.AST, scope: Scope) -> str:
    """Guess the type of a value from the first tensor that it reads."""
    for name, _ in reads(node):
        known = scope.tensors.get(name)
        if known is not None and known.dtype:
            return "i32" if known.dtype in ("i4", "u4", "i8", "u8", "i16", "u16") else known.dtype
    return "f32"


def plain_indices(known: Declared, parts: list[ast.expr], scope: Scope, ctx: Context) -> list[str]:
    """Guess the indices of a read from those that were written and from the sizes of axes.

    Args:
        known: The tensor.
        parts: What was written.
        scope: The axes in force.
        ctx: For texts.

    Returns:
        One index an axis of the tensor; none at all where one cannot be guessed.
    """
    written = [part for part in parts if not (isinstance(part, ast.Constant) and part.value in (None, ...))]
    keep = len(written) == len(known.sizes)
    texts = [ctx.text(part) for part in written]
    found: list[str] = []
    for position, size in enumerate(known.sizes):
        if keep and not isinstance(written[position], ast.Slice):
            found.append(texts[position])
            continue
        fits = [
            axis for axis, own in scope.axes.items() if ctx.text(own) == ctx.text(size) and axis not in found
        ]
        fits = [axis for axis in fits if axis not in texts] or fits
        rest = [axis for axis in scope.axes if axis not in found]
        fallback = rest[-1:] if len(known.sizes) == 1 else rest[position : position + 1]
        choice = fits[-1:] if len(known.sizes) == 1 else fits[:1]
        if keep and not choice:
            return []
        if not choice and not fallback:
            return []
        found.append((choice or fallback)[0])
    return found


def sum_over(name: str, known: Declared, axis: int, scope: Scope, ctx: Context) -> str:
    """Write what stands in the brackets of a reduction of a whole tensor over one axis."""
    at = axis if -len(known.sizes) <= axis < len(known.sizes) else -1
    at %= len(known.sizes)
    k = free_letter(scope, "k")
    indices: list[str] = []
    for position, size in enumerate(known.sizes):
        fits = [i for i, own in scope.axes.items() if ctx.text(own) == ctx.text(size) and i not in indices]
        indices.append(k if position == at else (fits or [free_letter(scope, taken=(*indices, k))])[0])
    return f"({name}[{', '.join(indices)}] for {k} in range({ctx.text(known.sizes[at])}))"
