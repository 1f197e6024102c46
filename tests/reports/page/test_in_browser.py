"""The page as a person uses it, in a headless Chromium."""

import re
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from tests.reports.page.browser import opened
from tests.reports.page.synthetic import make_large_run

from edgekernelbench.metrics.headline import Headline
from edgekernelbench.reports.page.watch import make_page
from edgekernelbench.reports.runs import read_run

MOST_BYTES = 6_000_000
MOST_SECONDS = 2.0
NO_LAG_SECONDS = 0.5
"""Of the page's own thread: what a person waits for on an idle machine."""


def test_a_full_run_is_small_and_opens_at_once(browser: Browser, large: tuple[Path, Path]) -> None:
    _, file = large
    assert file.stat().st_size < MOST_BYTES
    with opened(browser, file) as seen:
        assert seen.errors == []
        assert seen.fetched == [file.as_uri()]
        assert seen.text("#how-many") == "1,950 attempts of 1,950, the first 200 shown"
        assert seen.busy_seconds() < MOST_SECONDS


def test_filtering_and_sorting_a_full_run_does_not_lag(browser: Browser, large: tuple[Path, Path]) -> None:
    with opened(browser, large[1]) as seen:
        for column in ("speed", "ns", "tokens"):
            before = seen.busy_seconds()
            seen.page.click(f"[data-sort={column}]")
            assert seen.busy_seconds() - before < NO_LAG_SECONDS
        before = seen.busy_seconds()
        seen.page.fill("#words", "conv i8")
        expect(seen.page.locator("#how-many")).not_to_contain_text("1,950 attempts of")
        assert seen.busy_seconds() - before < NO_LAG_SECONDS
        assert seen.errors == []


def test_every_picture_is_drawn_or_says_why_not(browser: Browser, small: tuple[Path, Path]) -> None:
    with opened(browser, small[1]) as seen:
        empty = set()
        for figure in seen.page.locator("#pictures figure").all():
            figure.scroll_into_view_if_needed()
            expect(figure.locator("svg[role=img], .none")).to_be_visible()
            if figure.locator("svg").count() == 0:
                empty.add(figure.get_attribute("id"))
        assert empty == {"search", "layers", "heat", "clock", "endurance"}, (
            "drawn records have no paths and no sensors"
        )
        assert seen.errors == []


def test_the_scores_of_the_page_are_those_of_the_program(browser: Browser, small: tuple[Path, Path]) -> None:
    row = read_run(small[0]).rows[0]
    assert isinstance(row, Headline)
    # One run of the two is chosen: its scores are then counted by the page.
    with opened(browser, small[1], fragment="#?run=0") as seen:
        cells = seen.page.locator("#chosen-scores tbody tr").first.locator("td").all_inner_texts()
    shown = dict(zip(("Accepted@1", "Correct@1", "Fast@1.0", "sure Fast@1.0"), cells[2:], strict=True))
    for score in row.scores:
        if score.name not in shown:
            continue
        assert score.value is not None
        assert score.interval is not None
        value, low, high = map(float, re.findall(r"[\d.]+", shown[score.name].replace("@", "")))
        assert value == pytest.approx(100 * float(score.value), abs=0.05)
        # The draws of the bootstrap are others: its ends move by a tenth of the interval's width.
        slack = 10 * (score.interval.high - score.interval.low) + 1
        assert (low, high) == pytest.approx((100 * score.interval.low, 100 * score.interval.high), abs=slack)


def test_a_filter_chooses_rows_and_scores_and_stands_in_the_address(
    browser: Browser, small: tuple[Path, Path]
) -> None:
    with opened(browser, small[1]) as seen:
        seen.page.select_option("select[name=dtype]", "i8")
        types = seen.page.locator("#table tbody th").all_inner_texts()
        assert types
        assert all(name.endswith("-i8") for name in types)
        workloads = seen.page.locator("#chosen-scores tbody tr").first.locator("td").first.inner_text()
        assert int(workloads) == len(set(types))
        address = seen.page.url
    with opened(browser, small[1], fragment=address[address.index("#") :]) as seen:
        assert seen.page.locator("#table tbody th").all_inner_texts() == types
        seen.page.click("#all")
        assert len(seen.page.locator("#table tbody th").all_inner_texts()) > len(types)


def test_kernels_that_are_faster_within_a_room_are_found(browser: Browser, small: tuple[Path, Path]) -> None:
    with opened(browser, small[1]) as seen:
        seen.page.fill("input[name=faster]", "1.0")
        seen.page.fill("input[name=room]", "64")
        # Typing is answered when it pauses, and the address says when both were.
        seen.page.wait_for_url(lambda url: "faster" in url and "room" in url)
        rows = seen.ask("""() => [...document.querySelectorAll("#table tbody tr")].map((row) =>
            [...row.cells].map((cell) => cell.textContent))""")
        assert rows
        for row in rows:
            assert row[3] == "correct"
            assert float(row[4].rstrip("×")) > 1.0
            assert "MiB" not in row[8]


