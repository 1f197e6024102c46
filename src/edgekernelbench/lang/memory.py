"""Directives of the memory layer."""

import ast
from collections.abc import Callable

from edgekernelbench.ir.memory import SCOPES, Accumulate, Cache, Fold, Layout, MemoryDirective, Place, Reuse
from edgekernelbench.lang.arguments import Arguments
from edgekernelbench.lang.layouts import read_layout
from edgekernelbench.lang.spellings import SCOPES as SCOPE_SPELLINGS

MAX_ALIGN = 4096


def _scope(it: Arguments, node: ast.expr) -> str:
    """Read a scope [M04]."""
    name = it.string(node, "a scope")
    if name and name not in SCOPES:
        it.failed = True
        close = SCOPE_SPELLINGS.get(name.lower()) or it.ctx.nearest(name, SCOPES)
        hint = f'"{close}"' if close else None
        it.ctx.report("M04", f"scopes are {', '.join(SCOPES)}, found {it.ctx.quote(node)}", node, hint)
    return name


def layout(it: Arguments) -> Layout | None:
    """Read a layout."""
    it.keywords()
    if len(it.args) != 2:
        it.usage()
        return None
    tensor, spec = it.stage(it.args[0]), read_layout(it.args[1], it.ctx)
    return (
        None if it.failed or spec is None else Layout(tensor=tensor, spec=spec, span=it.place, spans=it.spans)
    )


def place(it: Arguments) -> Place | None:
    """Read a placement."""
    named = it.keywords("align", "pad", "buffers")
    if len(it.args) != 2:
        it.usage()
        return None
    stage, scope = it.stage(it.args[0]), _scope(it, it.args[1])
    align = it.size(named["align"], "align") if "align" in named else None
    if align is not None and (align & (align - 1) or align > MAX_ALIGN):
        it.refuse(f"align is a power of two up to {MAX_ALIGN}, found {align}", named["align"], "align=64")
    pad = it.size(named["pad"], "pad", 0) if "pad" in named else 0
    buffers = it.size(named["buffers"], "buffers") if "buffers" in named else 1
    if it.failed:
        return None
    return Place(
        tensor=stage, scope=scope, align=align, pad=pad, buffers=buffers, span=it.place, spans=it.spans
    )


def cache(it: Arguments) -> Cache | None:
    """Read a cache."""
    named = it.keywords("at", "vector", "buffers", "pad", "layout")
    match it.args:
        case [tensor, scope, at] if "at" not in named:
            it.usage(f"cache({it.text(tensor)}, {it.text(scope)}, at={it.text(at)})")
            return None
        case [_, _] if "at" in named:
            pass
        case _:
            it.usage()
            return None
    tensor_name, scope_name, at_name = it.stage(it.args[0]), _scope(it, it.args[1]), it.loop(named["at"])
    vector = it.size(named["vector"], "vector") if "vector" in named else 1
    buffers = it.size(named["buffers"], "buffers") if "buffers" in named else 1
    pad = it.size(named["pad"], "pad", 0) if "pad" in named else 0
    spec = read_layout(named["layout"], it.ctx) if "layout" in named else None
    if it.failed or (spec is None and "layout" in named):
        return None
    return Cache(
        tensor=tensor_name,
        scope=scope_name,
        at=at_name,
        vector=vector,
        buffers=buffers,
        pad=pad,
        layout=spec,
        span=it.place,
        spans=it.spans,
    )


def accumulate(it: Arguments) -> Accumulate | None:
    """Read an accumulation."""
    it.keywords()
    if len(it.args) != 2:
        it.usage()
        return None
    stage, scope = it.stage(it.args[0]), _scope(it, it.args[1])
    return None if it.failed else Accumulate(stage=stage, scope=scope, span=it.place, spans=it.spans)


def fold(it: Arguments) -> Fold | None:
    """Read a fold."""
    it.keywords()
    if len(it.args) != 2:
        it.usage()
        return None
    loop, steps = it.dotted(it.args[0]), it.size(it.args[1], "the number of steps of fold")
    return None if it.failed else Fold(loop=loop, steps=steps, span=it.place, spans=it.spans)


def reuse(it: Arguments) -> Reuse | None:
    """Read a reuse of storage."""
    it.keywords()
    if len(it.args) != 2:
        it.usage()
        return None
    tensor, old = it.stage(it.args[0]), it.stage(it.args[1])
    return None if it.failed else Reuse(tensor=tensor, old=old, span=it.place, spans=it.spans)


READERS: dict[str, Callable[[Arguments], MemoryDirective | None]] = {
    "layout": layout, "place": place, "cache": cache, "accumulate": accumulate, "fold": fold, "reuse": reuse,
}  # fmt: skip
"""How each directive of a memory block is read."""
