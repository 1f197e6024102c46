"""What the verifier proves of correct texts, and what it says of others."""

from time import process_time

import pytest
from tests.conftest import Golden
from tests.verify.support import diagnose, rendered, said, text, texts, verify

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.verify.compute import verify_compute

THIRTY = dict(texts())


@pytest.mark.parametrize("kernel", THIRTY.values(), ids=THIRTY.keys())
def test_the_texts_verify_without_a_word(kernel: Kernel) -> None:
    assert verify_compute(kernel).diagnostics == ()


X = "x: f32[8, 16]"
V = "v: f32[16]"
INTS = "v: f32[16], i: i32[16], q: u8[16], f: bool[16], h: f16[16], u: u32[16]"

FAULTY = {
    "returned twice": ("C02", V, "out[n]: f32[16] = v[n]", "out, out"),
    "axis beside a tensor": ("C05", V, "out[v]: f32[16] = 0.0", "out"),
    "defined twice": ("C05", V, "out[n]: f32[16] = v[n]\nout[n]: f32[16] = 0.0", "out"),
    "a table that is too short": ("C06", V, "t: f32[3] = [1, 2]\nout[n]: f32[3] = t[n]", "out"),
    "a table of other numbers": ("C06", V, "t: i8[2] = [1, 300]\nout[n]: i8[2] = t[n]", "out"),
    "axes and sizes differ": ("C07", V, "out[n, m]: f32[16] = v[n]", "out"),
    "dead": ("C16", V, "a[n]: f32[16] = v[n]\nout[n]: f32[16] = v[n]", "out"),
    "dead chain": ("C16", V, "a[n]: f32[16] = v[n]\nb[n]: f32[16] = a[n]\nout[n]: f32[16] = v[n]", "out"),
    "narrowed": ("T01", INTS, "out[n]: i8[16] = i[n]", "out"),
    "float as integer": ("T01", INTS, "out[n]: i32[16] = v[n]", "out"),
    "integer as float": ("T01", INTS, "out[n]: f32[16] = i[n]", "out"),
    "f32 as f16": ("T01", INTS, "out[n]: f16[16] = v[n]", "out"),
    "number as truth": ("T01", INTS, "out[n]: bool[16] = 1", "out"),
    "truth as number": ("T01", INTS, "out[n]: i32[16] = f[n]", "out"),
    "float beside an integer": ("T02", INTS, "out[n]: i32[16] = i[n] * 0.5", "out"),
    "number too wide for its stage": ("T02", INTS, "out[n]: i8[16] = 200", "out"),
    "float in an integer stage": ("T02", INTS, "out[n]: i8[16] = 0.5", "out"),
    "number too wide for i32": ("T02", INTS, "out[n]: i32[16] = i[n] + 3000000000", "out"),
    "negative beside u32": ("T02", INTS, "out[n]: u32[16] = max(u[n], -1)", "out"),
    "float with integer": ("T03", INTS, "out[n]: f32[16] = v[n] * q[n]", "out"),
    "i32 with u32": ("T03", INTS, "out[n]: i64[16] = i[n] + u[n]", "out"),
    "truth with a number": ("T03", INTS, "out[n]: bool[16] = f[n] if n > 3 else 0", "out"),
    "number as condition": ("T04", INTS, "out[n]: f32[16] = v[n] if i[n] else 0.0", "out"),
    "number negated as truth": ("T04", INTS, "out[n]: bool[16] = not i[n]", "out"),
    "number in and": ("T04", INTS, "out[n]: bool[16] = f[n] and i[n]", "out"),
    "number as filter": ("T04", INTS, "out: f32 = sum(v[n] for n in range(16) if i[n])", "out"),
    "truth in arithmetic": ("T04", INTS, "out[n]: i32[16] = f[n] + 1", "out"),
    "float as index": ("T05", INTS, "out[n]: f32[16] = v[v[n]]", "out"),
    "truth as index": ("T05", INTS, "out[n]: f32[16] = v[f[n]]", "out"),
    "division of integers": ("T06", INTS, "out[n]: i32[16] = i[n] / 2", "out"),
    "floored division of floats": ("T06", INTS, "out[n]: f32[16] = v[n] // 2.0", "out"),
    "bits of floats": ("T06", INTS, "out[n]: f32[16] = v[n] & v[n]", "out"),
    "bits of truth values": ("T06", INTS, "out[n]: bool[16] = f[n] & f[n]", "out"),
    "order of truth values": ("T06", INTS, "out[n]: bool[16] = f[n] < f[n]", "out"),
    "a function of integers": ("T06", INTS, "out[n]: f32[16] = sqrt(i[n])", "out"),
    "bits of f16 as 32": ("T06", INTS, "out[n]: i32[16] = as_i32(h[n])", "out"),
    "bits counted in a float": ("T06", INTS, "out[n]: i32[16] = popcount(v[n])", "out"),
    "cast to truth": ("T07", INTS, "out[n]: bool[16] = bool(i[n])", "out"),
    "any of numbers": ("T08", INTS, "out: bool = any(i[n] for n in range(16))", "out"),
    "any as a number": ("T08", INTS, "out: i32 = any(f[n] for n in range(16))", "out"),
    "sum of truth values": ("T08", INTS, "out: i32 = sum(f[n] for n in range(16))", "out"),
    "place in i64": ("T08", INTS, "out: i64 = argmax(v[n] for n in range(16))", "out"),
    "sum as truth": ("T08", INTS, "out: bool = sum(i[n] for n in range(16))", "out"),
    "before the start": ("R01", V, "out[n]: f32[16] = v[n - 1]", "out"),
    "past the end": ("R01", V, "out[n]: f32[16] = v[n + 1]", "out"),
    "by data": ("R01", INTS, "out[n]: f32[16] = v[i[n]]", "out"),
    "from a float": ("R01", INTS, "out[n]: f32[16] = v[i32(floor(v[n]))]", "out"),
    "guard on the wrong side": ("R01", V, "out[n]: f32[16] = 0.0 if n > 0 else v[n - 1]", "out"),
    "place of nothing": (
        "R01", INTS, "a: i32 = argmax(v[n] for n in range(16) if f[n])\nout: f32 = v[a]", "out",
    ),
    "divisor from data": ("R02", INTS, "out[n]: i32[16] = 8 // i[n]", "out"),
    "divisor from an axis": ("R02", INTS, "out[n]: i32[16] = 8 % n", "out"),
    "divisor that is zero": ("R02", INTS, "out[n]: i32[16] = n // 0", "out"),
    "axis of the for missing": ("O02", V, "for t in range(16):\n    out[n]: f32[16] = v[n]", "out"),
    "axis of another size": ("O03", V, "for t in range(15):\n    out[t]: f32[16] = v[t]", "out"),
    "itself without a for": ("O04", V, "out[n]: f32[16] = v[n] + (out[n - 1] if n > 0 else 0.0)", "out"),
    "a stage further down": ("O04", V, "out[n]: f32[16] = a[n]\na[n]: f32[16] = v[n]", "out"),
    "a later step": (
        "O05", V, "for t in range(16):\n    out[t]: f32[16] = out[t + 1] if t < 15 else v[t]", "out",
    ),
    "a step from data": (
        "O05", INTS, "for t in range(16):\n    out[t]: f32[16] = out[clamp(i[t], 0, 15)] + v[t]", "out",
    ),
    "itself at the same step": ("O06", V, "for t in range(16):\n    out[t]: f32[16] = v[t] + out[t]", "out"),
    "a stage below at the same step": (
        "O06",
        V,
        "for t in range(16):\n    a[t]: f32[16] = out[t]\n    out[t]: f32[16] = a[t - 1] if t > 0 else v[t]",
        "out",
    ),
    "sum of truth values in two": (
        "T08", INTS, "out: i32 = sum(f[n] for m in range(2) for n in range(16) if n > m)", "out",
    ),
    "a needless for": ("W01", V, "for t in range(16):\n    out[t]: f32[16] = v[t]", "out"),
    "rounded before the sum": ("W02", INTS, "out: f32 = sum(h[n] * h[n] for n in range(16))", "out"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "params", "body", "outputs"), FAULTY.values(), ids=FAULTY.keys())
