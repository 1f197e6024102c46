"""Hypothesis strategies that write kernel texts: small, well typed, and provable.

`computes()` gives texts whose compute layer verifies. Floats drawn by `inputs_for` are quarters, so that sums
and products are exact and a comparison or a rounding means the same whatever the order of a sum; where an
expression may round (division, `exp`, …), nothing that jumps is built on it.
"""

import re
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.typing import NDArray
from tests.kernel_writer import FLOATS, Tensor, Writer

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel


def _type(dtype: str, shape: Sequence[int]) -> str:
    return dtype + (f"[{', '.join(map(str, shape))}]" if shape else "")


def _params(w: Writer) -> list[str]:
    shown = []
    for _ in range(w.draw(st.integers(1, 3))):
        dtype = w.pick(("f32", "f32", "f16", "bf16", "f64", "i8", "u8", "i16", "i32", "u32", "bool", "i4"))
        shape = tuple(w.draw(st.lists(st.integers(1, 6), min_size=0 if dtype != "i4" else 1, max_size=3)))
        name = w.fresh("x")
        const = w.chance()
        w.tensors.append(Tensor(name, dtype, shape))
        shown.append(f"{name}: {f'const[{_type(dtype, shape)}]' if const else _type(dtype, shape)}")
    if w.chance():
        size, bound, name = w.size(), w.size(), w.fresh("at")
        w.tensors.append(Tensor(name, "i32", (size,), bound))
        shown.append(f"{name}: i32[{size}] in range({bound})")
    return shown


def _stage(w: Writer) -> str:
    rank = w.draw(st.integers(0, 3))
    w.axes = {w.fresh("v"): w.size() for _ in range(rank)}
    w.inexact = False
    dtype = w.pick(("f32", "f32", "f32", "f16", "bf16", "f64", "i32", "i8", "u8", "u32", "i64", "bool"))
    name, shape, axes = w.fresh("s"), tuple(w.axes.values()), list(w.axes)
    if w.chance():
        value, dtype = _reduction(w, dtype)
    else:
        value = w.expression(dtype, w.draw(st.integers(1, 3)))
    w.tensors.append(Tensor(name, dtype, shape, exact=not w.inexact, given=False))
    left = f"{name}[{', '.join(axes)}]" if axes else name
    return f"        {left}: {_type(dtype, shape)} = {value}"


def _reduction(w: Writer, dtype: str) -> tuple[str, str]:
    own = [(w.fresh("k"), w.size()) for _ in range(w.draw(st.integers(1, 2)))]
    kinds = ["any", "all", "argmax", "argmin"]
    kinds += [] if dtype == "bool" else ["sum", "sum", "sum", "max", "min", "prod"]
    kind = w.pick(kinds)
    arg = kind.startswith("arg")
    w.axes.update(own)
    if kind in ("any", "all"):
        dtype = "bool"
        element = w.truth(1)
    elif arg:
        inexact, dtype = w.inexact, "i32"
        kept = w.exact_float("f32", 1)
        element = kept or w.small(1)
        w.inexact = inexact
    elif kind == "prod":
        dtype = "f32" if dtype in FLOATS else "i32"
        w.inexact = True
        element = f"{dtype}({w.pick(list(w.axes))} % 3)"
    elif kind == "sum" and dtype in FLOATS and w.chance():
        element = f"{w.number(dtype, 1)} * {w.number(dtype, 1)}"
    else:
        element = w.expression(dtype, 1)
    w.inexact |= dtype in ("f16", "bf16") or kind == "sum"
    fors = []
    w.axes = {axis: size for axis, size in w.axes.items() if (axis, size) not in own}
    for axis, size in own:
        w.axes[axis] = size  # conditions see the axes written so far
        start = 0 if arg else w.draw(st.integers(0, size - 1))
        # the greatest of nothing is -inf, which would soon be NaN
        tests = kind not in ("max", "min") and w.pick((True, False, False))
        condition = f" if {w.truth(1)}" if tests else ""
        fors.append(f"for {axis} in range({f'{start}, ' if start else ''}{size}){condition}")
    return f"{kind}({element} {' '.join(fors)})", dtype


