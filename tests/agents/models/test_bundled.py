"""Models that come inside a package."""

import pytest

from edgekernelbench.agents.models.bundled import (
    MODELS,
    SERVER,
    bundled,
    checksum,
    fetch,
    fetch_commands,
    installed_version,
    weights,
)
from edgekernelbench.base.errors import PrerequisiteError

SMOLLM2 = bundled("smollm2")


def test_an_unknown_model_gets_the_nearest_name() -> None:
    with pytest.raises(PrerequisiteError, match="did you mean 'smollm2'"):
        bundled("smolm2")


def test_packages_are_pinned() -> None:
    assert all("==" in package for package in (SERVER, *(m.package for m in MODELS)))


def test_a_package_that_is_absent_has_no_version() -> None:
    assert installed_version("no-such-package") is None


@pytest.mark.needs_model
def test_the_weights_are_the_published_ones() -> None:
    path = weights(SMOLLM2)
    assert path is not None
    assert checksum(path) == SMOLLM2.sha256


@pytest.mark.needs_model
def test_what_is_there_is_not_fetched_again() -> None:
    assert list(fetch_commands(SMOLLM2)) == []
    assert fetch(SMOLLM2) == weights(SMOLLM2)
