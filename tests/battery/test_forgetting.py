"""Recurrences remember: a kernel that begins anew some steps before each output is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from edgekernelbench.evaluator.compare import compare
from edgekernelbench.evaluator.exam import choose_inputs, make_paper
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs

WORKLOADS = (
    *(
        "recurrent/bilstm@n128-i9-h32-bf16",
        "recurrent/bilstm@n80-i128-h96-f16",
        "recurrent/gru@t100-i114-h96-f32",
    ),
    *("recurrent/lstm@t200-i3-h64-f32", "recurrent/sru@n400-h96-f16", "recurrent/gru_w8@n128-i6-h64-i8"),
)


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_came_long_ago_shows_in_the_last_step(name: str) -> None:
    workload = load_catalogue().workload(name)
    choice = choose_inputs(b"what nobody knows", workload)[0]
    inputs = make_inputs(workload, choice.seed, choice.distribution)
    x = inputs[0].copy()
    steps = x.shape[0]
    x[: steps // 2] = make_inputs(workload, choice.seed + 1, choice.distribution)[0][: steps // 2]
    right = make_paper(workload, choice, inputs).expected[0]
    other = make_paper(workload, choice, (x, *inputs[1:])).expected[0]
    width = outputs_of(workload.kernel())[0].shape[-1]
    last = slice(right.reference.size - width, None)  # of a classifier, all there is
    allowed = np.broadcast_to(right.allowed, right.reference.shape)[last]
    found = compare(other.reference[last], replace(right, reference=right.reference[last], allowed=allowed))
    assert found.mismatch is not None, f"{name}: {found.elementwise:.2g} of what is allowed"
