"""Run nests through compilers and hold them against the interpreter."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.compiler.hand import HOST

from edgekernelbench.compiler.arrays import Array, allocate_buffer, place_array
from edgekernelbench.compiler.c import CCompiler
from edgekernelbench.compiler.interface import Compiler
from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.schedule import Schedule, Vectorize
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.facts import Facts

QUICK = ("-std=gnu11", "-O1", "-march=native", "-fno-math-errno", "-ffp-contract=fast", "-fwrapv")
COMPILERS: tuple[Compiler, ...] = (CCompiler(QUICK), TvmCompiler())
_EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def run(
    compiler: Compiler, nest: Nest, inputs: Mapping[str, NDArray[Any]], profile: Profile = HOST
) -> list[Array]:
    """Compile and run, outputs poisoned first."""
    executable = compiler.compile(nest, profile).executable
    assert executable is not None
    params = [place_array(buffer, inputs[buffer.name]) for buffer in nest.params]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    for output in outputs:
        output.reshape(-1).view(np.uint8)[...] = 0xA5
    executable.prepare(params)
    executable.run(params, outputs)
    return outputs


def assert_right(
    found: Sequence[Array], expected: Sequence[NDArray[Any]], *, ulps: float = 64, name: str = ""
) -> None:
    """Integers exactly; floats within some units in the last place of the greatest magnitude."""
    for one, array in zip(found, expected, strict=True):
        right = np.asarray(array).reshape(one.shape)
        if one.dtype.name not in _EPS:
            np.testing.assert_array_equal(one, right, err_msg=name)
            continue
        wide, exact = one.astype(np.float64), right.astype(np.float64)
        finite = np.abs(exact[np.isfinite(exact)])
        scale = max(1e-30, float(finite.max(initial=0.0)))
        atol = ulps * _EPS[one.dtype.name] * scale
        np.testing.assert_allclose(wide, exact, rtol=0, atol=atol, err_msg=name)


def plain(facts: Facts) -> Facts:
    """Leave compute alone."""
    return replace(facts, kernel=replace(facts.kernel, schedules=(), memories=()))


def vectorised(facts: Facts) -> Facts:
    """Make the last axis of every stage a vector."""
    lines = []
    for placed in placed_stages(facts.kernel.compute):
        free = [axis for axis in placed.stage.axes if axis not in placed.ordered]
        if free:
            lines.append(Vectorize((f"{placed.stage.name}.{free[-1]}",)))
    schedule = Schedule(("llvm",), tuple(lines))
    return replace(facts, kernel=replace(facts.kernel, schedules=(schedule,), memories=()))


def check(
    facts: Facts, inputs: Mapping[str, NDArray[Any]], profile: Profile = HOST, *, ulps: float = 64
) -> None:
    """Both compilers give what the interpreter gives."""
    nest = build_nest(facts, "llvm", profile)
    expected = evaluate(facts, inputs, "declared")
    for compiler in COMPILERS:
        assert_right(run(compiler, nest, inputs, profile), expected, ulps=ulps, name=compiler.name)