def test_sorting_turns_and_says_so(browser: Browser, small: tuple[Path, Path]) -> None:
    read = """() => [...document.querySelectorAll("#table tbody tr")]
        .map((row) => parseFloat(row.cells[4].textContent))"""
    with opened(browser, small[1]) as seen:
        for way, sign in (("ascending", 1), ("descending", -1)):
            seen.page.click("[data-sort=speed]")
            assert seen.page.get_attribute("th:has([data-sort=speed])", "aria-sort") == way
            known = [sign * value for value in seen.ask(read) if value == value]  # noqa: PLR0124 - no NaN
            assert known == sorted(known)
        assert seen.ask("() => document.activeElement.dataset.sort") == "speed"


def test_an_attempt_opens_and_keys_lead_on_and_back(browser: Browser, small: tuple[Path, Path]) -> None:
    with opened(browser, small[1]) as seen:
        page = seen.page
        page.select_option("select[name=outcome]", "correct")
        page.locator("#table tbody a").first.click()
        expect(page.locator("#opened .verdict.correct")).to_be_visible()
        for part in ("Samples", "Text by layer", "How right it is", "Cost", "Do it again"):
            expect(page.locator("#opened h3", has_text=part)).to_be_visible()
        assert page.locator("#opened .layers .two").count() == 3
        first = page.url
        page.keyboard.press("ArrowRight")
        page.wait_for_url(lambda url: url != first)
        expect(page.locator("#opened .verdict")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(first)
        page.keyboard.press("Escape")
        expect(page.locator("#overview")).to_be_visible()
        assert seen.errors == []


def test_two_rows_are_compared_and_different_questions_are_not(
    browser: Browser, small: tuple[Path, Path]
) -> None:
    with opened(browser, small[1]) as seen:
        table = seen.page.locator("#comparison tbody tr")
        assert table.count() == 4
        assert re.search(r"yes, (better|worse)|not told apart|cannot be said", table.first.inner_text())
        seen.page.select_option("#comparison select[name=b]", "0:0")
        expect(seen.page.locator("#comparison .none")).to_have_text("Choose two different rows.")


def test_runs_of_different_kinds_share_no_table_and_no_picture(browser: Browser, tmp_path: Path) -> None:
    runs = [
        make_large_run(tmp_path / "one", workloads=6, sets=1),
        make_large_run(tmp_path / "two", workloads=6, sets=1, agents=("policy",), track="optimise"),
    ]
    make_page(runs, tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html") as seen:
        assert seen.text("#how-many") == "18 attempts of 24"
        assert "all" not in seen.page.locator("select[name=run] option").all_inner_texts()
        seen.page.select_option("select[name=run]", "1")
        assert seen.text("#how-many") == "6 attempts of 24"
        assert seen.page.locator("#chosen-scores tbody tr").count() == 1
        seen.page.select_option("#comparison select[name=a]", "0:0")
        seen.page.select_option("#comparison select[name=b]", "1:0")
        expect(seen.page.locator("#comparison .none")).to_contain_text(
            "not compared: the track is write in one, optimise in two"
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(
    browser: Browser, tiny: Path, scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, tiny, scheme=scheme) as seen:
        seen.ask("() => dispatchEvent(new Event('beforeprint'))")
        for _ in range(2):
            found = Axe().run(seen.page).response["violations"]
            assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
            seen.page.goto(f"{seen.page.url.partition('#')[0]}#/attempt/0/0")
            expect(seen.page.locator("#opened .verdict")).to_be_visible()


def test_a_narrow_window_never_scrolls_sideways(browser: Browser, tiny: Path) -> None:
    with opened(browser, tiny, width=360) as seen:
        seen.ask("() => dispatchEvent(new Event('beforeprint'))")
        assert seen.ask("() => document.documentElement.scrollWidth") <= 360
        seen.page.goto(f"{seen.page.url.partition('#')[0]}#/attempt/0/0")
        expect(seen.page.locator("#opened .verdict")).to_be_visible()
        assert seen.ask("() => document.documentElement.scrollWidth") <= 360


def test_a_watched_page_loads_itself_again_but_not_under_a_reader(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    make_page([make_large_run(tmp_path / "run", workloads=2, sets=1)], file, again_s=1)
    with opened(browser, file, fragment="#/attempt/0/0") as seen:
        expect(seen.page.locator("#opened .verdict")).to_be_visible()
        seen.ask("() => { window.seenBefore = true; }")
        seen.page.wait_for_timeout(1500)
        assert seen.ask("() => window.seenBefore")
        with seen.page.expect_event("load"):
            seen.page.keyboard.press("Escape")
        assert seen.ask("() => window.seenBefore") is None


def test_the_scores_fit_a_printed_page(browser: Browser, tiny: Path) -> None:
    with opened(browser, tiny, width=794, scheme="dark") as seen:
        seen.page.emulate_media(media="print")
        wide = seen.ask("() => [...document.querySelectorAll('.headline')].map((t) => t.offsetWidth)")
        assert max(wide) <= 794
        assert seen.ask("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
