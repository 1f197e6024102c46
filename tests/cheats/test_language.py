"""Attacks through the kernel language, each with the outcome that it must get."""

import pytest
from tests.cheats.support import HEADS, HONEST, ROW_SUM, SCALE, kernel, memorised, outcome, rows, scale

from edgekernelbench.evaluator.exam import public_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

RIGHT = HONEST[SCALE]
SUM = HONEST[ROW_SUM]
MASK = "as_f32(as_u32({0}) & {1})"

WRONG_VALUES = {
    "an answer by heart": (
        SCALE,
        scale(f"known: f32[12] = [{', '.join(['0.25'] * 12)}]", "out[i]: f32[12] = known[i]"),
    ),
    "its parameter": (SCALE, scale("out[i]: f32[12] = x[i]")),
    "its weights": (SCALE, scale("out[i]: f32[12] = w[i]")),
    "zeros": (SCALE, scale("out[i]: f32[12] = 0.0")),
    "zeros that use every input": (SCALE, scale("out[i]: f32[12] = (x[i] - x[i]) * w[i]")),
    "the mean": (
        ROW_SUM,
        rows("all2: f32 = sum(x[r, j] for r in range(4) for j in range(12))", "out[i]: f32[4] = all2 / 4.0"),
    ),
    "NaN, which compares with nothing": (SCALE, scale("out[i]: f32[12] = (x[i] - x[i]) / (x[i] - x[i])")),
    "infinity": (SCALE, scale("out[i]: f32[12] = inf if x[i] * w[i] > 0.0 else -inf")),
    "a tail that is skipped": (ROW_SUM, rows(SUM.replace("range(12)", "range(11)"))),
    "a last element that is not computed": (SCALE, scale("out[i]: f32[12] = x[i] * w[i] if i < 11 else 0.0")),
    "a last element that is another one's": (SCALE, scale("out[i]: f32[12] = x[min(i, 10)] * w[i]")),
    "half of the terms, doubled": (
        ROW_SUM,
        rows("out[i]: f32[4] = sum(2.0 * x[i, 2 * j] for j in range(6))"),
    ),
    "one row for all rows": (ROW_SUM, rows("out[i]: f32[4] = sum(x[0, j] for j in range(12))")),
    "right for small values only": (
        SCALE,
        scale("out[i]: f32[12] = x[i] * w[i] if abs(x[i]) < 2.0 else 0.0"),
    ),
    "right for positive values only": (SCALE, scale("out[i]: f32[12] = max(x[i], 0.0) * w[i]")),
    "a part in ten thousand off": (SCALE, scale("out[i]: f32[12] = x[i] * w[i] * 1.0001")),
    "rounding as TF32 does": (
        SCALE,
        scale(f"out[i]: f32[12] = {MASK.format('x[i]', 4294959104)} * {MASK.format('w[i]', 4294959104)}"),
    ),
    "rounding as bf16 does": (
        ROW_SUM,
        rows(f"out[i]: f32[4] = sum({MASK.format('x[i, j]', 4294901760)} for j in range(12))"),
    ),
    "8-bit integers in place of floats": (
        ROW_SUM,
        kernel(
            ROW_SUM,
            "code[i, j]: i8[4, 12] = sat_i8(round(x[i, j] * 32.0))",
            "total[i]: i32[4] = sum(i32(code[i, j]) for j in range(12))",
            "out[i]: f32[4] = f32(total[i]) / 32.0",
        ),
    ),
    "a sum that cancels": (
        SCALE,
        scale("big[i]: f32[12] = x[i] * w[i] + 1e8", "out[i]: f32[12] = big[i] - 1e8"),
    ),
    "memory that nobody wrote": (
        SCALE,
        scale("for t in range(12):\n    out[t]: f32[12] = out[t - 1] if t > 0 else 0.0"),
    ),
}
"""What is returned, with the text; all of these are legal texts with wrong values."""

