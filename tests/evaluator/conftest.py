"""Supervisors over servers whose workers misbehave."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgekernelbench.evaluator.supervisor import Supervisor

FAKE_SERVER = Path(__file__).parent / "cheats" / "fake_server.py"


@pytest.fixture(scope="session")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    scratch = tmp_path_factory.mktemp("scratch")
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    environment["LISTED"] = "yes"
    with Supervisor([sys.executable, str(FAKE_SERVER)], environment, scratch) as supervisor:
        yield supervisor


@pytest.fixture
def supervisor(_shared: Supervisor) -> Supervisor:
    """One server for all tests: what a worker does must not reach the next."""
    return _shared
