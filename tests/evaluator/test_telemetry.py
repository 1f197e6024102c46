"""What machines show, on trees that look like theirs."""

from pathlib import Path

import pytest

from edgekernelbench.evaluator.telemetry import Reading, read_telemetry

STAT = """cpu  100 0 50 800 0 0 0 30 0 0
cpu0 60 0 20 400 0 0 0 20 0 0
cpu1 40 0 30 400 0 0 0 10 0 0
intr 12345
"""


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")
    return root


LAPTOP = {
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "3400000",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "2100000",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3",
    "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count": "4",
    "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "5",
    "sys/class/thermal/thermal_zone0/temp": "45000",
    "sys/class/thermal/thermal_zone1/temp": "71500",
    "proc/stat": STAT,
    "proc/loadavg": "0.42 0.30 0.20 1/234 5678",
}


def test_a_laptop_shows_everything(tmp_path: Path) -> None:
    assert read_telemetry((0, 1), tree(tmp_path, LAPTOP)) == Reading(
        mhz=(3400.0, 2100.0),
        governor="powersave",
        celsius=71.5,
        throttles=12,
        held_back=None,
        ticks=(30, 980),
        load=0.42,
    )


def test_only_the_cores_that_are_used_count(tmp_path: Path) -> None:
    found = read_telemetry((1,), tree(tmp_path, LAPTOP))

    assert (found.mhz, found.throttles, found.ticks) == ((2100.0,), 5, (10, 480))


def test_governors_that_differ_are_all_named(tmp_path: Path) -> None:
    files = LAPTOP | {"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance"}

    assert read_telemetry((0, 1), tree(tmp_path, files)).governor == "performance, powersave"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("0", False), ("50000", False), ("50005", True), ("8", True), ("nonsense", None)],
    ids=["never", "in the past", "throttled now", "too warm", "another driver"],
)
def test_a_raspberry_pi_says_whether_it_holds_its_cores_back(
    tmp_path: Path, word: str, expected: bool | None
) -> None:
    root = tree(tmp_path, {"sys/devices/platform/soc/soc:firmware/get_throttled": word})

    assert read_telemetry((0,), root).held_back is expected


def test_a_machine_that_shows_nothing_gives_an_empty_reading(tmp_path: Path) -> None:
    assert read_telemetry((0, 1), tmp_path) == Reading()


def test_this_machine_can_be_read() -> None:
    assert read_telemetry((0,)).load is not None
