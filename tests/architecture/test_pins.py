"""What `make setup` installs is found by every Python that the package names."""

import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OLDEST = PROJECT["requires-python"].removeprefix(">=") + ".0"


@pytest.mark.parametrize("name", [n for n in PINS if list(metadata.distributions(name=n))])
def test_a_pin_takes_the_oldest_python_of_the_package(name: str) -> None:
    needed = ",".join(metadata.metadata(name).get_all("Requires-Python", []))
    assert SpecifierSet(needed).contains(OLDEST), f"{name} {PINS[name]} needs {needed}: pin an older one"
