"""New names in programs and in prose."""

from edgekernelbench.lang.parse import parse
from edgekernelbench.workloads.stream import Stream
from edgekernelbench.workloads.wording import draw_names, reword_program, reword_prose, words_of

PROGRAM = '''\
"""Rows of x times scale."""

import torch


def rows(x, scale, *, N):
    """Multiply x."""
    y = x * scale.view(1, N)  # not the x of an axis
    return torch.nn.functional.interpolate(y.scale(x), scale=2, size=(x.x, scale))
'''


def test_parameters_are_renamed_where_they_are_names() -> None:
    made = reword_program(PROGRAM, {"rows": "fobi", "x": "dule", "scale": "mapo"})

    assert "def fobi(dule, mapo, *, N):" in made
    assert "y = dule * mapo.view(1, N)  # not the x of an axis" in made
    assert "interpolate(y.scale(dule), scale=2, size=(dule.x, mapo))" in made
    assert made.startswith('"""Rows of x times scale."""')


def test_the_words_of_a_program_are_its_names() -> None:
    assert {"torch", "view", "rows", "N"} <= words_of(PROGRAM)
    assert "Multiply" not in words_of(PROGRAM)


def test_prose_keeps_articles_and_renames_what_has_a_verb() -> None:
    said = "a sum of rows, a product: a is R by K, x's rows and x are f32; max-x is none."
    made = reword_prose(said, {"a": "bodo", "x": "nime"})

    assert made == "a sum of rows, a product: bodo is R by K, x's rows and nime are f32; max-x is none."


def test_names_are_the_same_for_a_seed_and_collide_with_nothing() -> None:
    kernel = parse(
        "def f(x: f32[4]):\n    with compute:\n        y[i]: f32[4] = x[i] * 2.0\n        return y\n"
    )
    names = draw_names(kernel, {"bada"}, Stream(5))

    assert names == draw_names(kernel, {"bada"}, Stream(5))
    assert names.keys() == {"f", "x", "y", "i"}
    assert len(set(names.values())) == 4
    assert names != draw_names(kernel, {"bada"}, Stream(6))
