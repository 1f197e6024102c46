"""A kernel is found in what models really write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.support import KERNEL

from edgekernelbench.agents.extract import extract_kernel

OTHER = KERNEL.replace("double", "other")


@pytest.mark.parametrize(
    "answer",
    [
        KERNEL,
        KERNEL.rstrip(),
        f"```python\n{KERNEL}```",
        f"```\n{KERNEL}```\n",
        f"```kir\n{KERNEL}\n```",
        f"~~~python\n{KERNEL}~~~",
        f"Sure! Here it is.\n\n```python\n{KERNEL}```\n\nIt doubles. I hope that helps.",
        f"Here it is:\n\n{KERNEL}\nIt doubles every element.",
        f"```python\n{KERNEL}",
        "1. The kernel:\n   ```python\n" + "".join(f"   {line}\n" for line in KERNEL.splitlines()) + "   ```",
        f"```python\nimport torch\n\n{KERNEL}\nprint(double)\n```",
        f"```python\n{KERNEL}```\n\n```text\nout = 2 * x\n```",
        KERNEL.replace("\n", "\r\n"),
        f"````markdown\n{KERNEL}````",
    ],
)
def test_the_kernel_is_what_is_left(answer: str) -> None:
    assert extract_kernel(answer) == KERNEL


def test_the_last_block_with_a_function_counts() -> None:
    answer = f"First try:\n```python\n{OTHER}```\nThat is wrong. Better:\n```python\n{KERNEL}```"
    assert extract_kernel(answer) == KERNEL


def test_the_last_function_of_a_block_counts() -> None:
    assert extract_kernel(f"```python\n{OTHER}\n\n{KERNEL}```") == KERNEL


def test_a_fenced_kernel_goes_before_a_loose_one() -> None:
    assert extract_kernel(f"```python\n{KERNEL}```\n{OTHER}") == KERNEL


def test_a_signature_over_several_lines_is_whole() -> None:
    kernel = "def f(\n    x: f32[8],\n):\n    with compute:\n        y: f32 = x[0]\n        return y\n"
    assert extract_kernel(f"{kernel}done") == kernel


def test_half_a_bracket_in_a_docstring_does_no_harm() -> None:
    kernel = KERNEL.replace("Twice.", "Values in [0, 1), doubled (")
    assert extract_kernel(f"{kernel}\nThat is all.") == kernel


@pytest.mark.parametrize(
    "answer",
    ["", "I cannot do that.", "```python\nx = 1\n```", "    def indented(x):\n", "definitely not", "```"],
)
def test_an_answer_without_a_kernel_has_none(answer: str) -> None:
    assert extract_kernel(answer) is None


@given(
    st.lists(st.sampled_from(["```", "```python", "def f(x: f32):", "    return x", "text", "", ")", "~~~"]))
)
def test_whatever_is_answered_the_result_is_one_function_or_none(lines: list[str]) -> None:
    found = extract_kernel("\n".join(lines))
    if found is not None:
        assert found.startswith("def ")
        assert found.endswith("\n")
        assert extract_kernel(found) == found
