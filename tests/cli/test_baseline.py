"""`ekb baseline`: what was tuned is shown with what it took; a file is not begun twice."""

from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.conftest import Golden

from edgekernelbench.records.manifest import DeviceFacts
from edgekernelbench.records.tuned import BesideRecord, PartRecord, TunedRecord

DEVICE = DeviceFacts(
    profile="llvm", device_class="server", threads=2, machine="x86_64", system="Linux", cpu="a processor",
    cores=2, memory_bytes=1 << 30,
)  # fmt: skip
PART = PartRecord(
    stages=("out",), trace="[[],[]]", best_ns=900.0, trials=32, right=30,
    failed={"compile: timed out": 2}, drawn=5, seconds=20.0,
)  # fmt: skip


def record(workload: str, **more: object) -> TunedRecord:
    fields = {
        "workload": workload,
        "kernel": "0" * 16,
        "trials": 32,
        "seed": 0,
        "choice": "default",
        "seconds": 31.5,
        "versions": {"apache-tvm": "0.27.0.post1"},
        "device": DEVICE,
        "started": "2026-12-01T00:00:00Z",
    }
    return TunedRecord.model_validate({**fields, **more})


RECORDS = (
    record(
        "norm/softmax@r591-n197-f32", choice="metaschedule", parts=(PART,), outcome="correct", rings=5,
        default_ns=2000.0, tuned_ns=1000.0, ratio=2.0, sure_ratio=1.9,
        beside=BesideRecord(default_ns=2000.0, plain_ns=9000.0, vendor_ns=1500.0, vendor="onnxruntime"),
    ),
    record("sequence/cumsum@r60-n4000-f32", reason="ordered: y stands in a `for`", seconds=0.5),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "llvm.jsonl").write_text("".join(r.line() + "\n" for r in RECORDS), encoding="utf-8")
    return tmp_path


def test_what_was_tuned_is_shown_with_what_it_took(ekb: Ekb, folder: Path, golden: Golden) -> None:
    names = [word for r in RECORDS for word in ("-w", r.workload)]
    done = ekb("baseline", "status", "-o", str(folder), *names)
    assert done.status == 0
    golden(done.out.rstrip("\n"))


def test_the_status_is_no_while_workloads_are_missing(ekb: Ekb, folder: Path) -> None:
    done = ekb("baseline", "status", "-o", str(folder), "--suite", "quick", "--json")
    assert done.status == 1
    assert [r["workload"] for r in done.json] == [r.workload for r in RECORDS]
    assert "6 of 8 workloads are not tuned yet" in done.err


def test_a_file_is_not_begun_twice(ekb: Ekb, folder: Path) -> None:
    done = ekb("baseline", "tune", "-w", "softmax", "--suite", "quick", "-o", str(folder))
    assert done.status == 2
    assert "--resume" in done.err


def test_gpus_are_not_tuned(ekb: Ekb, tmp_path: Path) -> None:
    done = ekb("baseline", "tune", "-w", "softmax", "--suite", "quick", "-d", "opencl", "-o", str(tmp_path))
    assert done.status == 3
    assert "count against R0" in done.err
