"""Read a kernel text, prove it, look at its nest, and compute it with NumPy.

Run it with `python examples/from_python.py`. It needs the light install only.
"""

import sys

import numpy as np

from edgekernelbench.base.errors import SourceError
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

TEXT = '''\
def moving_average(x: f32[N]):
    """The mean of three neighbours."""
    N = 8

    with compute:
        sum3[i]: f32[N - 2] = sum(x[i + k] for k in range(3))
        out[i]: f32[N - 2] = sum3[i] / 3.0
        return out

    with schedule("llvm"):
        compute_at(sum3, out.i)
'''


def main() -> None:
    """Print the nest of a text, its result, and what is said of a wrong text."""
    facts = verify_compute(parse(TEXT))
    nest = build_nest(facts, "llvm", load_profile("llvm"))
    print(print_nest(nest))

    (out,) = evaluate(facts, {"x": np.arange(8, dtype=np.float32)})
    print(f"out = {out}")

    wrong = TEXT.replace("x[i + k]", "x[i - k]")
    try:
        verify_compute(parse(wrong))
    except SourceError as error:
        for diagnostic in error.diagnostics:
            print(diagnostic.render(wrong, "wrong.kir"))


if __name__ == "__main__":
    sys.exit(main())
