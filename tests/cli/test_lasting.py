"""`--sustained`."""

import pytest
from tests.conftest import Golden

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.cli.lasting import lasting_lines, parse_seconds
from edgekernelbench.records.judgement import Judgement, Moment
from edgekernelbench.records.outcome import Correct


def judgement(*moments: Moment) -> Judgement:
    return Judgement(
        attempt="a", workload="w", device="d", device_class="edge", compiler="tvm", threads=1, text=None,
        outcome=Correct(()), sustained=moments,
    )  # fmt: skip


def moment(at: int, ns: int, mhz: float | None = None, celsius: float | None = None) -> Moment:
    held = None if celsius is None else celsius > 80
    return Moment(at_ms=at, per_run_ns=ns, mhz=mhz, celsius=celsius, held_back=held)


def test_how_speed_holds_is_golden(golden: Golden) -> None:
    hot = judgement(
        moment(1000, 1_000_000, 2400.0, 55.0),
        moment(2000, 1_050_000, 2400.0, 72.5),
        moment(3000, 1_600_000, 1500.0, 85.1),
    )
    golden("\n".join(lasting_lines(hot)))


def test_a_machine_without_sensors_shows_its_speed(golden: Golden) -> None:
    golden("\n".join(lasting_lines(judgement(moment(500, 2_000_000), moment(1000, 1_900_000)))))


def test_nothing_is_said_when_it_was_not_asked_for() -> None:
    assert lasting_lines(judgement().model_copy(update={"sustained": None})) == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30.0), ("30", 30.0), ("0.5 s", 0.5), ("2min", 120.0), (None, 0.0)]
)
def test_a_duration_is_seconds_or_minutes(text: str | None, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "long", "0s", "2h", "61min", "-3s"])
def test_another_word_is_no_duration(text: str) -> None:
    with pytest.raises(CatalogueError, match="30s"):
        parse_seconds(text)
