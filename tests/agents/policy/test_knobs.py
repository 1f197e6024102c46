"""Knobs are resolved in few submissions, and not at all where nothing is to be found."""

from collections.abc import Callable, Mapping

from edgekernelbench.agents.leka.knobs import Probe, Setting
from edgekernelbench.agents.policy.knobs import halving

Speed = Callable[[Mapping[str, int | float]], float | None]
TILES = {"KT": (16, 8, 32, 64), "JT": (14, 7, 4, 2, 28)}


def resolve(speed: Speed, room: int, knobs: Mapping[str, tuple[int | float, ...]] = TILES) -> list[Probe]:
    """Search with a device whose speed is a function of the knobs."""
    probes: list[Probe] = []
    while (setting := halving(knobs, probes, room - len(probes))) is not None:
        probes.append(Probe(setting, speed(dict(setting)), measured=True))
    return probes


def best(probes: list[Probe]) -> Setting:
    return max(probes, key=lambda probe: probe.ratio or 0.0).setting


def test_the_first_option_of_each_is_measured_first() -> None:
    probes = resolve(lambda knobs: 1.0, 1)
    assert [probe.setting for probe in probes] == [(("KT", 16), ("JT", 14))]


def test_the_best_of_twenty_settings_is_found_in_nine() -> None:
    probes = resolve(lambda k: 2.0 - abs(k["KT"] - 32) / 32 - abs(k["JT"] - 7) / 14, 9)
    assert best(probes) == (("KT", 32), ("JT", 7))


def test_what_is_flat_is_left_alone() -> None:
    probes = resolve(lambda knobs: 1.0, 16)
    assert len(probes) < 8


def test_settings_that_are_refused_are_passed_over() -> None:
    probes = resolve(lambda k: None if k["KT"] == 16 else k["KT"] / 64, 12)
    assert dict(best(probes))["KT"] == 64


def test_no_setting_is_measured_twice_and_the_room_is_kept() -> None:
    probes = resolve(lambda k: k["KT"] * k["JT"], 40)
    settings = [probe.setting for probe in probes]
    assert len(settings) == len(set(settings)) <= 20
    assert resolve(lambda k: 1.0, 0) == []


def test_a_text_without_knobs_is_measured_once() -> None:
    assert [probe.setting for probe in resolve(lambda k: 1.0, 5, {})] == [()]
