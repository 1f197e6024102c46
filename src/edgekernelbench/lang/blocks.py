"""The parts of a text: docstring, constants, and `with` blocks."""

import ast
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import TARGETS, Schedule
from edgekernelbench.lang.constants import ConstantLine
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.directives import read_memory_directive, read_schedule_directive
from edgekernelbench.lang.spellings import TARGETS as TARGET_SPELLINGS
from edgekernelbench.lang.words import CONSTANT, MEMORY_WORDS, SCHEDULE_WORDS

MAX_DIRECTIVES = 1024
"""Lines of a block."""

_LAYERS = {"schedule": Layer.SCHEDULE, "memory": Layer.MEMORY}
_DOC_CHARACTERS = re.compile(r"[^\n\x20-\x7e]")

TargetBlock = tuple[tuple[str, ...], ast.With]


@dataclass(slots=True)
class Body:
    """What stands in a text's function, sorted.

    Attributes:
        doc: The docstring, dedented.
        constants: The lines of constants.
        compute: The statements of the compute block; None when there is none.
        schedules: The schedule blocks, each with its targets.
        memories: The memory blocks, each with its targets.
    """

    doc: str = ""
    constants: list[ConstantLine] = field(default_factory=list)
    compute: list[ast.stmt] | None = None
    schedules: list[TargetBlock] = field(default_factory=list)
    memories: list[TargetBlock] = field(default_factory=list)
    stray: list[ast.stmt] = field(default_factory=list)


def sort_statements(statements: Sequence[ast.stmt], ctx: Context) -> Body:
    """Sort the statements of a text's function [P02, P05, P06].

    Args:
        statements: The function's body.
        ctx: Where complaints are noted.

    Returns:
        Its parts.
    """
    body = Body()
    for position, statement in enumerate(statements):
        match statement:
            case ast.Expr(value=ast.Constant(value=str(doc))) if position == 0:
                body.doc = _docstring(doc, statement, ctx)
            case ast.With():
                _sort_block(statement, body, ctx)
            case ast.Assign() | ast.AnnAssign() if _is_constant_line(statement):
                _sort_constant(statement, body, ctx)
            case ast.AnnAssign() | ast.For() | ast.AugAssign() | ast.Return() | ast.Assign():
                _sort_stray(statement, body, ctx)
            case _:
                _refuse_statement(statement, ctx)
    return body


def _docstring(raw: str, node: ast.stmt, ctx: Context) -> str:
    doc = "\n".join(line.rstrip() for line in inspect.cleandoc(raw).split("\n")).strip("\n")
    if _DOC_CHARACTERS.search(doc):
        ctx.report("P02", "a docstring holds printable ASCII, also behind its escapes", node)
        return ""
    return doc


def _is_constant_line(statement: ast.Assign | ast.AnnAssign) -> bool:
    """Tell `N = 16` and `n = 16` from a stage outside its block."""
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name) and CONSTANT.match(statement.target.id) is not None
    return all(isinstance(target, ast.Name | ast.Tuple) for target in statement.targets) and not (
        isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id in SCHEDULE_WORDS
    )


def _sort_constant(statement: ConstantLine, body: Body, ctx: Context) -> None:
    if body.compute is not None:
        ctx.report("P06", 'constants stand above "with compute:"', statement)
    body.constants.append(statement)


def _sort_stray(statement: ast.stmt, body: Body, ctx: Context) -> None:
    """Take stages outside `with compute:` into it, with one complaint."""
    directive = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    if directive:
        _refuse_statement(statement, ctx)
        return
    if isinstance(statement, ast.Return):
        ctx.report(
            "C01", "return stands at the end of the compute block, indented like its stages", statement
        )
    elif body.compute is None and not body.stray:
        ctx.report("P05", "stages stand indented in a compute block", statement, "with compute:")
    elif body.compute is not None and not body.stray:
        ctx.report("P05", "stages stand in the compute block, indented like the others", statement)
    body.stray.append(statement)


def _refuse_statement(statement: ast.stmt, ctx: Context) -> None:
    match statement:
        case (
            ast.Expr(value=ast.Call(func=ast.Name(id=word)))
            | ast.Assign(value=ast.Call(func=ast.Name(id=word)))
        ) if word in SCHEDULE_WORDS or word in MEMORY_WORDS:
            layer = "schedule" if word in SCHEDULE_WORDS else "memory"
            ctx.report(
                "P05", f"{word} stands indented in a {layer} block", statement, f'with {layer}("llvm"):'
            )
        case ast.Expr(value=ast.Constant(value=str())):
            ctx.report("P02", "a docstring is the first line; comments start with #", statement)
        case _:
            found = ctx.quote(statement)
            ctx.report("P02", f"a kernel has constants and blocks (with ...:), found {found}", statement)


