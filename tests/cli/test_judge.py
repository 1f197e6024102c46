"""`ekb judge`, with the small compiler."""

from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.cli.test_check import GOOD, write

from edgekernelbench.cli.status import Status
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.workloads.catalogue import load_catalogue

WORKLOAD = load_catalogue().select(["max_pool2d"], suite="quick")[0]
TEXT = print_kernel(WORKLOAD.kernel())
OPTIONS = ("--workload", WORKLOAD.id, "--compiler", "c", "--no-timing")


def test_the_canonical_text_is_correct(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("judge", write(tmp_path, TEXT), *OPTIONS)
    assert (done.status, done.err) == (Status.YES, "")
    assert done.out.startswith("correct on 5 sets of fresh inputs\n")


def test_a_wrong_constant_is_wrong_and_says_where(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("judge", write(tmp_path, TEXT.replace("max(", "min(")), *OPTIONS)
    assert done.status == Status.NO
    assert done.out.startswith("wrong (values): output 0")


def test_another_signature_is_refused(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("judge", write(tmp_path, GOOD), *OPTIONS)
    assert done.status == Status.NO
    assert "error[C09]" in done.out


def test_the_json_is_the_record(tmp_path: Path, ekb: Ekb) -> None:
    record = ekb("judge", write(tmp_path, TEXT), *OPTIONS, "--json").json
    assert record["schema"] == "judgement/2"
    assert record["outcome"]["kind"] == "correct"
    assert len(record["inputs"]) >= 3


@pytest.mark.slow
def test_a_correct_kernel_is_timed_beside_the_default(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("judge", write(tmp_path, TEXT), "--workload", WORKLOAD.id, "--compiler", "c")
    assert done.status == Status.YES
    assert "times as fast as the default baseline" in done.out
    assert "note: not final, from one set of processes (one-child)" in done.out


def test_an_unknown_workload_gets_the_nearest(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("judge", write(tmp_path, TEXT), "--workload", WORKLOAD.id[:-1])
    assert done.status == Status.USAGE
    assert done.err == f"ekb: no workload {WORKLOAD.id[:-1]}; did you mean {WORKLOAD.id}?\n"
