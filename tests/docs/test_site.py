"""The site builds, every link resolves, every page can be found."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT, nav_pages

PAGES = sorted(DOCS.rglob("*.md"))
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md")]
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^ *(`{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    prose = re.sub(r"`[^`\n]*`", "", _FENCED.sub("", page.read_text(encoding="utf-8")))
    return [link for link in _LINK.findall(prose) if not link.startswith(("http://", "https://", "#"))]


@pytest.mark.parametrize("page", [*TOP, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_resolves(page: Path) -> None:
    for link in links(page):
        assert (page.parent / link.partition("#")[0]).exists(), link


def test_every_page_is_in_the_navigation_or_in_the_list_of_decisions() -> None:
    listed = {DOCS / "decisions" / link for link in links(DOCS / "decisions" / "index.md")}

    assert {*nav_pages(), *listed} == set(PAGES)


@pytest.mark.parametrize("page", [*TOP, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_no_folder_of_one_machine(page: Path) -> None:
    assert not re.search(r"(?<![\w.])/(?:work|home|root|tmp|Users)/", page.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_without_the_network(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    for page in tmp_path.rglob("*.html"):
        fetched = re.findall(
            r"<(?:script|link|img)[^>]+(?:src|href)=\"?(https?://[^\"\s>]+)", page.read_text(encoding="utf-8")
        )
        assert not fetched, page.name