def test_a_fault_gets_exactly_its_code(code: str, params: str, body: str, outputs: str) -> None:
    try:
        found = said(params, body, outputs)
    except SourceError as error:  # the language refuses some of these when it reads them
        found = error.diagnostics
    assert [diagnostic.code for diagnostic in found] == [code]


def test_faults_are_said_as_people_read_them(golden: Golden) -> None:
    shown = [
        f"# {name}\n{rendered(params, body)}\n"
        for name, (code, params, body, _) in FAULTY.items()
        if code[0] in "TROW"
    ]
    golden("\n".join(shown))


REPLACED = {
    name: row
    for name, row in FAULTY.items()
    if row[0] in ("T01", "T04", "T05", "T06", "T07", "R01", "R02")
    and name
    not in ("bits counted in a float", "bits of f16 as 32", "bits of floats", "order of truth values")
    and name not in ("by data", "divisor that is zero", "place of nothing")
}


@pytest.mark.parametrize(("code", "params", "body", "outputs"), REPLACED.values(), ids=REPLACED.keys())
def test_a_hint_makes_the_text_right(code: str, params: str, body: str, outputs: str) -> None:
    (found,) = said(params, body, outputs)
    assert found.hint is not None
    lines = text(params, body, outputs).split("\n")
    line, span = lines[found.span.line - 1], found.span
    if found.hint.startswith("(") or code == "R02":  # what is guarded stands in the message
        lines[span.line - 1] = line.replace(found.message.split(": ")[0], found.hint, 1)
    else:
        lines[span.line - 1] = line[: span.column - 1] + found.hint + line[span.end_column - 1 :]
    assert diagnose(parse("\n".join(lines))) == ()


