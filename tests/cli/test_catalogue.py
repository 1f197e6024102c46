"""`ekb catalogue`."""

from tests.cli.conftest import Ekb

from edgekernelbench.cli.status import Status
from edgekernelbench.workloads.catalogue import load_catalogue


def test_the_list_has_every_workload(ekb: Ekb) -> None:
    done = ekb("catalogue", "list")
    ids = [line.split()[0] for line in done.out.splitlines()[1:]]
    assert ids == [w.id for w in load_catalogue().workloads]
    assert "workloads of" in done.err


def test_a_suite_and_names_narrow_the_list(ekb: Ekb) -> None:
    rows = ekb("catalogue", "list", "softmax", "--suite", "full", "--json").json
    assert rows
    assert {row["pattern"] for row in rows} == {"norm/softmax"}


def test_a_workload_is_shown_with_both_of_its_texts(ekb: Ekb) -> None:
    workload = load_catalogue().select(["softmax"])[0]
    done = ekb("catalogue", "show", workload.id)
    assert done.status == Status.YES
    assert "with compute:" in done.out
    assert "torch.softmax" in done.out
    assert workload.source in done.out
    shown = ekb("catalogue", "show", workload.id, "--json").json
    assert shown["canonical"].startswith("def softmax(")


def test_the_quick_check_compares_small_twins_with_pytorch(ekb: Ekb) -> None:
    done = ekb("catalogue", "check", "softmax", "max_pool2d", "--quick")
    assert done.status == Status.YES, done.out
    assert done.out.endswith("workloads are in order\n")
    assert "checking: " in done.err


def test_the_check_at_real_sizes_says_what_it_checked(ekb: Ekb) -> None:
    found = ekb("catalogue", "check", "softmax", "--suite", "quick", "--json").json
    assert found["findings"] == []
    assert [name.partition("@")[0] for name in found["workloads"]] == ["norm/softmax"]
