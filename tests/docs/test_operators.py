"""The page of operator sets names patterns that exist, and every entry says how it is met."""

import re

from tests.docs.pages import DOCS

from edgekernelbench.workloads.catalogue import load_catalogue

PAGE = (DOCS / "explanation" / "operators.md").read_text(encoding="utf-8")
PATTERNS = {pattern.id for pattern in load_catalogue().patterns}
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and " | how |" not in line
]
CATEGORIES = {
    "unary": 11, "binary": 7, "trigonometry": 12, "activation": 8, "normalization": 3, "convolution": 2,
    "matrix": 4, "pooling": 4, "reduction": 10, "tensor": 18, "logic": 11, "others": 4,
}  # fmt: skip


def test_every_pattern_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`(\w+/\w+)`", PAGE))

    assert named - PATTERNS == set()
    assert len(named) > 100


def test_every_operator_of_the_other_benchmark_stands_once() -> None:
    operators = [row[1] for row in ROWS if len(row) == 4]

    assert len(operators) == len(set(operators)) == sum(CATEGORIES.values())
    assert {kind: sum(row[0] == kind for row in ROWS) for kind in CATEGORIES} == CATEGORIES


def test_what_is_met_names_a_pattern_and_what_is_missing_a_reason() -> None:
    for row in ROWS:
        how, place = row[-2:]
        assert how in ("named", "inside", "missing"), row
        assert how == "missing" or "`" in place, row
        assert place, row