def _sort_block(node: ast.With, body: Body, ctx: Context) -> None:
    """Sort one `with` block [P05]."""
    item = node.items[0]
    head = item.context_expr
    if len(node.items) > 1 or item.optional_vars is not None:
        ctx.report("P05", f"a block is written {_form(head)}", head)
    name, args = (head.func, head.args) if isinstance(head, ast.Call) else (head, [])
    word = name.id if isinstance(name, ast.Name) else ctx.text(name)
    if word == "compute":
        if isinstance(head, ast.Call):
            ctx.report("P05", "compute serves all targets", head, "with compute:")
        if body.compute is not None:
            ctx.report("P05", "a text has one compute block", head)
        else:
            if body.schedules or body.memories:
                ctx.report("P05", "compute stands above schedule and memory", head)
            body.compute = node.body
        return
    if word not in _LAYERS:
        close = ctx.nearest(word.lower().rpartition(".")[2], ("compute", *_LAYERS))
        hint = {"compute": "with compute:", None: None}.get(close, f'with {close}("llvm"):')
        ctx.report("P05", f"blocks are compute, schedule and memory, found {ctx.quote(head)}", head, hint)
        return
    ctx.layer = _LAYERS[word]
    blocks = body.schedules if word == "schedule" else body.memories
    if isinstance(head, ast.Call):
        taken = {target for targets, _ in blocks for target in targets}
        blocks.append((_targets(head, word, args, taken, ctx), node))
    else:
        ctx.report("P05", f"a {word} block names its targets", head, f'with {word}("llvm"):')
    ctx.layer = Layer.TEXT


def _form(head: ast.expr) -> str:
    word = head.func if isinstance(head, ast.Call) else head
    name = word.id if isinstance(word, ast.Name) and word.id in _LAYERS else "compute"
    return "with compute:" if name == "compute" else f'with {name}("llvm"):'


def _targets(
    head: ast.Call, word: str, args: Sequence[ast.expr], taken: set[str], ctx: Context
) -> tuple[str, ...]:
    """Read the targets of a block [P05]."""
    found: list[str] = []
    if not args or head.keywords:
        ctx.report("P05", f"a {word} block names its targets", head, f'with {word}("llvm"):')
    for arg in args:
        name = arg.value if isinstance(arg, ast.Constant) and isinstance(arg.value, str) else ctx.text(arg)
        if name not in TARGETS:
            close = TARGET_SPELLINGS.get(name.lower()) or ctx.nearest(name, TARGETS)
            message = f"targets are {', '.join(TARGETS)}, found {ctx.quote(arg)}"
            ctx.report("P05", message, arg, f'with {word}("{close}"):' if close else None)
        elif not isinstance(arg, ast.Constant):
            ctx.report("P05", "a target is a string", arg, f'with {word}("{name}"):')
        elif name in found or name in taken:
            ctx.report("P05", f"a target has at most one {word} block, {name} has two", arg)
        else:
            found.append(name)
    return tuple(found)


def read_schedules(blocks: Sequence[TargetBlock], ctx: Context) -> tuple[Schedule, ...]:
    """Read the schedule blocks.

    Args:
        blocks: The blocks, each with its targets.
        ctx: Constants and diagnostics.

    Returns:
        The layer, block by block.
    """
    found: list[Schedule] = []
    for targets, block in blocks:
        directives = []
        for line in _lines(targets, block, Layer.SCHEDULE, ctx):
            directive = read_schedule_directive(line, ctx)
            if directive is None:
                ctx.unmade.update(_left_side(line))
            else:
                directives.append(directive)
        found.append(Schedule(targets, tuple(directives), span(block)))
    return tuple(found)


def _left_side(line: ast.stmt) -> list[str]:
    targets = line.targets if isinstance(line, ast.Assign) else []
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def read_memories(blocks: Sequence[TargetBlock], ctx: Context) -> tuple[Memory, ...]:
    """Read the memory blocks.

    Args:
        blocks: The blocks, each with its targets.
        ctx: Constants and diagnostics.

    Returns:
        The layer, block by block.
    """
    found: list[Memory] = []
    for targets, block in blocks:
        lines = _lines(targets, block, Layer.MEMORY, ctx)
        read = (read_memory_directive(line, ctx) for line in lines)
        found.append(Memory(targets, tuple(d for d in read if d is not None), span(block)))
    return tuple(found)


def _lines(targets: tuple[str, ...], block: ast.With, layer: Layer, ctx: Context) -> list[ast.stmt]:
    ctx.layer, ctx.target = layer, ", ".join(targets) or None
    if len(block.body) > MAX_DIRECTIVES:
        ctx.report(
            "P03", f"{len(block.body)} directives, a block has at most {MAX_DIRECTIVES}", block.body[0]
        )
        return []
    return [line for line in block.body if not isinstance(line, ast.Pass)]
