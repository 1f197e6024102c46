"""Texts in which every stage reads many others."""

import time

from edgekernelbench.lang.parse import parse
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

STAGES, READ = 60, 12
LIMIT_S = 10.0
"""Without an end in 25 s while all reads were looked at again for every pair of stages."""


def test_sixty_stages_that_read_the_twelve_before_are_lowered_in_no_time() -> None:
    lines = ["s0[i]: f32[4] = x[i]"]
    for n in range(1, STAGES):
        terms = " + ".join(f"s{m}[i]" for m in range(max(0, n - READ), n))
        lines.append(f"s{n}[i]: f32[4] = {terms}")
    body = "\n        ".join([*lines, f"return s{STAGES - 1}"])
    facts = verify_compute(parse(f"def fan(x: f32[4]):\n    with compute:\n        {body}\n"))
    start = time.process_time()
    default_lowering(facts, "llvm", load_profile("llvm"))
    assert time.process_time() - start < LIMIT_S
