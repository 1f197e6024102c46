"""The page of an imported model."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from tests.imports.test_profiling import MODEL
from tests.reports.page.browser import opened

from edgekernelbench.imports.profiling import ModelProfile, profile_model
from edgekernelbench.reports.page.model import write_model_page

EVIL = '</script><img src=x onerror="document.title=1">'


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelProfile:
    import numpy as np  # noqa: PLC0415 - beside the weights that it writes

    weights = {"0": np.zeros(5, np.float32), "1": np.zeros(7, np.float32)}
    np.savez(tmp_path / "weights.npz", **weights)  # type: ignore[arg-type]
    return profile_model(MODEL.model_copy(update={"source": EVIL}), tmp_path)


def test_the_page_draws_every_function_and_fetches_nothing(
    browser: Browser, profile: ModelProfile, tmp_path: Path
) -> None:
    file = tmp_path / "model.html"
    file.write_text(write_model_page(profile), encoding="utf-8")
    with opened(browser, file) as seen:
        assert seen.errors == []
        assert seen.fetched == [file.as_uri()]
        assert seen.ask("document.querySelectorAll('figure svg').length") == 2
        assert seen.ask("document.querySelectorAll('figure svg rect').length") == 6
        for name in ("slow", "moving", "tiny"):
            assert name in seen.text("table")


def test_names_of_strangers_are_text(browser: Browser, profile: ModelProfile, tmp_path: Path) -> None:
    file = tmp_path / "model.html"
    file.write_text(write_model_page(profile), encoding="utf-8")
    with opened(browser, file) as seen:
        assert EVIL in seen.text("main")
        assert seen.ask("document.images.length") == 0


def test_everybody_can_read_the_page(browser: Browser, profile: ModelProfile, tmp_path: Path) -> None:
    file = tmp_path / "model.html"
    file.write_text(write_model_page(profile), encoding="utf-8")
    with opened(browser, file) as seen:
        found = Axe().run(seen.page)
        assert found.violations_count == 0, found.generate_report()
