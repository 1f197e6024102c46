"""Targets and profiles."""

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.cli.options import TARGETS, find_profile


@pytest.mark.parametrize("target", list(TARGETS))
def test_every_target_has_a_profile_of_its_own(target: str) -> None:
    assert find_profile(target, None).target == target


def test_a_profile_brings_its_target() -> None:
    assert find_profile(None, "cuda-sm87").target == "cuda"
    assert find_profile("cuda", "cuda-sm87").name == "cuda-sm87"
    assert find_profile(None, None).name == "llvm"


def test_a_profile_of_another_target_is_refused() -> None:
    with pytest.raises(CatalogueError, match="is of cuda, not of opencl"):
        find_profile("opencl", "cuda-sm87")
