"""Generated pages say what the code says; `make golden` writes them anew."""

from collections.abc import Callable

import pytest
from tests.docs.generating.catalogue import catalogue_page
from tests.docs.generating.cli import cli_page
from tests.docs.generating.coverage import intensity_picture, types_picture
from tests.docs.generating.decisions import decisions_page
from tests.docs.generating.directives import directives_page
from tests.docs.generating.errors import errors_page
from tests.docs.generating.layers import layers_picture
from tests.docs.generating.profiles import profiles_page
from tests.docs.generating.records import records_page
from tests.docs.pages import DOCS

PAGES: dict[str, Callable[[], str]] = {
    "pictures/coverage-intensity.svg": intensity_picture,
    "pictures/coverage-types.svg": types_picture,
    "decisions/index.md": lambda: decisions_page(DOCS / "decisions"),
    "pictures/layers.svg": layers_picture,
    "reference/catalogue.md": catalogue_page,
    "reference/cli.md": cli_page,
    "reference/directives.md": directives_page,
    "reference/errors.md": errors_page,
    "reference/profiles.md": profiles_page,
    "reference/records.md": records_page,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    made = PAGES[name]()
    page = DOCS / name
    if request.config.getoption("--update-golden"):
        page.write_text(made, encoding="utf-8")
    assert page.is_file(), f"{name} is missing: run `make golden`"
    assert page.read_text(encoding="utf-8") == made, f"{name} is out of date: run `make golden`"
