"""How long the interpreter takes for the thirty texts at full size: `benchmarks/interpreter.py [TEXT …]`."""

import sys
import time
from math import prod
from pathlib import Path

from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.expr import Binary, Call, Power, Reduction
from edgekernelbench.ir.walk import walk
from edgekernelbench.verify.facts import Facts

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.interp.texts import SMALL, facts_of, random_inputs


def million_operations(facts: Facts) -> float:
    """Count operations on elements as the text writes them, steps of reductions included."""
    total = 0
    for placed in placed_stages(facts.kernel.compute):
        stage, value = placed.stage, placed.stage.value
        steps, element, own = 1, value, 0
        if isinstance(value, Reduction):
            steps, element, own = prod(o.stop - o.start for o in value.over), value.element, 1
        if not isinstance(element, Reduction):
            own += sum(isinstance(n, Binary | Call | Power) and n.dtype is stage.dtype for n in walk(element))
        total += prod(stage.shape) * steps * own
    return total / 1e6


def main() -> None:
    print(f"{'text':30}{'MFLOP':>10}{'reference s':>13}{'declared s':>12}")
    for name in sys.argv[1:] or SMALL:
        facts = facts_of(name, full=True)
        inputs = random_inputs(facts.kernel)
        times = []
        for precision in ("reference", "declared"):
            start = time.perf_counter()
            evaluate(facts, inputs, precision)
            times.append(time.perf_counter() - start)
        print(f"{name:30}{million_operations(facts):10.1f}{times[0]:13.3f}{times[1]:12.3f}", flush=True)


if __name__ == "__main__":
    main()
