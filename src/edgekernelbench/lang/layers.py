"""One layer of a kernel: its hash, and putting another in its place."""

import re
from collections.abc import Mapping
from dataclasses import replace
from textwrap import dedent
from typing import TypeVar

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import Schedule
from edgekernelbench.lang.blocks import Body, read_memories, read_schedules, sort_statements
from edgekernelbench.lang.compute import read_compute
from edgekernelbench.lang.constants import read_constants
from edgekernelbench.lang.context import Context, Enough, Number
from edgekernelbench.lang.parse import read
from edgekernelbench.lang.printing import (
    print_block,
    print_compute,
    print_directive,
    print_kernel,
    print_param,
)
from edgekernelbench.lang.scope import Declared, Scope
from edgekernelbench.lang.source import normalise, parse_module

Block = TypeVar("Block", Schedule, Memory)

_BLOCK = re.compile(r"\s*(with|[A-Z#])")


def layer_hash(kernel: Kernel, layer: Layer, target: str | None = None) -> str:
    """Hash one layer.

    Args:
        kernel: The kernel.
        layer: `COMPUTE`, with parameters and outputs but without the kernel's name and docstring;
            `SCHEDULE` or `MEMORY`; or `TEXT` for everything.
        target: Whose schedule or memory; None for those of all targets. A layer hashes alike whether its
            block serves one target or several.

    Returns:
        16 hexadecimal digits; equal for layers that print alike.
    """
    match layer:
        case Layer.TEXT:
            return hash_text(print_kernel(kernel))
        case Layer.COMPUTE:
            params = [print_param(param) for param in kernel.params]
            return hash_text("\n".join([*params, *print_compute(kernel.compute)]))
        case Layer.SCHEDULE:
            return hash_text(_printed(kernel.schedules, target))
        case Layer.MEMORY:
            return hash_text(_printed(kernel.memories, target))


def _printed(blocks: tuple[Schedule, ...] | tuple[Memory, ...], target: str | None) -> str:
    lines: dict[str, list[str]] = {}
    for block in blocks:
        text = [print_directive(directive) for directive in block.directives]
        if text:
            lines |= dict.fromkeys(block.targets, text)
    if target is not None:
        return "\n".join(lines.get(target, []))
    return "\n".join(f"{name}:\n" + "\n".join(lines[name]) for name in sorted(lines))


def print_layer(kernel: Kernel, layer: Layer, target: str) -> str:
    """Print one layer of a kernel, as `replace_layer` takes it.

    Args:
        kernel: The kernel.
        layer: `COMPUTE`, `SCHEDULE` or `MEMORY`; `TEXT` prints everything.
        target: Whose schedule or memory.

    Returns:
        A block with its first line not indented; empty when the kernel has no directives there.
    """
    match layer:
        case Layer.TEXT:
            return print_kernel(kernel)
        case Layer.COMPUTE:
            return "\n".join(print_compute(kernel.compute))
        case Layer.SCHEDULE:
            return _printed_block(kernel.schedule_for(target), target)
        case Layer.MEMORY:
            return _printed_block(kernel.memory_for(target), target)


def _printed_block(block: Schedule | Memory, target: str) -> str:
    return "\n".join(print_block(replace(block, targets=(target,)))) if block.directives else ""


def replace_layer(
    kernel: Kernel, layer: Layer, text: str, knobs: Mapping[str, Number] | None = None
) -> Kernel:
    """Put another layer in the place of one; the others stay word for word.

    Args:
        kernel: The kernel.
        layer: `COMPUTE`, `SCHEDULE` or `MEMORY`.
        text: Blocks of this layer, such as `with schedule("llvm"): ...`, constants above them if wanted;
            or a whole text, of which this layer is taken. Blocks replace what their targets had; a whole text
            replaces the layer of all targets, and with the compute layer also parameters and docstring.
        knobs: Values of knobs of the text; those left out take their first option.

    Returns:
        The new kernel. Whether the layers fit together is for the verifiers.

    Raises:
        SourceError: When the text is wrong, or holds something else; spans point into it, dedented.
    """
    source = dedent(normalise(text))
    if layer is not Layer.TEXT and _is_fragment(source):
        return _replace_by_blocks(kernel, layer, Context(source, chosen=knobs or {}))
    other = read(source).bind(None, knobs)
    match layer:
        case Layer.TEXT:
            return other
        case Layer.COMPUTE:
            return replace(kernel, params=other.params, compute=other.compute, doc=other.doc or kernel.doc)
        case Layer.SCHEDULE:
            return replace(kernel, schedules=other.schedules)
        case Layer.MEMORY:
            return replace(kernel, memories=other.memories)


