"""All layers of a text are looked at in one pass, causes without what follows from them."""

from edgekernelbench.base.diagnostics import Severity
from edgekernelbench.nest.survey import Found, survey_text
from edgekernelbench.profiles.profile import load_profile

COMPUTE = """def f(x: f32[4, 8], q: i8[4, 8], w: const[f32[8, 16]]):
    with compute:
        acc[i, j]: f32[4, 16] = sum(x[i, k] * w[k, j] for k in range(8))
        out[i, j]: f32[4, 16] = {value}
        return out
"""
STEPS = """def f(x: f32[8, 8]):
    with compute:
        for t in range(8):
            {}
        return y
"""
RIGHT, OUT_OF_RANGE, MIXED, UNKNOWN = "acc[i, j]", "acc[i, j + 1]", "acc[i, j] * q[i, j % 8]", "acc[i, z]"


def look(value: str, schedule: tuple[str, ...] = (), memory: tuple[str, ...] = ()) -> Found:
    text = COMPUTE.format(value=value)
    for word, lines in (("schedule", schedule), ("memory", memory)):
        if lines:
            text += f'    with {word}("llvm"):\n' + "".join(f"        {line}\n" for line in lines)
    return survey_text(text, load_profile("llvm"))


def codes(found: Found) -> list[str]:
    return [d.code for d in found.diagnostics if d.severity is Severity.ERROR]


def test_a_right_text_gives_its_nest() -> None:
    found = look(RIGHT, ("vectorize(out.j)",), ('layout(w, "k j -> j k")',))
    assert codes(found) == []
    assert found.nest is not None
    assert found.facts is not None


def test_a_wrong_value_hides_no_wrong_name_in_the_other_layers() -> None:
    for value, code in ((OUT_OF_RANGE, "R01"), (MIXED, "T03")):
        found = look(value, ("vectorize(out.q)",), ('layout(v, "a b -> b a")', 'place(acc, "near")'))
        assert codes(found) == [code, "S04", "M01", "M04"]
        assert found.nest is None


def test_what_the_reader_refuses_hides_no_wrong_name() -> None:
    assert codes(look(RIGHT, ("reorder(out.i)", "unroll(gone.i)"), ('cache(v, "local", at=out.i)',))) == [
        "P05", "S02", "M01",
    ]  # fmt: skip


def test_names_that_a_refused_line_would_have_made_are_not_missed() -> None:
    lines = ("o, n = tile(out.j, 8)", "parallel(o)", "p = blockize(acc.k)", "compute_at(p, o)", "unroll(p.k)")
    assert codes(look(RIGHT, lines, ('cache(w, "local", at=n)', 'place(p, "local")'))) == ["P05", "P05"]


def test_names_are_not_looked_up_where_it_is_not_known_which_there_are() -> None:
    assert codes(look(UNKNOWN, ("vectorize(out.q)",))) == ["C08"]


def test_a_stage_without_an_axis_of_its_for_is_refused_for_that() -> None:
    assert codes(survey_text(STEPS.format("y[i]: f32[8] = x[i, t]"), load_profile("llvm"))) == ["O02"]


def test_a_warning_stays_beside_an_accepted_text() -> None:
    found = survey_text(STEPS.format("y[t]: f32[8] = x[0, t]"), load_profile("llvm"))
    assert [d.code for d in found.diagnostics] == ["W01"]
    assert found.nest is not None


def test_a_pattern_says_what_it_leaves_open() -> None:
    text = COMPUTE.format(value=RIGHT).replace("4", "R")
    assert survey_text(text, load_profile("llvm")).open == ("R",)
    assert survey_text(text, load_profile("llvm"), {"R": 2}).nest is not None