def _group(w: Writer) -> list[str]:
    """A group that carries a value from step to step, and sometimes a choice made in each step."""
    step, steps, axis, size = w.fresh("t"), w.size() + 2, w.fresh("v"), w.size()
    w.axes = {step: steps, axis: size}
    w.inexact = False
    dtype = w.pick(("f32", "f32", "f64", "i32"))
    name, chosen = w.fresh("s"), w.fresh("s")
    start = w.expression(dtype, 1)
    fresh = w.expression(dtype, 1)
    back = w.pick((1, 1, 2))
    place = w.pick((axis, axis, f"{size - 1} - {axis}"))
    lines = [f"        for {step} in range({steps}):"]
    pick = w.chance()
    before = f"{name}[{step} - {back}, {place}]"
    if pick:
        before = f"({before} + {name}[{step} - {back}, {chosen}[{step} - {back}]])"
    join = w.pick(("{} + {}", "max({}, {})", "min({}, {})")).format(before, fresh)
    value = f"({join} if {step} >= {back} else {start})"
    if dtype == "i32":
        value = f"clamp({value}, -1000, 1000)"
    lines.append(f"            {name}[{step}, {axis}]: {_type(dtype, (steps, size))} = {value}")
    if pick:
        # an inexact sum could tie differently, so the choice is made among whole numbers
        over = w.fresh("k")
        w.axes = {step: steps, over: size}
        element = f"{name}[{step}, {over}]" if dtype == "i32" else w.small(1)
        lines.append(
            f"            {chosen}[{step}]: i32[{steps}] = argmax({element} for {over} in range({size}))"
        )
        w.tensors.append(Tensor(chosen, "i32", (steps,), size, given=False))
    w.tensors.append(Tensor(name, dtype, (steps, size), exact=not w.inexact, given=False))
    return lines


def _table(w: Writer) -> list[str]:
    """A group of two nested `for`s that reads its neighbours, as dynamic programming does."""
    (slow, fast), sizes = (w.fresh("t"), w.fresh("t")), (w.pick((3, 9)), w.pick((4, 9)))
    name = w.fresh("s")
    w.axes = {slow: sizes[0], fast: sizes[1]}
    own = {w.fresh("v"): w.size()} if w.chance() else {}
    w.axes.update(own)
    w.inexact = False
    value = w.number("f32", 1)
    turned = w.chance()
    for dt, ds in w.pick((((1, 0), (0, 1)), ((1, 0), (0, 2), (1, 1)), ((1, -1), (0, 1)), ((1, 1), (1, -2)))):
        places = [f"{slow} - {dt}", f"{fast} - {ds}" if ds >= 0 else f"{fast} + {-ds}"]
        tests = [f"{slow} >= {dt}"] * (dt > 0) + [f"{fast} >= {ds}"] * (ds > 0)
        tests += [f"{fast} < {sizes[1] + ds}"] * (ds < 0)
        index = ", ".join([*(places[::-1] if turned else places), *own])
        join = w.pick(("min({}, {})", "({} + 0.5 * {})"))
        value = join.format(value, f"({name}[{index}] if {' and '.join(tests)} else 0.25)")
    axes, shape = ([slow, fast], list(sizes)) if not turned else ([fast, slow], list(sizes[::-1]))
    w.tensors.append(Tensor(name, "f32", (*shape, *own.values()), exact=False, given=False))
    left = f"{name}[{', '.join([*axes, *own])}]: {_type('f32', [*shape, *own.values()])}"
    return [
        f"        for {slow} in range({sizes[0]}):",
        f"            for {fast} in range({sizes[1]}):",
        f"                {left} = {value}",
    ]


WRITERS = {"stage": lambda w: [_stage(w)], "group": _group, "table": _table}


@st.composite
def computes(draw: DrawFn) -> str:
    """Draw a text with a compute layer that verifies."""
    w = Writer(draw)
    params = _params(w)
    kinds = draw(
        st.lists(st.sampled_from(("stage",) * 6 + ("group", "group", "table")), min_size=1, max_size=4)
    )
    blocks = [WRITERS[kind](w) for kind in kinds]
    outputs = [name for block in blocks for name in _defined(block) if not _is_read(name, block, blocks)]
    lines = [line for block in blocks for line in block]
    return "\n".join(
        (
            f"def k({', '.join(params)}):",
            "    with compute:",
            *lines,
            f"        return {', '.join(outputs)}",
            "",
        )
    )


def _defined(block: list[str]) -> list[str]:
    return [match[1] for line in block if (match := re.match(r"\s+(s\d+)", line))]


def _is_read(name: str, own: list[str], blocks: list[list[str]]) -> bool:
    word = re.compile(rf"\b{name}\b")
    return any(word.search(line) for block in blocks if block is not own for line in block)


_HELD: dict[DType, Any] = {
    DType.F16: np.float16,
    DType.BF16: ml_dtypes.bfloat16,
    DType.F32: np.float32,
    DType.F64: np.float64,
    DType.BOOL: np.bool_,
    DType.I4: np.int8,
    DType.U4: np.uint8,
}


def inputs_for(kernel: Kernel, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Draw inputs for a kernel: floats are quarters of at most 2, integers anything their type allows."""
    rng = np.random.default_rng(seed)
    drawn: dict[str, NDArray[Any]] = {}
    for param in kernel.params:
        if param.dtype.is_float:
            drawn[param.name] = (rng.integers(-8, 9, param.shape) / 4).astype(_HELD[param.dtype])
            continue
        low, high = param.bounds or (param.dtype.bounds[0], param.dtype.bounds[1] + 1)
        held = _HELD.get(param.dtype) or np.dtype(
            f"{'' if param.dtype.is_signed else 'u'}int{param.dtype.bits}"
        )
        drawn[param.name] = np.asarray(rng.integers(low, high, param.shape)).astype(held)
    return drawn
