"""Texts that attack whoever looks at them are shown, and do nothing."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.reports.page.browser import opened
from tests.reports.page.hostile import OUTCOMES, make_hostile_run

from edgekernelbench.reports.page.document import SCRIPTS
from edgekernelbench.reports.page.watch import make_page

DATA = Path(__file__).parents[3] / "src" / "edgekernelbench" / "reports" / "page" / "data"
SHAPELESS = re.compile("[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029\x00-\x08\x0b-\x1f\x7f]")
PARSERS = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "Function(",
    "srcdoc",
    "DOMParser",
)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    file = root / "page.html"
    make_page([make_hostile_run(root / "run")], file)
    return file


def test_no_text_of_a_record_ends_its_element_or_turns_the_writing(page_file: Path) -> None:
    html = page_file.read_text(encoding="utf-8")
    own = html[html.index("</style>") : html.index("<script>")]
    assert own.count("</script>") == own.count("<script type=")
    assert "window.hacked=1>" not in own
    assert not SHAPELESS.search(own)


def test_no_path_is_read_from_beside_the_run(page_file: Path) -> None:
    html = page_file.read_text(encoding="utf-8")
    assert f'id="walk-0-{len(OUTCOMES)}"' in html
    assert f'id="walk-0-{len(OUTCOMES) + 1}"' not in html


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_of_the_page_parses_markup(name: str) -> None:
    text = (DATA / name).read_text(encoding="utf-8")
    assert [word for word in PARSERS if word in text] == []


@pytest.mark.parametrize("at", range(len(OUTCOMES)), ids=[outcome.kind for outcome in OUTCOMES])
def test_an_attack_is_shown_as_text(browser: Browser, page_file: Path, at: int) -> None:
    with opened(browser, page_file) as seen:
        seen.ask("() => dispatchEvent(new Event('beforeprint'))")
        shown = seen.text("body")
        seen.page.goto(f"{page_file.as_uri()}#/attempt/0/{at}")
        expect(seen.page.locator("#opened .verdict")).to_be_visible()
        shown += seen.text("body") + seen.ask("() => document.querySelector('#main').textContent")
        assert "<img src=x onerror=window.hacked=1>" in shown
        assert "⟨U+001B⟩[2J" in shown
        assert "⟨U+202E⟩" in shown
        assert not SHAPELESS.search(shown)
        assert seen.ask("() => window.hacked") is None
        assert seen.ask("() => document.querySelectorAll('img, iframe').length") == 0
        assert seen.fetched == [page_file.as_uri()]
        assert seen.errors == []


def test_an_attack_on_the_walker_is_shown_as_text(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, fragment=f"#/walk/0/{len(OUTCOMES)}/2") as seen:
        expect(seen.page.locator("#opened .step")).to_be_visible()
        shown = seen.text("body") + seen.ask("() => document.querySelector('#main').textContent")
        assert "<img src=x onerror=window.hacked=1>" in shown
        assert not SHAPELESS.search(shown)
        assert seen.ask("() => window.hacked") is None
        assert seen.ask("() => document.querySelectorAll('img, iframe').length") == 0
        assert seen.errors == []