REFUSED = {
    "the output of an earlier call": ("O04", SCALE, scale("out[i]: f32[12] = out[i]")),
    "a name that nothing defines": ("C08", SCALE, scale("out[i]: f32[12] = previous[i]")),
    "an element beyond the end": ("R01", SCALE, scale("out[i]: f32[12] = x[i + 1] * w[i]")),
    "an element before the start": ("R01", SCALE, scale("out[i]: f32[12] = x[i - 1] * w[i]")),
    "an address made of data": ("R01", SCALE, scale("out[i]: f32[12] = x[i32(x[i])] * w[i]")),
    "a later step": (
        "O05",
        SCALE,
        scale("for t in range(12):\n    out[t]: f32[12] = out[t + 1] if t < 11 else x[t]"),
    ),
    "writing to an input": ("C05", SCALE, scale("x[i]: f32[12] = 0.0", RIGHT)),
    "an assignment": ("C04", SCALE, scale(RIGHT, "x[0] = 1.0")),
    "a division by zero": ("R02", SCALE, scale("out[i]: f32[12] = x[i] * w[i] + f32(7 // (i - 5))")),
    "half precision": ("T08", SCALE, scale("out[i]: f32[12] = f32(f16(x[i]) * f16(w[i]))")),
    "a sum in half precision": (
        "T08",
        ROW_SUM,
        rows("half[i]: f16[4] = sum(f16(x[i, j]) for j in range(12))", "out[i]: f32[4] = f32(half[i])"),
    ),
    "a stage in brain floats": (
        "T08",
        SCALE,
        scale("half[i]: bf16[12] = bf16(x[i] * w[i])", "out[i]: f32[12] = f32(half[i])"),
    ),
    "an input declared constant": ("C09", SCALE, scale(RIGHT).replace("x: f32[12]", "x: const[f32[12]]")),
    "a parameter more": ("C09", SCALE, scale(RIGHT).replace("(x:", "(out_of_last_time: f32[12], x:")),
    "a smaller output": ("C09", SCALE, scale("out[i]: f32[6] = x[i] * w[i]")),
    "an output in another type": ("C09", SCALE, scale("out[i]: f64[12] = f64(x[i]) * f64(w[i])")),
    "no output": ("C01", SCALE, "\n".join(scale(RIGHT).split("\n")[:-2])),
    "its input as output": ("C02", SCALE, scale(returns="x")),
    "a workspace of terabytes": (
        "L05",
        SCALE,
        scale("big[p, q]: f32[1048576, 1048576] = x[0]", "out[i]: f32[12] = x[i] * w[i] + 0.0 * big[i, i]"),
    ),
    "code of gigabytes": (
        "L04",
        SCALE,
        scale(
            "big[p]: f32[16777216] = x[p % 12]",
            "out[i]: f32[12] = x[i] * w[i] + 0.0 * big[i]",
            after='    with schedule("llvm"):\n        unroll(big.p)',
        ),
    ),
    "work ahead of the clock": (
        "S26",
        SCALE,
        scale(
            "ready[i]: f32[12] = x[i] * w[i]",
            "out[i]: f32[12] = ready[i]",
            after='    with schedule("llvm"):\n        precompute(ready)',
        ),
    ),
    "a race over a sum": (
        "S17",
        ROW_SUM,
        rows(SUM, after='    with schedule("llvm"):\n        parallel(out.j)'),
    ),
    "a store over what is still read": (
        "M11",
        SCALE,
        scale(
            "a[i]: f32[12] = x[i] * w[i]",
            "b[i]: f32[12] = a[11 - i]",
            "out[i]: f32[12] = b[11 - i]",
            after='    with memory("llvm"):\n        reuse(b, a)',
        ),
    ),
    "steps that are forgotten too soon": (
        "M09",
        SCALE,
        scale(
            "for t in range(12):\n    y[t]: f32[12] = x[t] + (y[t - 2] if t > 1 else 0.0)",
            "out[i]: f32[12] = x[i] * w[i] + 0.0 * y[11]",
            after='    with memory("llvm"):\n        fold(y.t, 2)',
        ),
    ),
    "a function of Python": ("C15", SCALE, scale("out[i]: f32[12] = open(x[i])")),
    "a function of a module": ("C15", SCALE, scale("out[i]: f32[12] = os.getpid(x[i])")),
    "an attribute": ("C15", SCALE, scale("out[i]: f32[12] = x.ctypes[i]")),
    "a lambda": ("C15", SCALE, scale("out[i]: f32[12] = (lambda: x[i])()")),
    "a comprehension": ("C15", SCALE, scale("out[i]: f32[12] = [x[k] for k in range(12)][0]")),
    "a decorator": ("P02", SCALE, "@exit\n" + scale(RIGHT)),
    "a default value that is called": (
        "P02",
        SCALE,
        scale(RIGHT).replace("f32[12]]):", "f32[12]] = exit()):"),
    ),
    "a second function": ("P02", SCALE, scale(RIGHT) + "\ndef other():\n    pass\n"),
    "an import": ("P02", SCALE, "import os\n" + scale(RIGHT)),
    "letters that look alike": ("P02", SCALE, scale(RIGHT, "оut[i]: f32[12] = 0.0", returns="оut")),
    "text that runs backwards": ("P02", SCALE, scale(RIGHT, doc="\u202e } \u2066if ok\u2069")),
    "a terminal's commands": ("P02", SCALE, scale(RIGHT, doc="\x1b[2J\x1b[1;1H correct")),
    "an endless text": ("P03", SCALE, scale(RIGHT, doc="x" * 70_000)),
    "a deep text": ("P03", SCALE, scale(f"out[i]: f32[12] = {'abs(' * 150}x[i]{')' * 150} * w[i]")),
}
"""What is tried, with the code of its refusal."""

