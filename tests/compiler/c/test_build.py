"""What the system's compiler is told."""

import numpy as np

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.c.compiler import CCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

DEPTHWISE = """
def f(h: i8[16, 32, 3], w: const[i8[3, 3, 3]]):
    with compute:
        pad[i, j, k]: i8[18, 34, 3] = h[i - 1, j - 1, k] if 1 <= i <= 16 and 1 <= j <= 32 else -128
        out[i, j, k]: i32[16, 32, 3] = sum(
            (pad[i + r, j + s, k] + 128) * w[r, s, k] for r in range(3) for s in range(3))
        return out
"""


def test_padded_sums_over_three_channels_survive_the_vectoriser() -> None:
    """GCC 12.2 with AVX-512 gave 288 wrong elements of 1,536."""
    facts, profile = verify_compute(parse(DEPTHWISE)), load_profile("llvm")
    generator = np.random.default_rng(0)
    shapes = {"h": (16, 32, 3), "w": (3, 3, 3)}
    arrays = {name: generator.integers(-128, 128, shape).astype(np.int8) for name, shape in shapes.items()}
    nest = build_nest(facts, "llvm", profile)
    executable = CCompiler().compile(nest, profile).executable
    assert executable is not None
    params = [place_array(buffer, arrays[buffer.name]) for buffer in nest.params]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    executable.prepare(params)
    executable.run(params, outputs)
    wanted = evaluate(facts, arrays)[0]
    np.testing.assert_array_equal(np.asarray(outputs[0]).reshape(wanted.shape), wanted)
