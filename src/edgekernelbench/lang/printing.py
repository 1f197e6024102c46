"""The canonical text of a kernel: no constants, no knobs, one spelling for each construct.

`parse(print_kernel(k)) == k` for every kernel that `parse` gives.
"""

from typing import assert_never

from edgekernelbench.ir.compute import Compute, Item, Ordered, Param, Stage, Table
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import Schedule
from edgekernelbench.lang.directive_printing import print_directive, print_layout
from edgekernelbench.lang.expr_printing import print_expr, print_number, print_reduction

INDENT = "    "


def print_kernel(kernel: Kernel) -> str:
    """Print a kernel.

    Args:
        kernel: Any kernel.

    Returns:
        Its canonical text, with a line break at the end.
    """
    lines = [print_signature(kernel)]
    if kernel.doc:
        lines += [*_doc(kernel.doc), ""]
    lines += _indent(print_compute(kernel.compute))
    for block in ordered_blocks(kernel):
        lines += ["", *_indent(print_block(block))]
    return "\n".join(lines) + "\n"


def print_signature(kernel: Kernel) -> str:
    """Print the `def` line."""
    return f"def {kernel.name}({', '.join(print_param(param) for param in kernel.params)}):"


def print_param(param: Param) -> str:
    """Print a parameter as it stands in a signature."""
    text = _type(str(param.dtype), param.shape)
    if param.const:
        text = f"const[{text}]"
    if param.bounds is not None:
        start, stop = param.bounds
        text += f" in range({start}, {stop})" if start else f" in range({stop})"
    return f"{param.name}: {text}"


def print_compute(compute: Compute) -> list[str]:
    """Print the compute block, a line an entry, its first line not indented."""
    body = [line for item in compute.items for line in _item(item)]
    return ["with compute:", *_indent([*body, f"return {', '.join(compute.outputs)}"])]


def print_block(block: Schedule | Memory) -> list[str]:
    """Print a schedule or memory block, a line an entry, its first line not indented."""
    word = "schedule" if isinstance(block, Schedule) else "memory"
    targets = ", ".join(f'"{target}"' for target in block.targets)
    body = [print_directive(directive) for directive in block.directives] or ["pass"]
    return [f"with {word}({targets}):", *_indent(body)]


def ordered_blocks(kernel: Kernel) -> list[Schedule | Memory]:
    """List the blocks in canonical order: each memory block after the schedules of its targets."""
    blocks: list[Schedule | Memory] = []
    waiting = list(kernel.memories)
    for number, schedule in enumerate(kernel.schedules):
        blocks.append(schedule)
        later = {target for block in kernel.schedules[number + 1 :] for target in block.targets}
        while waiting and not later.intersection(waiting[0].targets):
            blocks.append(waiting.pop(0))
    return [*blocks, *waiting]


def _indent(lines: list[str]) -> list[str]:
    return [INDENT + line if line else line for line in lines]


def _type(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else dtype


def _item(item: Item) -> list[str]:
    match item:
        case Stage(name=name, axes=axes, dtype=dtype, shape=shape, value=value):
            left = f"{name}[{', '.join(axes)}]" if axes else name
            right = print_reduction(value) if isinstance(value, Reduction) else print_expr(value)
            return [f"{left}: {_type(str(dtype), shape)} = {right}"]
        case Table(name=name, dtype=dtype, shape=shape, values=values):
            return [f"{name}: {_type(str(dtype), shape)} = {_nested(values, shape)}"]
        case Ordered(axis=axis, size=size, items=items):
            return [
                f"for {axis} in range({size}):",
                *_indent([line for inner in items for line in _item(inner)]),
            ]
        case _:
            assert_never(item)


def _nested(values: tuple[int | float, ...], shape: tuple[int, ...]) -> str:
    if len(shape) <= 1:
        return f"[{', '.join(print_number(value) for value in values)}]"
    step = len(values) // shape[0]
    rows = (_nested(values[at : at + step], shape[1:]) for at in range(0, len(values), step))
    return f"[{', '.join(rows)}]"


def _doc(doc: str) -> list[str]:
    """Print a docstring so that `inspect.cleandoc` of what Python reads gives it back."""
    text = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    first, *rest = text.split("\n")
    if not rest:
        return [f'{INDENT}"""{first}"""']
    aligned = any(line and not line.startswith(" ") for line in rest) and not first.startswith(" ")
    opening = [f'{INDENT}"""{first}'] if aligned else [f'{INDENT}"""', *_indent([first])]
    return [*opening, *_indent(rest), f'{INDENT}"""']


__all__ = [
    "ordered_blocks",
    "print_block",
    "print_compute",
    "print_directive",
    "print_expr",
    "print_kernel",
    "print_layout",
    "print_number",
    "print_param",
    "print_reduction",
    "print_signature",
]
