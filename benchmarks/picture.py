"""Make the pictures of the documentation: `python benchmarks/picture.py RUN [RUN-WITH-A-PATH]`.

Needs the system's Chromium and the package playwright (the extra `dev`). Writes PNG files to docs/pictures.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from edgekernelbench.reports.page.watch import make_page

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH = 1200


def main(run: Path, path_run: Path | None) -> None:
    """Write the pictures of one run, and of a path when there is a run with one."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        file = Path(folder) / "report.html"
        make_page([run], file)
        open_page(page, file, "")
        shoot(page, "report.png", 1350)
        page.select_option("select[name=outcome]", "correct")
        page.locator("#table tbody a").first.click()
        page.wait_for_selector("#opened .verdict")
        shoot(page, "attempt.png", 1300)
        if path_run is not None:
            make_page([path_run], file)
            open_page(page, file, "#/walk/0/0/2")
            page.wait_for_selector("#opened .step")
            shoot(page, "walk.png", 1000)
        browser.close()


def open_page(page: Page, file: Path, fragment: str) -> None:
    """Open a page and draw all of it."""
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}{fragment}")
    page.wait_for_selector("html[data-ready]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")


def shoot(page: Page, name: str, height: int) -> None:
    """Take the upper part of a page."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.wait_for_timeout(300)
    page.screenshot(path=PICTURES / name)
    print(f"{name}: {(PICTURES / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
