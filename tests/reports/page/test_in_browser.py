"""The page as a person uses it, in a headless Chromium."""

import re
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from tests.reports.page.browser import opened
from tests.reports.page.synthetic import make_large_run

from edgekernelbench.metrics.difference import paired_difference
from edgekernelbench.metrics.headline import Headline
from edgekernelbench.metrics.measures import correct
from edgekernelbench.metrics.speed_difference import paired_speed
from edgekernelbench.reports.page.watch import make_page
from edgekernelbench.reports.runs import read_attempts, read_run, score_run

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
        empty = {}
        for figure in seen.page.locator("#pictures figure").all():
            if figure.is_hidden():
                empty[figure.get_attribute("id")] = figure.locator("strong").text_content() or "?"
                continue
            figure.scroll_into_view_if_needed()
            expect(figure.locator("svg[role=img]")).to_be_visible()
        assert set(empty) == {"search", "layers", "heat", "clock", "endurance"}, (
            "drawn records have no paths and no sensors"
        )
        for title in empty.values():
            expect(seen.page.locator("#left-out")).to_contain_text(title)
        expect(seen.page.locator("#left-out")).to_contain_text("(no kernel that is chosen was run on end)")
        assert seen.errors == []


def test_the_scores_of_the_page_are_those_of_the_program(browser: Browser, small: tuple[Path, Path]) -> None:
    row = read_run(small[0]).rows[0]
    assert isinstance(row, Headline)
    # One run of the two is chosen: its scores are then counted by the page.
    with opened(browser, small[1], fragment="#?run=0") as seen:
        cells = seen.page.locator("#chosen-scores tbody tr").first.locator("td").all_inner_texts()
    assert cells[:3] == [str(row.workloads), str(row.patterns), str(row.attempts)]
    shown = dict(
        zip(("Accepted@1", "Correct@1", "Fast@1.0", "sure Fast@1.0", "speed"), cells[3:], strict=True)
    )
    assert row.speedup is not None
    assert shown["speed"] == f"{row.speedup[0]:.2f}× of {row.speedup[1]}"
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
        expect(seen.page.locator("#choice")).to_contain_text("faster than 1.0×, workspace up to 64 KiB: ")
        seen.page.click("#choice a")
        expect(seen.page.locator("#attempts-title")).to_be_in_viewport()
        for _ in range(2):
            seen.page.keyboard.press("Tab")
        assert seen.ask("() => document.activeElement.dataset.sort") == "workload"
        rows = seen.ask("""() => [...document.querySelectorAll("#table tbody tr")].map((row) =>
            [...row.cells].map((cell) => cell.textContent))""")
        assert rows
        for row in rows:
            assert row[3] == "correct"
            assert float(row[4].rstrip("×")) > 1.0
            assert "MiB" not in row[9]


def test_where_nothing_is_left_the_next_best_is_named(browser: Browser, small: tuple[Path, Path]) -> None:
    with opened(browser, small[1], fragment="#?faster=1&room=0.5") as seen:
        expect(seen.page.locator("#table .none")).to_contain_text(
            "Without the limit of workspace, the smallest takes"
        )
    with opened(browser, small[1], fragment="#?faster=1000") as seen:
        expect(seen.page.locator("#table .none")).to_contain_text(
            "Without the limit of speed, the fastest is"
        )


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
        # Whoever came by keys goes on where they left, and the filter is one key away from there.
        assert seen.ask("() => document.activeElement.getAttribute('href')") == first[first.index("#") :]
        page.keyboard.press("/")
        assert seen.ask("() => document.activeElement.id") == "words"
        assert seen.errors == []


def test_two_rows_are_compared_and_different_questions_are_not(
    browser: Browser, small: tuple[Path, Path]
) -> None:
    with opened(browser, small[1]) as seen:
        table = seen.page.locator("#comparison tbody tr")
        assert table.count() == 5
        assert re.search(r"yes: .* is better|not told apart|cannot be said", table.first.inner_text())
        assert "" not in [cell.strip() for cell in table.locator("th, td").all_inner_texts()]
        seen.page.select_option("#comparison select[name=second]", "0:0")
        seen.page.select_option("#comparison select[name=first]", "0:0")
        expect(seen.page.locator("#comparison .none")).to_have_text("Choose two different rows.")


def test_differences_of_scores_and_speeds_are_those_of_the_program(
    browser: Browser, small: tuple[Path, Path]
) -> None:
    first, second = (read_attempts(small[0].parent / name).agents["direct-alpha"] for name in ("one", "two"))
    score = paired_difference(first, second, correct())
    speed = paired_speed(first, second, "default")
    assert score is not None
    assert score.interval is not None
    assert score.p_value is not None
    assert speed is not None
    assert speed.low is not None
    assert speed.p_value is not None
    with opened(browser, small[1]) as seen:
        keys = {name: value for value, name in seen.ask(OPTIONS_OF_FIRST)}
        seen.page.select_option("#comparison select[name=first]", keys["direct-alpha (one)"])
        seen.page.select_option("#comparison select[name=second]", keys["direct-alpha (two)"])
        rows = seen.page.locator("#comparison tbody tr")
        lines = {r.locator("th").inner_text(): r.locator("td").all_inner_texts() for r in rows.all()}
        said = seen.text("#comparison")
    line = lines["Correct@1"]
    assert line[1] == f"{100 * float(score.first):.1f} %"
    assert float(line[3].removesuffix(" points")) == pytest.approx(100 * float(score.value), abs=0.051)
    low, high = map(float, re.findall(r"-?\d+", line[4]))
    # The weights are drawn by another generator.
    assert (low, high) == pytest.approx((100 * score.interval.low, 100 * score.interval.high), abs=4)
    assert line[5] == f"{score.workloads}, {score.patterns}"
    assert float(line[6].lstrip("<")) == pytest.approx(score.p_value, abs=0.03)
    line = lines["speed"]
    assert line[3] == f"{speed.ratio:.2f}× as fast"
    assert line[4] == f"[{speed.low:.2f}, {speed.high:.2f}]"
    assert line[5] == f"{speed.workloads}, {speed.patterns}"
    assert float(line[6].lstrip("<")) == pytest.approx(speed.p_value, abs=0.03)
    assert f"direct-alpha (two) is surely faster on {speed.faster}" in said
    assert f"direct-alpha (one) on {speed.slower}" in said


