"""Profiles: all that come with the product load, and a wrong name is answered."""

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.profiles.profile import DeviceClass, load_profile, profile_names


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_loads_whole(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert profile.threads >= 1
    assert profile.vector_bytes in (16, 32, 64)
    assert all(size > 0 for size in profile.cache_bytes)


def test_a_cpu_that_plays_a_gpu_is_a_stand_in() -> None:
    assert load_profile("opencl").device_class is DeviceClass.STAND_IN


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(CatalogueError, match="did you mean 'llvm'"):
        load_profile("lvm")
