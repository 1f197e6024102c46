"""The parts of a text: docstring, constants, and `with` blocks."""

import ast
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import TARGETS, Schedule
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.directives import read_memory_directive, read_schedule_directive


@dataclass(slots=True)
class Body:
    """What stands in a text's function, sorted."""

    doc: str = ""
    constants: list[ast.Assign] = field(default_factory=list)
    compute: ast.With | None = None
    schedules: list[tuple[tuple[str, ...], ast.With]] = field(default_factory=list)
    memories: list[tuple[tuple[str, ...], ast.With]] = field(default_factory=list)


def split_body(function: ast.FunctionDef, ctx: Context) -> Body:
    """Sort the statements of a text's function [P02, P05]."""
    body = Body()
    for number, statement in enumerate(function.body):
        match statement:
            case ast.Expr(value=ast.Constant(value=str(doc))) if number == 0:
                body.doc = inspect.cleandoc(doc)
            case ast.Assign():
                body.constants.append(statement)
            case ast.With(items=[ast.withitem(context_expr=ast.Name(id="compute"))]):
                body.compute = statement
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Name(id="schedule"), args=args))]):
                body.schedules.append((_targets(args, ctx), statement))
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Name(id="memory"), args=args))]):
                body.memories.append((_targets(args, ctx), statement))
            case _:
                ctx.report("P02", f"{ctx.quote(statement)} has no place here", statement)
    return body


def _targets(args: Sequence[ast.expr], ctx: Context) -> tuple[str, ...]:
    found = []
    for arg in args:
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str) and arg.value in TARGETS:
            found.append(arg.value)
        else:
            ctx.report("P05", f"{ctx.quote(arg)} is no target", arg)
    return tuple(found)


def read_schedules(blocks: Sequence[tuple[tuple[str, ...], ast.With]], ctx: Context) -> tuple[Schedule, ...]:
    """Read the schedule blocks."""
    ctx.layer = Layer.SCHEDULE
    found = []
    for targets, block in blocks:
        ctx.target = ",".join(targets)
        lines = [s for s in block.body if not isinstance(s, ast.Pass)]
        read = (read_schedule_directive(line, ctx) for line in lines)
        found.append(Schedule(targets, tuple(d for d in read if d is not None), span(block)))
    return tuple(found)


def read_memories(blocks: Sequence[tuple[tuple[str, ...], ast.With]], ctx: Context) -> tuple[Memory, ...]:
    """Read the memory blocks."""
    ctx.layer = Layer.MEMORY
    found = []
    for targets, block in blocks:
        ctx.target = ",".join(targets)
        lines = [s for s in block.body if not isinstance(s, ast.Pass)]
        read = (read_memory_directive(line, ctx) for line in lines)
        found.append(Memory(targets, tuple(d for d in read if d is not None), span(block)))
    return tuple(found)
