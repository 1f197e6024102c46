"""Two tiny workloads and a judge with a real compiler: attacks are cheap, and go the whole way."""

from collections.abc import Iterator, Sequence

import numpy as np

from edgekernelbench.evaluator.exam import InputChoice, choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.workloads.inputs import Array, make_inputs
from edgekernelbench.workloads.schema import Workload

SCALE = "tiny/scale@n12-f32"
ROW_SUM = "tiny/row_sum@r4-n12-f32"

HEADS = {
    SCALE: "def scale(x: f32[12], w: const[f32[12]]):",
    ROW_SUM: "def row_sum(x: f32[4, 12]):",
}
HONEST = {SCALE: "out[i]: f32[12] = x[i] * w[i]", ROW_SUM: "out[i]: f32[4] = sum(x[i, j] for j in range(12))"}
SECRET = b"what no agent knows"


def kernel(name: str, *stages: str, after: str = "", doc: str = "", returns: str = "out") -> str:
    """Write a text for a workload."""
    lines = [HEADS[name], *([f'    """{doc}"""'] if doc else []), "    with compute:"]
    lines += [f"        {line}" for stage in stages for line in stage.split("\n")]
    return "\n".join([*lines, f"        return {returns}", *([after] if after else [])]) + "\n"


def scale(*stages: str, after: str = "", doc: str = "", returns: str = "out") -> str:
    """Write a text for `scale`."""
    return kernel(SCALE, *stages, after=after, doc=doc, returns=returns)


def rows(*stages: str, after: str = "") -> str:
    """Write a text for `row_sum`."""
    return kernel(ROW_SUM, *stages, after=after)


def outcome(
    judge: Judge,
    workload: Workload,
    text: str,
    *,
    inputs: tuple[InputChoice, ...] = (),
    timing: TimingPlan | None = None,
) -> str:
    """Judge a text on inputs that nobody has seen; say what it came to."""
    chosen = inputs or choose_inputs(SECRET, workload)
    return failure_kind(judge.judge(Submission(workload, text, chosen, timing)).outcome)


def answers(workload: Workload, choices: Sequence[InputChoice]) -> Iterator[tuple[Array, Array]]:
    """Give the first parameter and the right answer of `scale` for each choice of inputs."""
    for choice in choices:
        x, w = make_inputs(workload, choice.seed, choice.distribution)
        yield x, np.multiply(x, w, dtype=np.float32)


def memorised(workload: Workload, choices: Sequence[InputChoice]) -> str:
    """Write a text that has the answers to some inputs by heart, and knows them by their first element."""
    stages, pick = [], "0.0"
    for number, (x, right) in enumerate(answers(workload, choices)):
        values = ", ".join(repr(float(v)) for v in right.reshape(-1))
        stages.append(f"known{number}: f32[12] = [{values}]")
        pick = f"known{number}[i] if x[0] == {float(x.flat[0])!r} else {pick}"
    return kernel(SCALE, *stages, f"out[i]: f32[12] = {pick}")
