"""The canonical text, and that it reads back as what it was printed from."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.conftest import Golden
from tests.lang.trees import CONV2D, kernels

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Cast, Literal
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_expr, print_kernel

TEXTS = sorted((Path(__file__).parents[1] / "texts").glob("*.kir"))


def read_text(path: Path) -> Kernel:
    return parse(path.read_text(), CONV2D if path.stem == "conv2d" else None)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_text_of_the_specification_is_printed_canonically(path: Path, golden: Golden) -> None:
    golden(print_kernel(read_text(path)).rstrip("\n"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_canonical_text_reads_back_as_the_same_kernel_and_prints_alike(path: Path) -> None:
    kernel = read_text(path)
    text = print_kernel(kernel)
    assert parse(text) == kernel
    assert repr(parse(text)) == repr(kernel)
    assert print_kernel(parse(text)) == text


@given(kernels())
@settings(max_examples=60, deadline=None)
def test_every_kernel_reads_back_as_it_was(kernel: Kernel) -> None:
    text = print_kernel(kernel)
    assert parse(text) == kernel
    # equality takes 1, 1.0 and True for the same
    assert repr(parse(text)) == repr(kernel)


@pytest.mark.parametrize(
    "text",
    [
        "(a[i] + a[j]) * 2.0",
        "a[i] - (a[j] - 1.0)",
        "a[i] - a[j] - 1.0",
        "-a[i] ** 2",
        "(-a[i]) ** 2",
        "(a[i] ** 2) ** 3",
        "a[i] * -2.5",
        "a[i] - -2.5",
        "not i == 2 and (i < 1 or j < 2)",
        "not (i == 2 and i < 1)",
        "(i < j) == (j < 3)",
        "0 <= i < j != 3",
        "a[i] if i < 2 else a[j] if j < 2 else 0.0",
        "(a[i] if i < 2 else a[j]) if j < 2 else 0.0",
        "a[i if i < 2 else j]",
        "i >> 1 & 3 | j ^ 2 == ~i % 4",
        "max(a[i] if i < 2 else 0.0, -inf, 1e-05)",
        "sat_i8(round(a[i] / 0.1)) // 3",
        "1 << i + j",
        "(1 << i) + j",
        "i // 2 * 2",
        "i * (j // 2)",
        "--a[i]",
    ],
)
def test_brackets_stand_only_where_they_change_the_meaning(text: str) -> None:
    source = "def f(a: f32[4]):\n    with compute:\n        o[i, j]: f32[4, 4] = {}\n        return o\n"
    printed = print_kernel(parse(source.format(text)))
    assert printed == print_kernel(parse(printed))
    assert source.format(text) in printed.replace("\n\n", "\n")


def test_what_the_type_checker_inserted_is_not_printed() -> None:
    inner = Cast(to=DType.F32, operand=Literal(value=2), implicit=True)
    assert print_expr(Cast(to=DType.I32, operand=inner)) == "i32(2)"


def test_numbers_are_folded_and_constants_are_gone() -> None:
    text = (
        "def f(x: f32[N]):\n    N, K = 2 * 8, choose(4, 8)\n    with compute:\n"
        "        o[i]: f32[N] = x[i] * (N / K) + -pi + (1.5 - 1) * K\n        return o\n"
    )
    assert "o[i]: f32[16] = x[i] * 4.0 + -3.141592653589793 + 2.0" in print_kernel(parse(text))
