"""The pages of `ekb explain`: every code has one, and its two texts are what they say."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.conftest import Golden

from edgekernelbench.base.codes import CODES
from edgekernelbench.base.errors import SourceError
from edgekernelbench.cli.pages import Page, load_pages, page_as_lines
from edgekernelbench.compiler.control.build import build_runner
from edgekernelbench.compiler.control.prototype import write_prototype
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

PAGES = list(load_pages().values())
OF_A_TASK = {"C09"}
"""Refused only for a task: the text is legal in itself."""


PLAIN = write_prototype((Param("x", DType.F32, (64,)),), ((DType.F32, (64,)),))


def codes_of(text: str) -> list[str]:
    """All that is said of a text, refusals and warnings."""
    if "void kernel(" in text:
        return _codes_of_c(text)
    target = "cuda" if '"cuda"' in text else "llvm"
    try:
        facts = verify_compute(parse(text))
        build_nest(facts, target, load_profile("cuda-sm87" if target == "cuda" else "llvm"))
    except SourceError as error:
        return [d.code for d in error.diagnostics]
    return [d.code for d in facts.diagnostics]


def _codes_of_c(text: str) -> list[str]:
    with TemporaryDirectory() as folder:
        try:
            build_runner(text, PLAIN, Path(folder))
        except SourceError as error:
            return [d.code for d in error.diagnostics]
    return []


def test_every_code_has_a_page() -> None:
    assert list(load_pages()) == list(CODES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_wrong_text_has_the_code_and_no_other(page: Page) -> None:
    expected = set() if page.code in OF_A_TASK else {page.code}
    assert set(codes_of(page.wrong)) == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_right_text_is_accepted_without_a_word(page: Page) -> None:
    assert codes_of(page.right) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_a_page_fits_a_screen(page: Page) -> None:
    lines = page_as_lines(page)
    assert len(lines) <= 45
    assert all(len(line) <= 130 for line in lines)


def test_a_page_is_golden(golden: Golden) -> None:
    golden("\n".join(page_as_lines(load_pages()["C14"])))


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_sentences_are_broken_once_and_only_where_the_next_word_has_no_room(page: Page, width: int) -> None:
    lines = page_as_lines(page, width)
    start = lines.index("") + 1
    paragraph = lines[start : lines.index("", start)]
    assert " ".join(paragraph) == " ".join(page.text.split())
    for line, following in pairwise(paragraph):
        assert len(line) + 1 + len(following.split()[0]) > width
