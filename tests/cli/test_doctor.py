"""`ekb doctor`."""

import os

import pytest
from tests.cli.conftest import Ekb

from edgekernelbench.cli.doctor import findings
from edgekernelbench.cli.status import Status


def test_it_names_versions_and_threads(ekb: Ekb) -> None:
    found = ekb("doctor", "--json").json
    assert found["cores"] == len(os.sched_getaffinity(0))
    assert {row["name"] for row in found["findings"]} >= {
        "python",
        "apache-tvm",
        "C compiler",
        "model smollm2",
    }


def test_what_is_missing_comes_with_its_remedy(ekb: Ekb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    done = ekb("doctor")
    assert done.status == Status.MISSING
    assert "C compiler is missing: apt-get install gcc" in done.out


def test_every_finding_says_who_needs_it_and_what_brings_it() -> None:
    assert all(row.purpose and row.remedy for row in findings())
