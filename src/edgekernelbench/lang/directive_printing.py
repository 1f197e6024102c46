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
            options = _options(align=align, pad=pad, buffers=buffers)
            return _call("place", (tensor, f'"{scope}"', *options))
        case Cache(tensor=tensor, scope=scope, at=at, vector=vector, buffers=buffers, pad=pad, layout=layout):
            options = _options(vector=vector, buffers=buffers, pad=pad)
            packing = [] if layout is None else [f'layout="{print_layout(layout)}"']
            return _call("cache", (tensor, f'"{scope}"', f"at={at}", *options, *packing))
        case Accumulate(stage=stage, scope=scope):
            return _call("accumulate", (stage, f'"{scope}"'))
        case Fold(loop=loop, steps=steps):
            return _call("fold", (loop, steps))
        case Reuse(tensor=tensor, old=old):
            return _call("reuse", (tensor, old))
        case _:
            assert_never(node)


_DEFAULTS = {"align": None, "vector": 1, "buffers": 1, "pad": 0}


def _options(**values: int | None) -> list[str]:
    """Print what differs from its default, in the order given."""
    return [f"{name}={value}" for name, value in values.items() if value != _DEFAULTS[name]]