CORRECT = {
    "names of Python's own": scale("print[len]: f32[12] = x[len] * w[len]", returns="print"),
    "a name with a meaning in Python": scale("__class__[i]: f32[12] = x[i] * w[i]", returns="__class__"),
    "names of C's own": scale(
        "double[i]: f32[12] = x[i]", "main[i]: f32[12] = double[i] * w[i]", returns="main"
    ),
    "names of the judge's own": kernel(
        SCALE, "workspace[i]: f32[12] = x[i]", "outputs[i]: f32[12] = workspace[i] * w[i]", returns="outputs"
    ),
    "a docstring with a verdict": scale(RIGHT, doc='{"outcome": {"kind": "correct", "rings": []}}'),
    "a docstring that ends a comment": scale(RIGHT, doc="*/ int main(void) { abort(); } /*"),
    "a docstring with a directive": scale(RIGHT, doc="#include </etc/passwd> %s%n `id` $(id)"),
    "wider arithmetic": scale("out[i]: f32[12] = f32(f64(x[i]) * f64(w[i]))"),
}
"""What is no attack, or one that changes nothing: the outcome is that of the values."""


@pytest.mark.parametrize("trick", WRONG_VALUES)
def test_a_legal_text_that_does_not_compute_is_wrong(judge: Judge, tiny: Catalogue, trick: str) -> None:
    name, text = WRONG_VALUES[trick]
    assert outcome(judge, tiny.workload(name), text).startswith("wrong ")


@pytest.mark.parametrize("trick", REFUSED)
def test_what_the_language_does_not_say_is_refused(judge: Judge, tiny: Catalogue, trick: str) -> None:
    code, name, text = REFUSED[trick]
    assert outcome(judge, tiny.workload(name), text) == f"rejected {code}"


@pytest.mark.parametrize("trick", CORRECT)
def test_words_change_nothing(judge: Judge, tiny: Catalogue, trick: str) -> None:
    assert outcome(judge, tiny.workload(SCALE), CORRECT[trick]) == "correct"


def test_answers_to_the_public_inputs_are_of_no_use(judge: Judge, tiny: Catalogue) -> None:
    """What `check` shows can be learnt by heart; nothing is scored there."""
    workload = tiny.workload(SCALE)
    text = memorised(workload, public_inputs(workload))
    assert outcome(judge, workload, text, inputs=public_inputs(workload)) == "correct"
    assert outcome(judge, workload, text) == "wrong values"


def test_a_kernel_that_would_take_hours_costs_its_deadline(judge: Judge, tiny: Catalogue) -> None:
    slow = "sum(sin(x[a % 12]) * cos(f32(b)) for a in range(2000000) for b in range(2000000))"
    text = scale(f"long: f32 = {slow}", "out[i]: f32[12] = x[i] * w[i] + 0.0 * long")
    assert outcome(judge, tiny.workload(SCALE), text) == "crashed run (timed out)"
    assert outcome(judge, tiny.workload(SCALE), scale(RIGHT)) == "correct"


def test_the_honest_texts_are_correct(judge: Judge, tiny: Catalogue) -> None:
    for name in HEADS:
        assert outcome(judge, tiny.workload(name), kernel(name, HONEST[name])) == "correct"


SAMPLED = """
def add_rms_norm(x: bf16[129, 896], res: bf16[129, 896], g: const[bf16[896]]):
    with compute:
        stream[r, d]: bf16[129, 896] = bf16(f32(x[r, d]) + f32(res[r, d]))
        square[r]: f32[129] = sum(f32(stream[r, d]) ** 2 for d in range(896){some})
        inv[r]: f32[129] = rsqrt(square[r] * {share} / 896 + {eps})
        out[r, d]: bf16[129, 896] = bf16(f32(stream[r, d]) * inv[r] * f32(g[d]))
        return out, stream
"""


def test_a_statistic_of_most_elements_is_not_one_of_all(judge: Judge) -> None:
    """In 16 bits every single element would pass; all together do not."""
    workload = load_catalogue().workload("norm/add_rms_norm@r129-d896-bf16")
    eps = workload.sizes["EPS"]
    whole = SAMPLED.format(some="", share="1.0", eps=eps)
    most = SAMPLED.format(some=" if d % 33 != 16", share="33.0 / 32.0", eps=eps)
    assert outcome(judge, workload, whole) == "correct"
    assert outcome(judge, workload, most).startswith("wrong ")
