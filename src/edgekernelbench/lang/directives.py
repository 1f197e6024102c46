"""Directives of the schedule and of the memory layer."""

import ast

from edgekernelbench.base.span import Span
from edgekernelbench.ir.memory import Accumulate, Cache, Fold, Layout, MemoryDirective, Place, Reuse
from edgekernelbench.ir.schedule import (
    Bind,
    ComputeAt,
    Fuse,
    Hoist,
    Inline,
    Order,
    Parallel,
    Precompute,
    Rfactor,
    Scatter,
    ScheduleDirective,
    Split,
    Tensorize,
    Unroll,
    Vectorize,
)
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.layouts import read_layout
from edgekernelbench.lang.numbers import whole


def loop(node: ast.expr, ctx: Context) -> str:
    """Read the name of a loop or stage."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=stage), attr=axis):
            return f"{stage}.{axis}"
        case _:
            ctx.report("S01", f"expected a loop, found {ctx.quote(node)}", node)
            return ""


def string(node: ast.expr, ctx: Context) -> str:
    """Read a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    ctx.report("S01", f"expected a string, found {ctx.quote(node)}", node)
    return ""


def call_of(statement: ast.stmt) -> tuple[tuple[str, ...], ast.Call] | None:
    """Take a directive apart: the names on its left side, and the call."""
    match statement:
        case ast.Expr(value=ast.Call() as call):
            return (), call
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
            return (name,), call
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call):
            return tuple(name.id for name in names if isinstance(name, ast.Name)), call
        case _:
            return None


def argument_spans(call: ast.Call) -> tuple[Span, ...]:
    """Give the places of all arguments, in the order written."""
    return tuple(span(part) for part in (*call.args, *call.keywords))


def read_schedule_directive(statement: ast.stmt, ctx: Context) -> ScheduleDirective | None:
    """Read one directive of a schedule block."""
    found = call_of(statement)
    if found is None or not isinstance(found[1].func, ast.Name):
        ctx.report("P05", f"{ctx.quote(statement)} is no directive", statement)
        return None
    outs, call = found
    args, place, spans = call.args, span(statement), argument_spans(call)
    match call.func.id if isinstance(call.func, ast.Name) else "":
        case "split":
            sizes = tuple(whole(arg, ctx, "S01", "a size of split", 1) or 1 for arg in args[1:])
            return Split(span=place, spans=spans, outs=outs, loop=loop(args[0], ctx), sizes=sizes)
        case "fuse":
            return Fuse(span=place, spans=spans, out=outs[0], loops=tuple(loop(a, ctx) for a in args))
        case "order":
            return Order(span=place, spans=spans, loops=tuple(loop(a, ctx) for a in args))
        case "inline":
            return Inline(span=place, spans=spans, stages=tuple(loop(a, ctx) for a in args))
        case "precompute":
            return Precompute(span=place, spans=spans, stages=tuple(loop(a, ctx) for a in args))
        case "compute_at":
            return ComputeAt(span=place, spans=spans, stage=loop(args[0], ctx), loop=loop(args[1], ctx))
        case "rfactor":
            return Rfactor(span=place, spans=spans, out=outs[0], loop=loop(args[0], ctx))
        case "scatter":
            return Scatter(span=place, spans=spans, loop=loop(args[0], ctx))
        case "hoist":
            block = whole(args[1], ctx, "S01", "the block of hoist", 1) or 1 if len(args) > 1 else 1
            return Hoist(span=place, spans=spans, out=outs[0], loop=loop(args[0], ctx), block=block)
        case "parallel":
            return Parallel(span=place, spans=spans, loops=tuple(loop(a, ctx) for a in args))
        case "vectorize":
            return Vectorize(span=place, spans=spans, loops=tuple(loop(a, ctx) for a in args))
        case "unroll":
            return Unroll(span=place, spans=spans, loops=tuple(loop(a, ctx) for a in args))
        case "bind":
            loops = tuple(loop(a, ctx) for a in args[:-1])
            return Bind(span=place, spans=spans, loops=loops, tag=string(args[-1], ctx))
        case "tensorize":
            loops = tuple(loop(a, ctx) for a in args[1:])
            return Tensorize(span=place, spans=spans, name=string(args[0], ctx), loops=loops)
        case word:
            ctx.report("P05", f"{word} is not a directive", statement)
            return None


def read_memory_directive(statement: ast.stmt, ctx: Context) -> MemoryDirective | None:
    """Read one directive of a memory block."""
    found = call_of(statement)
    if found is None or not isinstance(found[1].func, ast.Name):
        ctx.report("P05", f"{ctx.quote(statement)} is no directive", statement)
        return None
    _, call = found
    args, place, spans = call.args, span(statement), argument_spans(call)
    named = {k.arg: k.value for k in call.keywords if k.arg is not None}
    numbers = {
        key: whole(value, ctx, "S01", key, 0) or 0 for key, value in named.items() if key not in ("at", "layout")
    }
    match call.func.id if isinstance(call.func, ast.Name) else "":
        case "layout":
            spec = read_layout(args[1], ctx)
            return None if spec is None else Layout(span=place, spans=spans, tensor=loop(args[0], ctx), spec=spec)
        case "place":
            tensor, scope = loop(args[0], ctx), string(args[1], ctx)
            return Place(span=place, spans=spans, tensor=tensor, scope=scope, **numbers)
        case "cache":
            spec = read_layout(named["layout"], ctx) if "layout" in named else None
            tensor, scope = loop(args[0], ctx), string(args[1], ctx)
            at = loop(named["at"], ctx)
            return Cache(span=place, spans=spans, tensor=tensor, scope=scope, at=at, layout=spec, **numbers)
        case "accumulate":
            return Accumulate(span=place, spans=spans, stage=loop(args[0], ctx), scope=string(args[1], ctx))
        case "fold":
            steps = whole(args[1], ctx, "S01", "the steps of fold", 1) or 1
            return Fold(span=place, spans=spans, loop=loop(args[0], ctx), steps=steps)
        case "reuse":
            return Reuse(span=place, spans=spans, tensor=loop(args[0], ctx), old=loop(args[1], ctx))
        case word:
            ctx.report("P05", f"{word} is not a directive", statement)
            return None
