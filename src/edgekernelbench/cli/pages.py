"""One short page for each code: what it means, a text that has it, one that has not."""

import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from edgekernelbench.base.codes import CODES
from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.reports.text import WIDTH, wrapped

PAGES = files(__package__) / "data" / "errors.toml"


@dataclass(frozen=True, slots=True)
class Page:
    """What is said of one code.

    Attributes:
        code: Such as `C14`.
        meaning: One line.
        text: Why the rule is there and what to do.
        wrong: A whole text that is refused with the code.
        right: The same, corrected.
    """

    code: str
    meaning: str
    text: str
    wrong: str
    right: str


def all_codes() -> Mapping[str, str]:
    """Give the meaning of every code, in the order of the language reference."""
    return CODES


@cache
def load_pages() -> Mapping[str, Page]:
    """Read all pages."""
    rows = tomllib.loads(PAGES.read_text(encoding="utf-8"))
    return {
        code: Page(code, CODES[code], row["text"].strip(), row["wrong"].strip("\n"), row["right"].strip("\n"))
        for code, row in rows.items()
    }


def find_page(code: str) -> Page:
    """Find the page of a code, in any case, with or without the brackets.

    Raises:
        CatalogueError: When there is no such code, with the nearest.
    """
    wanted = code.strip("[] ").upper()
    pages = load_pages()
    if wanted in pages:
        return pages[wanted]
    close = nearest(wanted, pages)
    guess = f"did you mean {close}?" if close else "`ekb explain` lists them"
    raise CatalogueError(f"no code {code!r}; {guess}")


def page_as_lines(page: Page, width: int = WIDTH) -> list[str]:
    """Write a page for a person.

    Args:
        page: The page.
        width: The most characters of a line of the sentences; kernel texts stay as they are.
    """
    return [
        *wrapped(f"{page.code}: {page.meaning}", width),
        "",
        *textwrap.wrap(" ".join(page.text.split()), width, break_on_hyphens=False, break_long_words=False),
        "",
        "refused:",
        "",
        *(f"    {line}" for line in page.wrong.splitlines()),
        "",
        "accepted:",
        "",
        *(f"    {line}" for line in page.right.splitlines()),
    ]
