"""A nest as text, for people and for models."""

from collections.abc import Iterator

from edgekernelbench.ir.expr import Expr
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.nest.footprint import launches, scope_bytes
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Mark,
    Nest,
    Role,
    Stmt,
    Store,
    Update,
    Usage,
)

INDENT = "  "
WIDTH = 110
WORDS = {Mark.UNROLL: "unrolled", Mark.VECTOR: "vector", Mark.PARALLEL: "parallel"}
OPERATORS = {"sum": "+=", "prod": "*=", "any": "|=", "all": "&="}


def print_nest(nest: Nest) -> str:
    """Print a nest: its buffers, what is prepared, the loops, what each stage costs, advice.

    Args:
        nest: Any nest.

    Returns:
        Lines of text, with a line break at the end.
    """
    lines = [f"{nest.name} on {nest.target}"]
    named = (*nest.params, *nest.tables, *nest.prepared, *nest.outputs)
    lines += [f"{INDENT}{print_buffer(buffer)}" for buffer in named]
    if nest.prepare:
        lines += ["before:", *_block(nest.prepare, 1)]
    lines += ["run:", *_block(nest.body, 1)]
    lines += _footprint(nest)
    if nest.usage:
        lines.append("stages:")
    lines += [f"{INDENT}{_usage(use)}" for use in nest.usage]
    lines += [f"advice: {one}" for one in nest.advice]
    return "\n".join(lines) + "\n"


def _footprint(nest: Nest) -> list[str]:
    sizes = ", ".join(f"{total:,} B {scope}" for scope, total in scope_bytes(nest.body).items())
    lines = [f"memory: {sizes}"] if sizes else []
    for launch in launches(nest.body):
        blocks, threads = (" x ".join(map(str, dims)) for dims in (launch.blocks, launch.threads))
        lines.append(f"launch of {launch.loop.var}: blocks {blocks}, threads {threads}")
    return lines


def _usage(use: Usage) -> str:
    times = f", each {use.recompute:.3g} times" if use.computed != use.elements else ""
    if use.computed == 0:
        times = ", precomputed"
    where = f"in {use.buffer}" if use.buffer else "inlined"
    return f"{use.stage}: {use.elements:,} elements{times}, {where}"


def print_buffer(buffer: Buffer) -> str:
    """Describe a buffer in one line."""
    sizes = ", ".join(map(str, buffer.shape))
    notes = [str(buffer.role) if buffer.role is not Role.WORK else buffer.scope]
    if buffer.copies > 1:
        notes.append(f"{buffer.copies} copies")
    if buffer.align > 64:
        notes.append(f"aligned to {buffer.align}")
    return f"{buffer.name}: {buffer.dtype}[{sizes}] ({', '.join(notes)}, {buffer_bytes(buffer):,} B)"


def _block(body: tuple[Stmt, ...], depth: int) -> Iterator[str]:
    for stmt in body:
        yield from _statement(stmt, depth)


def _statement(stmt: Stmt, depth: int) -> Iterator[str]:
    space = INDENT * depth
    match stmt:
        case Loop():
            yield from _loops(stmt, depth)
        case Let(var=var, value=value, body=body):
            yield f"{space}{var} = {print_expr(value)}"
            yield from _block(body, depth)
        case Guard(condition=condition, body=body):
            yield from _headed(f"if {print_expr(condition)}:", body, depth)
        case Allocate(buffers=buffers, body=body):
            for buffer in buffers:
                yield f"{space}allocate {print_buffer(buffer)}"
            yield from _block(body, depth)
        case Store(buffer=name, indices=indices, value=value):
            yield f"{space}{_element(name, indices)} = {print_expr(value)}"
        case Update():
            yield f"{space}{_update(stmt)}"


def _loops(loop: Loop, depth: int) -> Iterator[str]:
    """Print loops that stand directly in each other on one line."""
    names = [_loop(loop)]
    while len(loop.body) == 1 and isinstance(loop.body[0], Loop) and len(", ".join(names)) < WIDTH // 2:
        loop = loop.body[0]
        names.append(_loop(loop))
    yield from _headed(f"for {', '.join(names)}:", loop.body, depth)


def _headed(head: str, body: tuple[Stmt, ...], depth: int) -> Iterator[str]:
    inner = list(_block(body, depth + 1))
    joined = f"{INDENT * depth}{head} {inner[0].strip()}"
    if len(inner) == 1 and len(joined) <= WIDTH:
        yield joined
    else:
        yield f"{INDENT * depth}{head}"
        yield from inner


def _loop(loop: Loop) -> str:
    word = f"{loop.instruction}" if loop.mark is Mark.TENSOR else WORDS.get(loop.mark, str(loop.mark))
    fused = f" #{loop.fused}" if loop.fused is not None else ""
    return f"{loop.var}:{loop.extent}" + ("" if loop.mark is Mark.SERIAL else f" ({word}{fused})")


def _element(name: str, indices: tuple[Expr, ...]) -> str:
    return f"{name}[{', '.join(print_expr(index) for index in indices)}]"


def _update(stmt: Update) -> str:
    place, value = _element(stmt.buffer, stmt.indices), print_expr(stmt.value)
    note = "  (atomic)" if stmt.atomic else ""
    if stmt.position is not None:
        best = _element(stmt.best, stmt.indices)
        return f"{place}, {best} = {stmt.kind}(…, {print_expr(stmt.position)}, {value}){note}"
    operator = OPERATORS.get(stmt.kind)
    if operator is not None:
        return f"{place} {operator} {value}{note}"
    return f"{place} = {stmt.kind}({place}, {value}){note}"
