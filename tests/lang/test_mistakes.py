"""What authors are told: the likely mistakes of the specification, and every refusal of the reader."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.conftest import Golden

from edgekernelbench.base.codes import CODES
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.parse import parse, survey
from edgekernelbench.lang.spellings import EXPRESSIONS

SIGNATURE = "def f(x: f32[R, N], w: const[f32[N, K]], b: f32[K], q: i8[R, N], ids: i32[R] in range(8)):\n"


def in_compute(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"{SIGNATURE}    R, N, K = 4, 8, 16\n\n    with compute:\n{body}        return out\n"


def in_blocks(schedule: Sequence[str] = ("pass",), memory: Sequence[str] = ("pass",)) -> str:
    lines = [
        "def f(x: f32[R, N], w: const[f32[N, K]]):",
        "    R, N, K = 4, 8, 16",
        "",
        "    with compute:",
        "        out[i, j]: f32[R, K] = sum(x[i, k] * w[k, j] for k in range(N))",
        "        return out",
        "",
        '    with schedule("llvm"):',
        *(f"        {line}" for line in schedule),
        "",
        '    with memory("llvm"):',
        *(f"        {line}" for line in memory),
    ]
    return "\n".join(lines) + "\n"


def refusal(text: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        parse(text)
    return caught.value


def transcript(texts: Sequence[str]) -> str:
    """Show texts and what is said of them, without the lines that all share."""
    shared = {"    R, N, K = 4, 8, 16", "    with compute:", "        return out", SIGNATURE.rstrip(), ""}
    parts = []
    for text in texts:
        shown = "\n".join(line for line in text.split("\n") if line not in shared)
        # the words of Python's own parser change with its version
        told = re.sub(r"(not Python): [^\n]*", r"\1: ...", str(refusal(text)))
        parts.append(f"{shown}\n--- is told:\n{told}")
    return ("\n\n" + "=" * 80 + "\n\n").join(parts)


# The mistakes of part D that the reader answers: code, what the message holds, what the hint is.

D_MISTAKES = [
    (
        in_compute("out[i, j]: f32[R, N] = x[i, j] / sum(x[i, k] for k in range(N))"),
        "C14",
        "sum(… for …) must be the whole right side of a stage",
        "out_sum[i]: f32[R] = sum(x[i, k] for k in range(N))\nout[i, j]: f32[R, N] = x[i, j] / out_sum[i]",
    ),
    (
        in_compute("out[i, j]: f32[R, K] = x[i, 0] + b"),
        "C12",
        "b has 1 axis, 0 indices: every read indexes every axis",
        "out[i, j]: f32[R, K] = x[i, 0] + b[j]",
    ),
    (in_compute("out[i]: f32[R] = x[i, :]"), "C13", "a slice is not in the language", None),
    (
        in_compute("out[i, j]: f32[R, K] = x @ w"),
        "C15",
        "@ is not in the language",
        "out[i, j]: f32[R, K] = sum(x[i, k] * w[k, j] for k in range(N))",
    ),
    (
        in_compute("for k in range(N):", "    out[i, j] += x[i, k] * w[k, j]"),
        "C04",
        "a stage is defined once, by name[axes]: type[shape] = value; += is not in the language",
        "out[i, j]: f32[R, K] = sum(x[i, k] * w[k, j] for k in range(N))",
    ),
    (
        in_compute("out[i, j]: f32[R, N] = relu(x[i, j])"),
        "C15",
        "no function relu",
        "out[i, j]: f32[R, N] = max(x[i, j], 0.0)",
    ),
    (
        in_compute("out[i, j]: f32[R, N] = np.exp(x[i, j])"),
        "C15",
        "exp is no part of a module",
        "out[i, j]: f32[R, N] = exp(x[i, j])",
    ),
    (
        in_compute('out[i, j]: f32[R, N] = max(x[i, j], float("-inf"))'),
        "C15",
        "no function float: infinity is inf",
        "out[i, j]: f32[R, N] = max(x[i, j], -inf)",
    ),
    (
        in_compute("out[i, j]: f32[R, N] = q[i, j].astype(f32)"),
        "C15",
        "no function astype: the type is the function",
        "out[i, j]: f32[R, N] = f32(q[i, j])",
    ),
    (
        in_compute("out[i, j]: f32[R, N] = x[i, j] / x.shape[1]"),
        "C15",
        "a shape is not read: sizes are constants",
        "out[i, j]: f32[R, N] = x[i, j] / N",
    ),
    (
        in_compute("out[i, j]: f32[R, N] = where(x[i, j] > 0.0, x[i, j], 0.1) + 1.0"),
        "C15",
        "no function where",
        "out[i, j]: f32[R, N] = (x[i, j] if x[i, j] > 0.0 else 0.1) + 1.0",
    ),
    (
        in_compute("out[i]: f32[R] = sum(x[i, k] for k in range(i + 1))"),
        "C11",
        "range bounds are constants",
        "out[i]: f32[R] = sum(x[i, k] for k in range(N) if k <= i)",
    ),
    (
        in_blocks(["reorder(out.i, out.j)"]),
        "P05",
        "reorder is not a directive: order(l1, l2, …), outermost first",
        "order(out.i, out.j)",
    ),
    (
        in_blocks(["vectorize(out.j, 8)"]),
        "S01",
        "vectorize takes loops",
        "jo, ji = split(out.j, 8)\nvectorize(ji)",
    ),
    (
        in_blocks(["compute_at(s, out, i)"]),
        "S01",
        "compute_at takes a stage, and a loop",
        "compute_at(s, out.i)",
    ),
    (
        in_blocks(['bind(out.i, "block.x")']),
        "S01",
        "loops are bound to blockIdx.x",
        'bind(out.i, "blockIdx.x")',
    ),
    (
        in_blocks(["a, c = split(out.i, factors=[None, 8])"]),
        "S01",
        "split takes the sizes of the inner loops",
        "a, c = split(out.i, 8)",
    ),
    (
        in_blocks(["tile(out.i, out.j, 4, 4)"]),
        "P05",
        "tile is not a directive: split twice, then order",
        None,
    ),
    (
        in_blocks(memory=['cache_read(x, "shared")']),
        "P05",
        'cache_read is not a directive: cache(t, "shared", at=l)',
        None,
    ),
    (
        in_blocks(memory=['layout(w, "k c -> k/16 c")']),
        "M02",
        "k is not covered once: k/16 is there, k%16 is missing",
        '"k c -> k/16 c k%16"',
    ),
    (in_blocks(memory=['layout(w, "n (k 16) -> n k")']), "M02", "neither brackets nor commas", None),
    (
        in_compute("out[b, j]: f32[R, N] = x[b, j]"),
        "C05",
        "b is a tensor already",
        "rename the axis, for example n",
    ),
    (
        SIGNATURE + "    R, N, K = 4, 8, 16\n    with compute:\n        o[i]: f32[R] = x[i, 0]\n",
        "C01",
        "ends with return",
        "return o",
    ),
    (in_compute("max: f32 = 0.0", "out: f32 = 0.0"), "C05", "max is a word of the language", "max_"),
    (in_compute("out, m = x[0, 0], 1.0"), "C04", "several names are several stages, in one for", None),
]


@pytest.mark.parametrize(("text", "code", "message", "hint"), D_MISTAKES)
def test_a_likely_mistake_is_answered_with_the_line_that_was_meant(
    text: str, code: str, message: str, hint: str | None
) -> None:
    found = refusal(text).diagnostics
    assert len(found) == 1, "a cause is reported without its consequences"
    assert found[0].code == code
    assert message in found[0].message
    assert found[0].hint == hint


def test_the_refusal_of_the_specification_is_shown_word_for_word() -> None:
    text = (
        "def softmax(x: f32[R, N]):\n"
        '    """Softmax of rows."""\n'
        "    R, N = 64, 1000\n\n"
        "    with compute:\n"
        "        top[i]: f32[R] = max(x[i, k] for k in range(N))\n"
        "        ex[i, j]: f32[R, N] = exp(x[i, j] - top[i])\n"
        "        out[i, j]: f32[R, N] = ex[i, j] / sum(ex[i, k] for k in range(N))\n"
        "        return out\n"
    )
    caught = refusal(text)
    assert caught.diagnostics[0].render(text, "softmax.kir") == (
        "softmax.kir:8:43: error[C14]: compute: sum(… for …) must be the whole right side of a stage\n"
        "        out[i, j]: f32[R, N] = ex[i, j] / sum(ex[i, k] for k in range(N))\n"
        "                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  hint: out_sum[i]: f32[R] = sum(ex[i, k] for k in range(N))\n"
        "        out[i, j]: f32[R, N] = ex[i, j] / out_sum[i]"
    )


WRONG = Path(__file__).parent / "wrong"
TOPICS = {path.stem: path.read_text().split("=" * 80 + "\n") for path in sorted(WRONG.glob("*.txt"))}
"""Wrong texts by topic; many hold several mistakes."""

UNPRINTABLE = [
    "",
    'def f(x: f32[4]):\n    """Gr\u00fcezi."""\n    pass\n',
    "def f(x: f32[4]):\n\x0c    pass\n",
    "def f(x: f32[4]):\n    pass\x00\n",
    "def f(x: f32[4]):\n    pass  # \ud800\n",
]


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_said_of(topic: str, golden: Golden) -> None:
    golden(transcript(TOPICS[topic]))


def test_texts_that_cannot_be_read_are_refused() -> None:
    assert [refusal(text).diagnostics[0].code for text in UNPRINTABLE] == ["P02"] * len(UNPRINTABLE)
    assert refusal(f"def f(x: f32[4]):\n    N = {'9' * 5000}\n").diagnostics[0].code == "P07"
    table = in_compute(f"t: u8[5000] = [{', '.join(['1'] * 5000)}]", "out: f32 = 0.0")
    assert "t has 5,000 numbers, a table has at most 4,096" in str(refusal(table))


def test_every_code_that_the_reader_uses_is_a_code() -> None:
    folder = Path(__file__).parents[2] / "src" / "edgekernelbench" / "lang"
    used = {
        code for path in folder.rglob("*.py") for code in re.findall(r'"([PCTROSMLW]\d\d)"', path.read_text())
    }
    assert used <= set(CODES)
    missing = (
        {f"P0{n}" for n in range(1, 8)}
        | {f"C0{n}" for n in range(1, 9)}
        | {"C10", "C11", "C12", "C13", "C14"}
    )
    assert missing <= used


@pytest.mark.parametrize("word", [word for word, said in EXPRESSIONS.items() if "{" in said])
def test_a_spelling_of_a_library_is_answered_with_a_line_that_is_read(word: str) -> None:
    needed = 1 + max(int(at) for at in re.findall(r"{(\d)}", EXPRESSIONS[word]))
    args = ", ".join(["x[i, j]", "x[i, 0]", "x[0, j]"][:needed])
    found = refusal(in_compute(f"out[i, j]: f32[R, N] = lib.{word}({args}) + 1.0")).diagnostics
    assert [d.code for d in found] == ["C15"]
    assert found[0].hint is not None
    parse(in_compute(found[0].hint))


def test_there_are_at_least_thirty_spellings() -> None:
    assert len(EXPRESSIONS) >= 30


def test_causes_are_reported_without_what_follows_from_them() -> None:
    text = in_compute("t[i, j] = x[i, j] * NaN", "out[i, j]: f32[R, N] = t[i, j] + nope[i] + nope[j] + nope")
    found = refusal(text).diagnostics
    assert [d.code for d in found] == ["C04", "C08"]


def test_diagnostics_stand_in_the_order_of_the_text() -> None:
    found = refusal(TOPICS["blocks"][0]).diagnostics
    places = [(d.span.line, d.span.column) for d in found]
    assert places == sorted(places)


def test_a_survey_gives_the_compute_layer_of_a_text_whose_schedule_is_wrong() -> None:
    seen = survey(in_blocks(["tile(out.i)", "parallel(out.i)"]))
    assert [found.layer for found in seen.diagnostics] == [Layer.SCHEDULE]
    assert seen.kernel is not None
    assert len(seen.kernel.schedules[0].directives) == 1


def test_a_survey_gives_no_kernel_when_compute_is_wrong() -> None:
    seen = survey(in_compute("out[i]: f32[R] = y[i]"))
    assert seen.kernel is None
    assert [found.code for found in seen.diagnostics] == ["C08"]
    assert survey("nothing").kernel is None


def test_a_constant_is_no_tensor() -> None:
    found = refusal(in_compute("out[i]: f32[R] = N[i] + b[i]")).diagnostics
    assert [(d.code, d.message) for d in found] == [("C08", "N is a constant, not a tensor")]
