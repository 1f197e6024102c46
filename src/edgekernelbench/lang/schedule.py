"""Directives of the schedule layer."""

import ast
from collections.abc import Callable

from edgekernelbench.ir.schedule import (
    THREAD_TAGS,
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
from edgekernelbench.lang.arguments import Arguments
from edgekernelbench.lang.spellings import TAGS


def split(it: Arguments) -> Split | None:
    """Read a split."""
    if it.call.keywords or any(isinstance(arg, ast.List | ast.Tuple) for arg in it.args):
        _refuse_factors(it)
        return None
    if len(it.args) < 2:
        it.usage()
        return None
    loop = it.loop(it.args[0])
    sizes = tuple(it.size(arg, "a size of split") for arg in it.args[1:])
    outs = it.names(len(sizes) + 1)
    return (
        None
        if it.failed or outs is None
        else Split(outs=outs, loop=loop, sizes=sizes, span=it.place, spans=it.spans)
    )


def _refuse_factors(it: Arguments) -> None:
    """Answer `split(l, factors=[None, 8])`, `split(l, factor=8)` and `split(l, [4, 8])`."""
    values = [*it.args[1:], *(keyword.value for keyword in it.call.keywords)]
    flat = [
        part
        for value in values
        for part in (value.elts if isinstance(value, ast.List | ast.Tuple) else [value])
    ]
    sizes = [
        it.text(part) for part in flat if not (isinstance(part, ast.Constant) and part.value in (None, -1))
    ]
    if len(sizes) == len(flat) > 1:
        sizes = sizes[1:]
    loop = it.text(it.args[0]) if it.args else "l"
    stem = loop.rpartition(".")[2]
    names = [stem + end for end in ("o", "i", *"abcdefgh")]
    if len(it.outs) == len(sizes) + 1:
        names = [it.text(out) for out in it.outs]
    hint = f"{', '.join(names[: len(sizes) + 1])} = split({loop}, {', '.join(sizes)})" if sizes else None
    it.refuse(
        "split takes the sizes of the inner loops as numbers; the first loop has what remains", it.call, hint
    )


def _plain(
    make: Callable[[Arguments], ScheduleDirective | None],
) -> Callable[[Arguments], ScheduleDirective | None]:
    """Read a directive that takes one argument or more, none by name, and makes no loop."""

    def read(it: Arguments) -> ScheduleDirective | None:
        if it.word not in ("parallel", "vectorize", "unroll"):
            it.keywords()
        it.names(0)
        if not it.args:
            it.usage()
        return None if it.failed else make(it)

    return read


def _loops(it: Arguments) -> tuple[str, ...]:
    return tuple(it.loop(arg) for arg in it.args)


def _order(it: Arguments) -> Order | None:
    loops = _loops(it)
    return None if it.failed else Order(loops=loops, span=it.place, spans=it.spans)


def _inline(it: Arguments) -> Inline | None:
    stages = tuple(it.stage(arg) for arg in it.args)
    return None if it.failed else Inline(stages=stages, span=it.place, spans=it.spans)


def _precompute(it: Arguments) -> Precompute | None:
    stages = tuple(it.stage(arg) for arg in it.args)
    return None if it.failed else Precompute(stages=stages, span=it.place, spans=it.spans)


def _marked(it: Arguments) -> tuple[str, ...] | None:
    """Read the loops of parallel, vectorize and unroll; answer `vectorize(l, 8)`."""
    match [*it.args, *(keyword.value for keyword in it.call.keywords)]:
        case [(ast.Name() | ast.Attribute()) as first, ast.Constant(value=int()) as size]:
            loop, width = it.text(first), it.text(size)
            stem = loop.rpartition(".")[2]
            inner = f"{stem}i"
            marked = f"{stem}o" if it.word == "parallel" else inner
            hint = f"{stem}o, {inner} = split({loop}, {width})\n{it.word}({marked})"
            it.refuse(f"{it.word} takes loops", size, hint)
            return None
        case _:
            pass
    it.keywords()
    loops = _loops(it)
    return None if it.failed else loops


def _parallel(it: Arguments) -> Parallel | None:
    loops = _marked(it)
    return None if loops is None else Parallel(loops=loops, span=it.place, spans=it.spans)


def _vectorize(it: Arguments) -> Vectorize | None:
    loops = _marked(it)
    return None if loops is None else Vectorize(loops=loops, span=it.place, spans=it.spans)


def _unroll(it: Arguments) -> Unroll | None:
    loops = _marked(it)
    return None if loops is None else Unroll(loops=loops, span=it.place, spans=it.spans)


def _scatter(it: Arguments) -> Scatter | None:
    if len(it.args) != 1:
        it.usage()
        return None
    loop = it.dotted(it.args[0])
    return None if it.failed else Scatter(loop=loop, span=it.place, spans=it.spans)


def _compute_at(it: Arguments) -> ComputeAt | None:
    match it.args:
        case [stage, ast.Name(id=reader), ast.Name(id=axis)]:
            it.usage(f"compute_at({it.text(stage)}, {reader}.{axis})")
            return None
        case [ast.Attribute() as loop, ast.Name() as stage]:
            it.usage(f"compute_at({it.text(stage)}, {it.text(loop)})")
            return None
        case [_, _]:
            stage_name, loop_name = it.stage(it.args[0]), it.loop(it.args[1])
        case _:
            it.usage()
            return None
    return None if it.failed else ComputeAt(stage=stage_name, loop=loop_name, span=it.place, spans=it.spans)


def _bind(it: Arguments) -> Bind | None:
    if len(it.args) < 2:
        it.usage()
        return None
    tag = it.args[-1]
    name = tag.value if isinstance(tag, ast.Constant) and isinstance(tag.value, str) else it.text(tag)
    if name not in THREAD_TAGS:
        close = TAGS.get(name.lower()) or it.ctx.nearest(name, THREAD_TAGS)
        hint = f'bind({", ".join(it.text(arg) for arg in it.args[:-1])}, "{close}")' if close else None
        it.refuse(f"loops are bound to {', '.join(THREAD_TAGS)}, found {it.ctx.quote(tag)}", tag, hint)
    elif not isinstance(tag, ast.Constant):
        it.refuse("what loops are bound to is a string", tag, f'"{name}"')
    loops = tuple(it.loop(arg) for arg in it.args[:-1])
    return None if it.failed else Bind(loops=loops, tag=name, span=it.place, spans=it.spans)


def _tensorize(it: Arguments) -> Tensorize | None:
    if len(it.args) < 2:
        it.usage()
        return None
    name = it.string(it.args[0], "the instruction")
    loops = tuple(it.loop(arg) for arg in it.args[1:])
    return None if it.failed else Tensorize(name=name, loops=loops, span=it.place, spans=it.spans)


def fuse(it: Arguments) -> Fuse | None:
    """Read a fusion."""
    it.keywords()
    if len(it.args) < 2:
        it.usage()
        return None
    loops, outs = _loops(it), it.names(1)
    return (
        None if it.failed or outs is None else Fuse(out=outs[0], loops=loops, span=it.place, spans=it.spans)
    )


def rfactor(it: Arguments) -> Rfactor | None:
    """Read an `rfactor`."""
    it.keywords()
    if len(it.args) != 1:
        it.usage(f"p = rfactor({it.text(it.args[0])})" if it.args else None)
        return None
    loop, outs = it.loop(it.args[0]), it.names(1)
    return (
        None if it.failed or outs is None else Rfactor(out=outs[0], loop=loop, span=it.place, spans=it.spans)
    )


def hoist(it: Arguments) -> Hoist | None:
    """Read a `hoist`."""
    it.keywords()
    if len(it.args) not in (1, 2):
        it.usage()
        return None
    loop, outs = it.dotted(it.args[0]), it.names(1)
    block = it.size(it.args[1], "the block of hoist") if len(it.args) > 1 else 1
    if it.failed or outs is None:
        return None
    return Hoist(out=outs[0], loop=loop, block=block, span=it.place, spans=it.spans)


READERS: dict[str, Callable[[Arguments], ScheduleDirective | None]] = {
    "split": split, "fuse": fuse, "order": _plain(_order), "inline": _plain(_inline),
    "precompute": _plain(_precompute), "compute_at": _plain(_compute_at), "rfactor": rfactor,
    "scatter": _plain(_scatter), "hoist": hoist, "parallel": _plain(_parallel),
    "vectorize": _plain(_vectorize),
    "unroll": _plain(_unroll), "bind": _plain(_bind), "tensorize": _plain(_tensorize),
}  # fmt: skip
"""How each directive of a schedule block is read."""
