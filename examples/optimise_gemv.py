"""Make one kernel fast, and watch how. A real model is one word: `model="openai:NAME"`, or `"smollm2"`."""

from edgekernelbench import leka
from edgekernelbench.agents.models.scripted import ScriptedModel

GEMV = '''def gemv(w: const[f32[512, 256]], x: f32[256]):
    """A matrix times a vector."""

    with compute:
        y[n]: f32[512] = sum(w[n, k] * x[k] for k in range(256))
        return y
'''
ANSWERS = [
    "It is bound by the bytes of w.",
    "layer: schedule\nbottleneck: vector\nmove: lanes\nchange: sixteen rows at once\nexpected: 1.5",
    '```python\nwith schedule("llvm"):\n    no, ni = split(y.n, 16)\n    order(no, y.k, ni)\n```',
]

found = leka.optimise(
    GEMV,
    device="llvm",
    budget=leka.Budget(submissions=2, calls=3),
    model=ScriptedModel(ANSWERS),
    compiler="c",
    on_step=lambda step: print(step.extra.ekb.phase, step.extra.ekb.stage),
)
print(
    f"{found.speedup:.2f} times the default lowering; {found.reason}; text of {' and '.join(found.authors)}"
)
