"""Random kernels whose reads lean on conditions, run with parameters between pages that cannot be read.

`python -m tests.compiler.tvm.guarded FIRST LAST` prints each kernel before it runs, so that the last one
printed is the one that crashed.
"""

import ctypes
import mmap
import random
import sys

import numpy as np
from tests.compiler.hand import SERIAL

from edgekernelbench.compiler.arrays import Array, allocate_buffer
from edgekernelbench.compiler.tvm.compiler import TvmCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.verify.compute import verify_compute

PAGE = mmap.PAGESIZE


def between_pages(values: Array, *, at_end: bool, kept: list[mmap.mmap]) -> Array:
    """Copy values to a page whose neighbours fault; sizes are multiples of 64 bytes."""
    room = -(-values.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, room + 2 * PAGE)
    kept.append(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    for edge in (start, start + PAGE + room):
        if libc.mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(PAGE), 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    first = PAGE + (room - values.nbytes if at_end else 0)
    held = np.frombuffer(memory, values.dtype, values.size, first).reshape(values.shape)
    held[...] = values
    return held


def _read(pick: random.Random, tensor: str, size: int, var: str) -> tuple[str, str]:
    """Write a read with the condition that it needs; empty when it needs none."""
    shift = pick.choice([0, 1, 3, 16, 17])
    part = pick.choice([4, 7, 16])
    match pick.randrange(7):
        case 0:
            return f"{tensor}[{var} - {shift}]", f"{shift} <= {var} < {size + shift}"
        case 1:
            return f"{tensor}[{var} % {size}]", ""
        case 2:
            return f"{tensor}[{size - 1 + shift} - {var}]", f"{shift} <= {var} < {size + shift}"
        case 3:
            return f"{tensor}[{var} // {part} * {part} + {var} % {part}]", f"{var} < {size}"
        case 4:
            return f"{tensor}[min({var}, {size - 1})]", ""
        case 5:
            return f"{tensor}[clamp({var} - {shift}, 0, {size - 1})]", ""
        case _:
            return f"{tensor}[{var} // {part} % {size}]", ""


def _condition(pick: random.Random, var: str, size: int) -> str:
    low = pick.randrange(size)
    return pick.choice(
        [
            f"{var} < {size}",
            f"{var} == {low}",
            f"{var} >= {low}",
            f"{low} <= {var} < {low + 16}",
            f"{var} % 5 == 2",
            f"{var} // 8 == {low // 8}",
            f"(y[{var} % 32] > 0.0 and {var} < {size})",
        ]
    )


def text_of(seed: int) -> str:
    """Write a kernel."""
    pick = random.Random(seed)  # noqa: S311 - a test
    size, other = pick.choice([16, 32, 48]), 32
    count = pick.choice([65, 96, 130])

    def choice(depth: int) -> str:
        read, needs = _read(pick, *pick.choice([("x", size), ("y", other)]), "k")
        asked = _condition(pick, "k", size)
        condition = (needs and pick.choice([needs, f"{needs} and {asked}"])) or asked
        return f"({read} if {condition} else {choice(depth - 1) if depth else '0.5'})"

    lines = [f"def f(x: f32[{size}], y: f32[{other}]):", "    with compute:"]
    lines += [f"        half[k]: f32[{count}] = {choice(1)} * 2.0"]
    shift = pick.choice([1, 2, 15])
    lines += [f"        out[k]: f32[{count}] = {choice(1)} + (half[k - {shift}] if k >= {shift} else 1.0)"]
    lines += ["        return out", '    with schedule("llvm"):']
    width = pick.choice([7, 8, 16])
    lines += [f"        ko, ki = split(out.k, {width})"]
    mark = pick.choice(["vectorize", "unroll", "vectorize", ""])
    lines += [f"        {mark}(ki)"] if mark else []
    where = pick.choice(["inline(half)", "compute_at(half, ko)", "vectorize(half.k)", ""])
    lines += [f"        {where}"] if where else []
    return "\n".join(lines) + "\n"


def run_guarded(seed: int) -> None:
    """Compile and run a kernel, each parameter against the page before it, then the one after it."""
    source = text_of(seed)
    sys.stdout.write(f"seed {seed}\n{source}")
    sys.stdout.flush()
    facts = verify_compute(parse(source))
    nest = build_nest(facts, "llvm", SERIAL)
    executable = TvmCompiler().compile(nest, SERIAL).executable
    if executable is None:
        raise RuntimeError("expected to run here")
    numbers = np.random.default_rng(seed)
    inputs = {b.name: numbers.standard_normal(b.shape).astype(np.float32) for b in nest.params}
    (wanted,) = evaluate(facts, inputs, "declared")
    for at_end in (False, True):
        kept: list[mmap.mmap] = []
        params = [between_pages(inputs[b.name], at_end=at_end, kept=kept) for b in nest.params]
        outputs = [allocate_buffer(b) for b in nest.outputs]
        executable.prepare(params)
        executable.run(params, outputs)
        np.testing.assert_array_equal(outputs[0], wanted)
        # The pages stay until the process ends: arrays still look at them.
        KEPT.extend(kept)


KEPT: list[mmap.mmap] = []

if __name__ == "__main__":
    for one in range(int(sys.argv[1]), int(sys.argv[2])):
        run_guarded(one)
