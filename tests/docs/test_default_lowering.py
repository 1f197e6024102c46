"""The numbers on the page of the default lowering are those of its rules."""

import pytest
from tests.docs.pages import DOCS

from edgekernelbench.lowering import access, emit, fields, nests, roots, survey, tile, vectors

PAGE = (DOCS / "explanation" / "default-lowering.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "said",
    [
        f"more than {survey.LARGEST_PRECOMPUTED:,} elements",
        f"at most {survey.CHEAP} operations, repeated at most {survey.REPEATS:.0f} times",
        f"beyond {survey.LARGEST_EXPRESSION} nodes",
        f"at least {nests.ROWS_PER_THREAD} rows",
        f"more than {nests.DEARER} times as dear",
        f"{tile.PORTS} vector operations and {tile.PORTS} loads a cycle",
        f"a latency of {tile.LATENCY} cycles",
        f"of which {tile.SPARE_REGISTERS} are left",
        f"four from {emit.LONG_REDUCTION} terms on",
        f"{roots.TASKS_PER_THREAD} iterations for each thread",
        f"less than {emit.PARALLEL_WORK:,} operations",
        f"no more than {tile.PORTS * tile.LATENCY} accumulators",
        f"at {tile.BANDWIDTH} bytes a cycle, and {tile.SCATTERED} times as much",
        f"A gather counts as {tile.GATHER} loads",
        f"split by the divisor, up to {access.LONGEST_STRIDE}",
        f"read at least {fields.OFTEN} times an element",
        f"at least {vectors.WORTH} operations an element",
    ],
)
def test_the_page_has_the_numbers_of_the_rules(said: str) -> None:
    assert said in PAGE


def test_eight_sums_are_finished_together() -> None:
    assert emit.BATCH == 8
    assert "Eight neighbouring sums" in PAGE