OPTIONS_OF_FIRST = """() => [...document.querySelectorAll("#comparison select[name=first] option")]
    .map((option) => [option.value, option.textContent])"""


def test_of_few_patterns_is_said_that_they_are_too_few(browser: Browser, small: tuple[Path, Path]) -> None:
    name = read_attempts(small[0]).manifest.planned[0].split("/")[2].split("@")[0]
    with opened(browser, small[1], fragment=f"#?q={name}") as seen:
        table = seen.text("#comparison table")
        assert "– (one pattern)" in table
        assert "cannot be said from one pattern" in table
        expect(seen.page.locator("#chosen-scores")).to_contain_text("– (one pattern)")


def test_a_row_says_by_which_reference_it_was_judged(browser: Browser, small: tuple[Path, Path]) -> None:
    apart = score_run(read_attempts(small[0])).apart
    assert apart > 0
    with opened(browser, small[1], fragment="#?run=0&outcome=correct") as seen:
        assert seen.page.locator("#table .apart").count() == apart
        expect(seen.page.locator("#apart")).to_contain_text(f"≠ on {apart} of")
        seen.page.locator("#table tr:has(.apart) a").first.click()
        expect(seen.page.locator("#opened .verdict")).to_contain_text("was measured in turn with it and took")
        expect(seen.page.locator("#opened .verdict")).to_contain_text("≠ That is more than repetition shows")


def test_counts_of_attempts_have_whole_ticks(browser: Browser, tmp_path: Path) -> None:
    make_page([make_large_run(tmp_path / "run", workloads=2, sets=1)], tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html") as seen:
        seen.ask("() => dispatchEvent(new Event('beforeprint'))")
        texts = seen.page.locator("#outcomes svg text").all_text_contents()
        ticks = [text for text in texts if re.fullmatch(r"[\d.]+", text)]
        assert ticks == ["0", "1", "2"]


def test_a_printed_page_has_every_picture_in_light_colours(
    browser: Browser, tiny: Path, tmp_path: Path
) -> None:
    with opened(browser, tiny, scheme="dark") as seen:
        seen.page.click("#theme")
        seen.page.click("#theme")
        assert seen.ask("() => document.documentElement.dataset.theme") == "dark"
        seen.page.pdf(path=tmp_path / "page.pdf", format="A4")
        undrawn = seen.ask("""() => [...document.querySelectorAll("#pictures figure")]
            .filter((figure) => !figure.hidden && !figure.querySelector("svg")).map((figure) => figure.id)""")
        assert undrawn == []
        seen.page.emulate_media(media="print")
        assert seen.ask("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert seen.errors == []


@pytest.mark.parametrize("width", [800, 1280])
def test_the_filter_stands_in_columns(browser: Browser, tiny: Path, width: int) -> None:
    with opened(browser, tiny, width=width) as seen:
        assert seen.ask("() => document.documentElement.scrollWidth") <= width
        boxes = [field.bounding_box() for field in seen.page.locator("#form .filter > *").all()]
        known = [box for box in boxes if box is not None]
        assert len(known) == len(boxes)
        assert len({round(box["width"]) for box in known}) == 1
        bottoms = {round(box["y"] + box["height"]) for box in known}
        assert len(bottoms) <= (2 if width == 1280 else 3)


def test_runs_of_different_kinds_share_no_table_and_no_picture(browser: Browser, tmp_path: Path) -> None:
    runs = [
        make_large_run(tmp_path / "one", workloads=6, sets=1),
        make_large_run(tmp_path / "two", workloads=6, sets=1, agents=("policy",), track="optimise"),
    ]
    make_page(runs, tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html") as seen:
        assert seen.text("#how-many") == "18 attempts of 24"
        assert "policy" not in seen.text("#legend")
        seen.page.select_option("select[name=run]", "1")
        assert seen.text("#how-many") == "6 attempts of 24"
        assert seen.page.locator("#chosen-scores tbody tr").count() == 1
        assert "policy (two)" in seen.text("#legend")
        assert "direct-alpha" not in seen.text("#legend")
        seen.page.click("#all")
        assert seen.text("#how-many") == "24 attempts of 24"
        assert seen.page.locator("#table tbody tr", has_text="policy (two)").count() == 6
        assert seen.page.locator("#pictures figure:visible").count() == 0
        expect(seen.page.locator("#left-out")).to_contain_text("are of different kinds: choose a run above")
        # Whom to compare is chosen among rows that can be.
        assert seen.page.locator("#comparison tbody tr").count() == 5
        seen.page.select_option("#comparison select[name=first]", "0:0")
        seen.page.select_option("#comparison select[name=second]", "1:0")
        expect(seen.page.locator("#comparison .none")).to_contain_text(
            "not compared: the track is write in one, optimise in two"
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(
    browser: Browser, tiny: Path, scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, tiny, scheme=scheme) as seen:
        seen.ask("() => dispatchEvent(new Event('beforeprint'))")
        ids = seen.ask("() => [...document.querySelectorAll('[id]')].map((node) => node.id)")
        assert len(set(ids)) == len(ids)
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