MISTAKES = {
    "an unguarded neighbour": (
        "x: f32[2, 4800]",
        "for t in range(4800):\n    y[n, t]: f32[2, 4800] = x[n, t] + y[n, t - 1]",
        "R01: y[n, t - 1]: index 1 reaches -1..4798, the axis has 0..4799; indices do not wrap",
        "(y[n, t - 1] if t > 0 else 0.0)",
    ),
    "no padding": (
        "x: f32[56]",
        "y[i]: f32[58] = x[i - 1]",
        "R01: x[i - 1]: index 0 reaches -1..56, the axis has 0..55; indices do not wrap",
        "(x[i - 1] if 1 <= i <= 56 else 0.0)",
    ),
    "a for that only enumerates": (
        "x: f32[8]",
        "for i in range(8):\n    y[i]: f32[8] = x[i]",
        "W01: nothing reads an earlier i: the for is dropped",
        None,
    ),
    "mixed types": (
        "x: f32[8], q: i8[8]",
        "y[i]: f32[8] = x[i] * q[i]",
        "T03: f32 with i8: cast one of them",
        "f32(q[i])",
    ),
    "narrowed": (
        "acc: i32[8]",
        "y[i]: i8[8] = acc[i] >> 8",
        "T01: y is declared i8, its value is i32: i8(…) wraps, sat_i8(…) clamps",
        "sat_i8(acc[i] >> 8)",
    ),
    "self-reference without for": (
        "x: f32[4, 8]",
        "y[i, j]: f32[4, 8] = x[i, j] + (y[i, j - 1] if j > 0 else 0.0)",
        'O04: y reads itself: put it in "for j in range(8):"',
        "for j in range(8):",
    ),
    "backwards": (
        "x: f32[8]",
        "for t in range(8):\n    y[t]: f32[8] = y[t + 1] if t < 7 else x[t]",
        "O05: y[t + 1]: t + 1 is not proven earlier than t; run backwards with u = 7 - t",
        None,
    ),
    "an index from floats": (
        "x: f32[3, 60, 4], fy: f32[60]",
        "y[c, i, j]: f32[3, 60, 4] = x[c, i32(floor(fy[i])), j]",
        "R01: x[c, i32(floor(fy[i])), j]: i32(floor(fy[i])) is not bounded, the axis has 0..59",
        "clamp(i32(floor(fy[i])), 0, 59)",
    ),
    "an index from data": (
        "emb: f32[500, 8], ids: i32[6]",
        "y[t, d]: f32[6, 8] = emb[ids[t], d]",
        "R01: emb[ids[t], d]: ids[t] is not bounded, the axis has 0..499",
        "if the task gives ids in range(500), keep it in the signature; else clamp(ids[t], 0, 499)",
    ),
    "true division of integers": (
        "n: i32[8]", "y[i]: i32[8] = n[i] / 2", "T06: / is for floats, found i32: // floors", "n[i] // 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("params", "body", "message", "hint"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_likely_mistake_is_answered(params: str, body: str, message: str, hint: str | None) -> None:
    (found,) = said(params, body, "y")
    assert (f"{found.code}: {found.message}", found.hint) == (message, hint)


def test_everything_is_found_in_one_pass() -> None:
    body = """
a[n]: f32[16] = v[n - 1]
b[n]: i8[16] = i[n]
c[n]: f32[16] = v[n] * q[n] + v[v[n]]
out[n]: f32[16] = a[n] + f32(b[n]) + c[n] + v[n + 1]
"""
    assert [(d.code, d.span.line) for d in said(INTS, body)] == [
        ("R01", 3),
        ("T01", 4),
        ("T03", 5),
        ("T05", 5),
        ("R01", 6),
    ]


def test_a_refused_stage_does_not_accuse_its_readers() -> None:
    body = """
half[n]: i32[16] = i[n] / 2
a[n]: f32[16] = v[half[n]]
out[n]: f32[16] = a[n] / f32(8 // half[n])
"""
    assert [d.code for d in said(INTS, body)] == ["T06"]


def test_a_refused_stage_still_needs_what_it_reads() -> None:
    body = """
a[n]: bool[16] = f[n] and n > 3
b[n]: f32[16] = v[n] * 2.0
out: i32 = any(a[n] and b[n] > i[n] for n in range(16))
"""
    assert [d.code for d in said(INTS, body)] == ["T03"]


def test_what_is_never_evaluated_still_needs_its_for() -> None:
    facts = verify(V, "for t in range(16):\n    out[t]: f32[16] = v[t] + (out[t - 1] if t > 99 else 0.0)")
    assert facts.diagnostics == ()
    assert len(facts.groups) == 1


def test_what_is_never_evaluated_is_still_no_self_reference() -> None:
    found = said(V, "out[n]: f32[16] = v[n] + (out[n - 1] if n > 99 else 0.0)")
    assert [d.code for d in found] == ["O04"]


def test_a_warning_does_not_refuse() -> None:
    facts = verify(V, "for t in range(16):\n    out[t]: f32[16] = v[t]")
    assert [d.code for d in facts.diagnostics] == ["W01"]
    assert facts.groups == ()
    assert [type(item).__name__ for item in facts.kernel.compute.items] == ["Stage"]


def test_errors_and_warnings_come_in_source_order() -> None:
    found = said(INTS, "a: f32 = sum(h[n] * h[n] for n in range(16))\nout[n]: f32[16] = v[n + 1] + a")
    assert [d.code for d in found] == ["W02", "R01"]


def test_ranges_say_none_where_only_the_type_is_known() -> None:
    facts = verify(
        "i: i32[4], j: i32[4] in range(9), q: u8[4]", "out[n]: i32[4] = max(i[n], 0) + j[n] - q[n]"
    )
    assert (facts.ranges["i"].low, facts.ranges["i"].high) == (None, None)
    assert (facts.ranges["j"].low, facts.ranges["j"].high) == (0, 8)
    assert (facts.ranges["q"].low, facts.ranges["q"].high) == (0, 255)


def time_of(count: int) -> float:
    """Take the time of verifying a chain of stages; the least of three."""
    lines = ["s0[n, m]: f32[8, 16] = x[n, m]"]
    for k in range(1, count):
        value = f"s{k - 1}[n, m - 1] + s{k // 2}[n, m] if m > 0 else 0.0"
        lines.append(f"s{k}[n, m]: f32[8, 16] = {value}")
    kernel = parse(text(X, "\n".join(lines), f"s{count - 1}, s{count - 2}"))
    times = []
    for _ in range(3):
        start = process_time()
        diagnose(kernel)
        times.append(process_time() - start)
    return min(times)


def test_many_stages_take_time_in_proportion() -> None:
    assert time_of(256) < 24 * time_of(32)
