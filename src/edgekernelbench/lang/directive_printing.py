"""The canonical text of directives."""

from collections.abc import Sequence
from typing import assert_never

from edgekernelbench.ir.memory import (
    Accumulate,
    Cache,
    Fold,
    Layout,
    LayoutSpec,
    MemoryDirective,
    Piece,
    Place,
    Reuse,
)
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


def print_directive(node: ScheduleDirective | MemoryDirective) -> str:
    """Print a directive.

    Args:
        node: The directive.

    Returns:
        One line.
    """
    match node:
        case Layout() | Place() | Cache() | Accumulate() | Fold() | Reuse():
            return _memory(node)
        case _:
            return _schedule(node)


def print_layout(spec: LayoutSpec) -> str:
    """Print the layout that stands in a layout string."""
    return f"{' '.join(spec.axes)} -> {' '.join(_piece(piece) for piece in spec.pieces)}"


def _piece(piece: Piece) -> str:
    div = "" if piece.div == 1 else f"/{piece.div}"
    mod = "" if piece.mod is None else f"%{piece.mod}"
    return f"{piece.axis}{div}{mod}"


def _call(word: str, arguments: Sequence[str | int]) -> str:
    return f"{word}({', '.join(str(argument) for argument in arguments)})"


def _schedule(node: ScheduleDirective) -> str:  # noqa: C901, PLR0912 - one case a directive
    match node:
        case Split(outs=outs, loop=loop, sizes=sizes):
            return f"{', '.join(outs)} = {_call('split', (loop, *sizes))}"
        case Fuse(out=out, loops=loops):
            return f"{out} = {_call('fuse', loops)}"
        case Order(loops=loops):
            return _call("order", loops)
        case Inline(stages=stages):
            return _call("inline", stages)
        case Precompute(stages=stages):
            return _call("precompute", stages)
        case ComputeAt(stage=stage, loop=loop):
            return _call("compute_at", (stage, loop))
        case Rfactor(out=out, loop=loop):
            return f"{out} = {_call('rfactor', (loop,))}"
        case Scatter(loop=loop):
            return _call("scatter", (loop,))
        case Hoist(out=out, loop=loop, block=block):
            return f"{out} = {_call('hoist', (loop,) if block == 1 else (loop, block))}"
        case Parallel(loops=loops):
            return _call("parallel", loops)
        case Vectorize(loops=loops):
            return _call("vectorize", loops)
        case Unroll(loops=loops):
            return _call("unroll", loops)
        case Bind(loops=loops, tag=tag):
            return _call("bind", (*loops, f'"{tag}"'))
        case Tensorize(name=name, loops=loops):
            return _call("tensorize", (f'"{name}"', *loops))
        case _:
            assert_never(node)


def _memory(node: MemoryDirective) -> str:
    match node:
        case Layout(tensor=tensor, spec=spec):
            return _call("layout", (tensor, f'"{print_layout(spec)}"'))
        case Place(tensor=tensor, scope=scope, align=align, pad=pad, buffers=buffers):
            align_text = [] if align is None else [f"align={align}"]
            return _call("place", (tensor, f'"{scope}"', *align_text, *_padding(pad, buffers)))
        case Cache(tensor=tensor, scope=scope, at=at, vector=vector, buffers=buffers, pad=pad, layout=layout):
            vector_text = [] if vector == 1 else [f"vector={vector}"]
            layout_text = [] if layout is None else [f'layout="{print_layout(layout)}"']
            options = (f"at={at}", *vector_text, *_padding(pad, buffers), *layout_text)
            return _call("cache", (tensor, f'"{scope}"', *options))
        case Accumulate(stage=stage, scope=scope):
            return _call("accumulate", (stage, f'"{scope}"'))
        case Fold(loop=loop, steps=steps):
            return _call("fold", (loop, steps))
        case Reuse(tensor=tensor, old=old):
            return _call("reuse", (tensor, old))
        case _:
            assert_never(node)


def _padding(pad: int, buffers: int) -> list[str]:
    return ([f"pad={pad}"] if pad else []) + ([f"buffers={buffers}"] if buffers != 1 else [])
