"""Whoever types what the pages say sees what the pages say."""

from pathlib import Path

import pytest
from tests.docs.console import play
from tests.docs.pages import DOCS, ROOT

TUTORIAL = sorted((DOCS / "tutorial").glob("*.md"))
NEEDS = {
    "4-judge-it": [pytest.mark.needs_tvm],
    "5-let-an-agent-write-it": [pytest.mark.needs_tvm, pytest.mark.needs_model],
}
STEPS = [
    pytest.param(number, id=page.stem, marks=[pytest.mark.slow, *NEEDS.get(page.stem, [])])
    for number, page in enumerate(TUTORIAL)
]


@pytest.mark.parametrize("number", STEPS)
def test_a_page_of_the_tutorial_shows_what_happens(number: int, tmp_path: Path) -> None:
    complaints = play(TUTORIAL[number], tmp_path, tuple(TUTORIAL[:number]))

    assert not complaints, "\n".join(complaints)


OTHERS = [
    ROOT / "README.md",
    DOCS / "index.md",
    DOCS / "explanation" / "nest.md",
    DOCS / "explanation" / "static-feedback.md",
]
GUIDES = [pytest.param(page, marks=pytest.mark.needs_tvm) for page in sorted((DOCS / "guides").glob("*.md"))]


@pytest.mark.slow
@pytest.mark.parametrize("page", [*OTHERS, *GUIDES], ids=lambda page: page.stem)
def test_another_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    complaints = play(page, tmp_path)

    assert not complaints, "\n".join(complaints)


def test_there_are_five_pages_and_each_has_a_kernel_to_repair() -> None:
    assert len(TUTORIAL) == 5
    for page in TUTORIAL:
        text = page.read_text(encoding="utf-8")
        assert "error[" in text or "wrong:" in text, page.name