def layer_knobs(kernel: Kernel, layer: Layer, text: str) -> Mapping[str, tuple[Number, ...]]:
    """List the knobs of a text that `replace_layer` would take.

    Args:
        kernel: The kernel whose layer it would replace.
        layer: Which layer.
        text: The same text.

    Returns:
        Options of each knob, the first one first.

    Raises:
        SourceError: When the text is wrong.
    """
    source = dedent(normalise(text))
    if layer is Layer.TEXT or not _is_fragment(source):
        return read(source).knobs
    ctx = Context(source)
    _replace_by_blocks(kernel, layer, ctx)
    return ctx.knobs


def _is_fragment(source: str) -> bool:
    return bool(_BLOCK.match(source)) and not re.search(r"^\s*def\b", source, re.MULTILINE)


def _replace_by_blocks(kernel: Kernel, layer: Layer, ctx: Context) -> Kernel:
    source = ctx.source
    try:
        body = _read_fragment(layer, ctx)
        match layer:
            case Layer.COMPUTE:
                scope = Scope({param.name: _declared(param) for param in kernel.params})
                changed = replace(kernel, compute=read_compute(body.compute or [], scope, ctx))
            case Layer.SCHEDULE:
                schedules = read_schedules(body.schedules, ctx)
                changed = replace(kernel, schedules=_merged(kernel.schedules, schedules))
            case _:
                memories = read_memories(body.memories, ctx)
                changed = replace(kernel, memories=_merged(kernel.memories, memories))
    except Enough:
        raise SourceError(ctx.ordered(), source) from None
    for name in ctx.chosen:
        if name not in ctx.knobs:
            ctx.report("P06", f"there is no knob {name}", Span(1, 1, 1, 2), ", ".join(ctx.knobs) or None)
    if ctx.diagnostics:
        raise SourceError(ctx.ordered(), source)
    return changed


def _read_fragment(layer: Layer, ctx: Context) -> Body:
    """Sort the lines of a fragment and evaluate its constants."""
    body = sort_statements(parse_module(ctx.source).body, ctx)
    read_constants(body.constants, ctx)
    present = {
        Layer.COMPUTE: body.compute is not None,
        Layer.SCHEDULE: bool(body.schedules),
        Layer.MEMORY: bool(body.memories),
    }
    if not present.pop(layer) and not ctx.diagnostics:
        ctx.report("P05", f"expected a {layer} block, there is none", Span(1, 1, 1, 2))
    for other, found in present.items():
        if found:
            ctx.report(
                "P05", f"only the {layer} layer is replaced, leave out the {other} block", Span(1, 1, 1, 2)
            )
    return body


def _declared(param: Param) -> Declared:
    return Declared(len(param.shape), tuple(map(str, param.shape)), str(param.dtype), param.const)


def _merged(old: tuple[Block, ...], new: tuple[Block, ...]) -> tuple[Block, ...]:
    """Put new blocks where the first that they replace stood; old ones keep what is not replaced."""
    taken = {target for block in new for target in block.targets}
    place = next((at for at, block in enumerate(old) if taken.intersection(block.targets)), len(old))
    kept: list[Block] = [replace(b, targets=tuple(t for t in b.targets if t not in taken)) for b in old]
    kept[place:place] = new
    return tuple(block for block in kept if block.targets)
