"""The path of an agent, walked in the page."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from tests.reports.page.browser import Opened, opened
from tests.reports.page.synthetic import make_large_run
from tests.reports.test_walk import walked

from edgekernelbench.records.store import RunFolder
from edgekernelbench.records.trajectories import Trajectory, trajectory_path, write_trajectory
from edgekernelbench.reports.page import document
from edgekernelbench.reports.page.bundle import bundle_run
from edgekernelbench.reports.page.walk import curve_of, gains_of, walk_of
from edgekernelbench.reports.page.watch import make_page


@pytest.fixture(scope="module")
def trajectory() -> Trajectory:
    return walked()


@pytest.fixture(scope="module")
def walk_page(tmp_path_factory: pytest.TempPathFactory, trajectory: Trajectory) -> Path:
    root = tmp_path_factory.mktemp("walk")
    run = make_large_run(root / "run", workloads=4, sets=1)
    for name in RunFolder(run).manifest().planned[:2]:
        assert trajectory.end is not None
        write_trajectory(trajectory_path(run, name), trajectory.head, trajectory.steps, trajectory.end)
    make_page([run], root / "page.html")
    return root / "page.html"


def heading(seen: Opened) -> str:
    return seen.text("#opened .step h3")


def test_gains_and_curve_are_those_of_the_trajectory(trajectory: Trajectory) -> None:
    assert trajectory.end is not None
    assert gains_of(trajectory) == trajectory.end.final_metrics.extra.ekb.gains
    curve = curve_of(trajectory)
    assert [ratio for _, ratio in curve] == sorted(ratio for _, ratio in curve)
    best = trajectory.end.final_metrics.extra.ekb.best
    assert best is not None
    assert curve[-1][1] == pytest.approx(best, rel=1e-4)


def test_every_step_has_what_the_walker_shows(trajectory: Trajectory) -> None:
    steps = walk_of(trajectory)["steps"]
    assert isinstance(steps, list)
    assert len(steps) == len(trajectory.steps)
    shown = {name for step in steps for name in step}
    assert {"plan", "diff", "stage", "error", "gain", "attributed", "left", "calls", "conclusions"} <= shown


def test_paths_that_a_page_has_no_room_for_are_named_as_missing(
    tmp_path: Path, trajectory: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_large_run(tmp_path / "run", workloads=2, sets=1)
    assert trajectory.end is not None
    for name in RunFolder(run).manifest().planned:
        write_trajectory(trajectory_path(run, name), trajectory.head, trajectory.steps, trajectory.end)
    monkeypatch.setattr(document, "MOST_WALK_BYTES", 10_000)
    html = document.write_page([bundle_run(run)])
    assert 0 < html.count('id="walk-0-') < 6
    assert html.count('"steps":') == 6


def test_keys_walk_through_the_steps(browser: Browser, walk_page: Path, trajectory: Trajectory) -> None:
    with opened(browser, walk_page, fragment="#/attempt/0/0") as seen:
        seen.page.get_by_role("link", name="Walk through it").click()
        expect(seen.page.locator("#why")).to_be_visible()
        titles = [heading(seen)]
        for _ in trajectory.steps[1:]:
            seen.page.keyboard.press("ArrowRight")
            expect(seen.page.locator("#opened .step h3")).not_to_have_text(titles[-1])
            titles.append(heading(seen))
        assert [title.split(":")[0] for title in titles] == [f"Step {s.step_id}" for s in trajectory.steps]
        seen.page.keyboard.press("ArrowLeft")
        expect(seen.page.locator("#opened .step h3")).to_have_text(titles[-2])
        seen.page.keyboard.press("Escape")
        expect(seen.page.locator("#opened .verdict")).to_be_visible()
        seen.page.keyboard.press("Escape")
        expect(seen.page.locator("#overview")).to_be_visible()
        assert seen.errors == []


def test_up_and_down_follow_what_was_made_of_what(
    browser: Browser, walk_page: Path, trajectory: Trajectory
) -> None:
    made = next(
        at for at, s in enumerate(trajectory.steps) if s.extra.ekb.parent is not None and s.extra.ekb.gain
    )
    with opened(browser, walk_page, fragment=f"#/walk/0/0/{made}") as seen:
        child = heading(seen)
        seen.page.keyboard.press("ArrowUp")
        expect(seen.page.locator("#opened .step h3")).not_to_have_text(child)
        number = int(heading(seen).split()[1].rstrip(":"))
        step = next(s for s in trajectory.steps if s.step_id == number)
        assert step.extra.ekb.candidate == trajectory.steps[made].extra.ekb.parent
        seen.page.keyboard.press("ArrowDown")
        expect(seen.page.locator("#opened .step h3")).not_to_have_text(f"Step {number}: start")


def test_a_step_shows_plan_change_gain_and_budget(
    browser: Browser, walk_page: Path, trajectory: Trajectory
) -> None:
    at = next(
        at for at, s in enumerate(trajectory.steps) if s.extra.ekb.stage == "accepted" and s.extra.ekb.plan
    )
    plan = trajectory.steps[at].extra.ekb.plan
    assert plan is not None
    with opened(browser, walk_page, fragment=f"#/walk/0/0/{at}") as seen:
        step = seen.page.locator("#opened .step")
        expect(step).to_contain_text(plan.change)
        expect(step).to_contain_text("credited to")
        assert step.locator(".diff .added").count() > 0
        expect(step.locator("h4", has_text="Budget")).to_be_visible()
        why = seen.page.locator("section:has(#why)")
        expect(why).to_contain_text("is credited with")
        expect(why).to_contain_text(plan.change)


def test_an_accessibility_checker_finds_nothing(browser: Browser, walk_page: Path) -> None:
    with opened(browser, walk_page, fragment="#/walk/0/0/3") as seen:
        found = Axe().run(seen.page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
        assert seen.ask("() => document.documentElement.scrollWidth") <= 1280
    with opened(browser, walk_page, fragment="#/walk/0/0/3", width=360) as seen:
        assert seen.ask("() => document.documentElement.scrollWidth") <= 360
