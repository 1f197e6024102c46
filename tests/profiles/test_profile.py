"""Profiles: all that come with the product load, and a wrong name is answered."""

import json
from dataclasses import asdict

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.profiles.profile import (
    DeviceClass,
    Whereabouts,
    load_profile,
    profile_from_json,
    profile_names,
)


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_loads_whole(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert profile.threads >= 1
    assert profile.vector_bytes in (16, 32, 64)
    assert all(size > 0 for size in profile.cache_bytes)
    assert profile_from_json(json.loads(json.dumps(asdict(profile)))) == profile


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_says_where_its_numbers_come_from(name: str) -> None:
    assert load_profile(name).sources


@pytest.mark.parametrize("name", profile_names())
def test_a_device_that_is_elsewhere_is_named_to_compilers(name: str) -> None:
    profile = load_profile(name)
    if profile.where is not Whereabouts.HERE:
        assert profile.device_class is DeviceClass.EDGE
        match profile.target:
            case "llvm":
                assert profile.cpu
                assert profile.triple
            case "cuda":
                assert profile.cpu.startswith("sm_")
            case _:
                assert profile.platform


def test_a_cpu_that_plays_a_gpu_is_a_stand_in() -> None:
    assert load_profile("opencl").device_class is DeviceClass.STAND_IN


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(CatalogueError, match="did you mean 'llvm'"):
        load_profile("lvm")
