"""One browser for all tests of the page; they are skipped where no Chromium is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.reports.page.browser import browser_path, open_browser
from tests.reports.page.synthetic import make_large_run

from edgekernelbench.reports.page.watch import make_page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if browser_path() is None:
        pytest.skip("no Chromium is installed: `apt-get install chromium` brings one")
    with open_browser() as started:
        yield started


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of 650 workloads with three agents, and its page."""
    root = tmp_path_factory.mktemp("large")
    run = make_large_run(root / "large")
    make_page([run], root / "large.html")
    return run, root / "large.html"


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of 40 workloads, and the page of both."""
    root = tmp_path_factory.mktemp("small")
    runs = [
        make_large_run(root / "one", workloads=40, attempts=2, sets=2),
        make_large_run(root / "two", workloads=40, agents=("direct-alpha",), sets=2, seed=1),
    ]
    make_page(runs, root / "small.html")
    return runs[0], root / "small.html"


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs of 6 workloads."""
    root = tmp_path_factory.mktemp("tiny")
    runs = [make_large_run(root / name, workloads=6, sets=2, seed=at) for at, name in enumerate("ab")]
    make_page(runs, root / "tiny.html")
    return root / "tiny.html"
