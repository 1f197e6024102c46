"""Reading whole texts."""

from pathlib import Path

import pytest
from tests.lang.trees import CONV2D

from edgekernelbench.lang.parse import parse, read

TEXTS = sorted((Path(__file__).parents[1] / "texts").glob("*.kir"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_text_of_the_specification_is_read(path: Path) -> None:
    text = read(path.read_text())
    kernel = text.bind(CONV2D if text.free else None)
    assert kernel.name == path.stem


def test_sizes_win_over_the_constants_of_a_text() -> None:
    source = (TEXTS[0].parent / "gemv_i4.kir").read_text()
    kernel = parse(source, {"K": 64, "N": 8})
    assert kernel.params[2].shape == (8, 2)
