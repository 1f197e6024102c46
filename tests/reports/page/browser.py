"""A page in a headless browser that reaches no network and tells of every error."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_path() -> str | None:
    """Find a Chromium of this machine."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start the machine's own Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page, with what it complained of and what it tried to fetch."""

    page: Page
    work: CDPSession
    errors: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def busy_seconds(self) -> float:
        """Give how long the page's own thread has worked: other work on the machine does not count."""
        metrics = self.work.send("Performance.getMetrics")["metrics"]
        return float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def ask(self, script: str, argument: object = None) -> Any:
        return self.page.evaluate(script, argument)


@contextmanager
def opened(
    browser: Browser,
    file: Path,
    *,
    fragment: str = "",
    width: int = 1280,
    scheme: Literal["light", "dark"] = "light",
) -> Iterator[Opened]:
    """Open a file in a window of its own."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, reduced_motion="reduce"
    )
    page = context.new_page()
    seen = Opened(page, context.new_cdp_session(page))
    seen.work.send("Performance.enable", {"timeDomain": "threadTicks"})
    seen.page.on("console", lambda m: seen.errors.append(m.text) if m.type in ("error", "warning") else None)
    seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
    seen.page.on("request", lambda request: seen.fetched.append(request.url))
    seen.page.goto(f"{file.as_uri()}{fragment}")
    seen.page.wait_for_selector("html[data-ready]")
    yield seen
    context.close()
