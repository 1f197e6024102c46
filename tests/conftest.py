"""Fixtures that all tests share."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[[str], None]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell lets what it starts in the background ignore Ctrl-C, and so would the commands that are tested.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare text with the file named after the requesting test."""
    here = Path(__file__).parent
    test = request.path.relative_to(here).with_suffix("")
    name = re.sub(r"[^\w.-]+", "_", request.node.name)
    stored = here / "golden" / test / f"{name}.txt"

    def compare(actual: str) -> None:
        if request.config.getoption("--update-golden"):
            stored.parent.mkdir(parents=True, exist_ok=True)
            stored.write_text(actual + "\n", encoding="utf-8")
            return
        assert stored.exists(), f"{stored} is missing; run with --update-golden and read the diff"
        assert actual + "\n" == stored.read_text(encoding="utf-8")

    return compare
